// Advice, and the command that tries it.
import { visible } from './data';
import { command, h, type Child } from './dom';
import type { Model } from './model';

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

// What to type to see whether the advice holds.
export function tryCommand(env: Record<string, string>, argv: string[]): string {
  const settings = Object.entries(env).map(([key, value]) => `${visible(key)}=${quoted(value)}`);
  return ['env', ...settings, 'ftprof run --', ...argv.map(quoted)].join(' ');
}

export const kKinds: Record<string, string> = {
  keep: 'Keep the block', populate: 'Populate in one go', huge: 'Use huge pages',
  calloc: 'Let calloc clear it', no_read_first: 'Do not read first', smaller: 'Ask for less',
  first_touch_on_consumer: 'Touch it where it is used',
};

// Advice begins with a few words of what to do and a colon, as a rule; else its kind stands there.
function titled(text: string, kind: string): Child[] {
  const [, title, rest] = /^([^:.]{1,48}): (.*)$/s.exec(text) ?? ['', kind, text];
  return [h('b', {}, title), ': ', rest];
}

export function adviceOf(model: Model, site: number): HTMLElement | null {
  const { advice, run } = model.data;
  const items = (advice.site ?? []).flatMap((s, i) => s !== site ? [] : [h('li', {},
    ...titled(advice.text[i], kKinds[advice.kind[i]] ?? advice.kind[i]), ' ',
    h('span', { class: 'saves' }, advice.saving[i]),
    Object.keys(advice.env[i]).length > 0 && command(tryCommand(advice.env[i], run.command)))]);
  return items.length ? h('ul', { class: 'advices' }, ...items) : null;
}
