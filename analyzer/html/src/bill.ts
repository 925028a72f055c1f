// The top of the page: the bill in three numbers, the dearest site and what to do about it, and the
// ledger as one bar.
import type { Report } from './data';
import { code, command, h, meter, text, type Child } from './dom';
import { bytes, count, duration, kWorthSaying, maybe, plural, share } from './format';
import type { Model } from './model';
import type { Names } from './names';
import { tryCommand } from './advice';

const kOwnerWords: Record<string, [string, string]> = {
  blocks: ['Blocks', 'named site by site below'],
  small_heap: ['Small heap', 'under the tracked size'],
  stack: ['Stacks', 'of all threads'],
  file: ['Files and images', 'program and libraries'],
  other_anonymous: ['Other anonymous', 'mappings no call announced'],
  kernel_copy: ['Kernel copies', 'touched by the kernel'],
  profiler: ['ftprof itself', 'not the program’s bill'],
  unattributed: ['Unattributed', 'no owner found'],
};

export const ownerWords = (owner: string): [string, string] => kOwnerWords[owner] ?? [owner, ''];

export function header({ data }: Model): HTMLElement {
  const { run } = data;
  const started = run.start_unix_ms ? new Date(run.start_unix_ms).toLocaleString('en-GB', {
    dateStyle: 'long', timeStyle: 'short' }) : '';
  const about = [
    `ran ${duration(run.duration_ns)}`,
    `${run.allocator || 'unknown allocator'} ${run.allocator_version}`.trim(),
    `Linux ${run.kernel}, ${plural(run.cpus, 'CPU')}, ${bytes(run.page_bytes)} pages`,
    started,
  ].filter(Boolean);
  return h('header', {},
    h('p', { class: 'kicker' }, h('b', {}, 'ftprof'), ' first-touch report'),
    h('h1', {}, code(run.command.join(' ') || '(unknown command)')),
    h('p', { class: 'about' }, about.join(' · ')));
}

function figure(value: string, name: string, note: Child): HTMLElement {
  return h('div', { class: 'figure' },
    h('p', { class: 'value' }, value), h('p', { class: 'name' }, name), h('p', { class: 'note' }, note));
}

// Fault time is time on the clock: it may be more than the CPU time where faults had to wait.
function besideCpu({ data: { ledger, run } }: Model): string {
  const cpu = run.user_ns + run.system_ns;
  if (cpu <= 0) return '';
  return ledger.cost <= cpu ? `${share(ledger.cost, cpu)} of the CPU time` : `more than the CPU time of ${duration(cpu)}`;
}

function costError({ data: { sites } }: Model): string {
  const variance = (sites.error ?? []).reduce<number>((sum, error) => sum + (error ?? 0) ** 2, 0);
  return variance > 0 ? `±${duration(Math.sqrt(variance))}` : '';
}

function kindsOfFault({ data: { ledger, processes } }: Model): string {
  const own = ledger.faults[ledger.owner.indexOf('profiler')] ?? 0;
  const all = ledger.minor + ledger.major;
  return [
    processes.name.length > 1 && `in ${plural(processes.name.length, 'process', 'processes')}`,
    ledger.major ? `${count(ledger.minor)} minor, ${count(ledger.major)} major` : 'none needed the disk',
    own > kWorthSaying * all && `${count(own)} are ftprof’s own`,
  ].filter(Boolean).join('; ');
}

export function figuresOfBill(model: Model): HTMLElement {
  const { ledger, pool } = model.data;
  const faults = ledger.minor + ledger.major;
  const known = pool.handouts - pool.unknown;
  return h('section', { class: 'figures', 'aria-label': 'The bill' },
    figure(count(faults), 'page faults', kindsOfFault(model)),
    figure(duration(ledger.cost), 'in the kernel, serving them',
      [costError(model), besideCpu(model),
        faults > 0 && `${duration(ledger.cost / faults)} a fault`].filter(Boolean).join(', ')),
    figure(share(pool.warm, known), 'of hand-outs came warm',
      known ? `${count(pool.warm)} of ${count(known)} found their pages resident; ` +
        `that spared ${count(pool.saved_faults)} faults` :
        'no hand-out was looked up'));
}

export function dearest(model: Model, names: Names, open: (site: number) => void): HTMLElement | null {
  const site = model.order[0];
  if (site === undefined || !model.data.sites.faults[site]) return null;
  const { sites, ledger, advice } = model.data;
  const mine = (advice.site ?? []).map((s, i) => [s, i]).filter(([s]) => s === site);
  const best = mine[0]?.[1];
  const env = best === undefined ? {} : advice.env[best];
  return h('section', { class: 'dearest', 'aria-labelledby': 'dearest' },
    h('h2', { id: 'dearest' }, 'The dearest site'),
    h('p', { class: 'who' }, code(names.site(site)), ' ', text('place', names.sitePlace(site))),
    h('p', {}, 'Its blocks paid ', h('b', {}, plural(sites.faults[site], 'fault')), ' and ',
      h('b', {}, duration(sites.cost[site])), ` of fault time: ${share(sites.cost[site], ledger.cost)} of the bill.`),
    meter(sites.cost[site], ledger.cost),
    best !== undefined && h('p', { class: 'advice' }, h('b', {}, 'What to do. '), advice.text[best], ' ',
      h('span', { class: 'saves' }, advice.saving[best])),
    Object.keys(env).length > 0 && command(tryCommand(env, model.data.run.command)),
    h('button', { type: 'button', class: 'plain', onclick: () => open(site) }, 'Show its stack and who touched it'));
}

// What processes paid that left no trace, where it is worth saying. `ftprof run` counts it.
export function untraced({ ledger }: Report): number {
  const faults = ledger.untraced_faults ?? 0;
  return faults > kWorthSaying * (ledger.run_faults ?? Infinity) ? faults : 0;
}

function total(name: string, meaning: string, faults: number, cost = ''): HTMLElement {
  return h('tr', {}, h('th', { scope: 'row' }, name, meaning && text('meaning', meaning)),
    h('td', {}, count(faults)), h('td', {}, ''), h('td', {}, cost));
}

function totals({ data }: Model): HTMLElement {
  const { ledger, run } = data;
  const others = untraced(data);
  const least = run.settings['blocks.min_size'];
  return h('tfoot', {}, total('All, as getrusage counted', '', ledger.minor + ledger.major, duration(ledger.cost)),
    ...(others ? [
      total('Without a trace', `processes that asked for no block of ${least || 'the tracked size'}`, others),
      total('All of the run', '', ledger.run_faults!)] : []));
}

export function ledger(model: Model): HTMLElement {
  const { ledger } = model.data;
  const whole = ledger.faults.reduce((a, b) => a + b, 0);
  const bar = h('div', { class: 'ledger-bar', 'aria-hidden': 'true' });
  const body = h('tbody');
  ledger.owner.forEach((owner, i) => {
    const part = h('i', { class: `o-${owner}`, title: `${ownerWords(owner)[0]}: ${count(ledger.faults[i])}` });
    part.style.flexGrow = String(ledger.faults[i]);
    if (ledger.faults[i]) bar.append(part);
    const [name, meaning] = ownerWords(owner);
    body.append(h('tr', { class: ledger.faults[i] ? '' : 'nothing' },
      h('th', { scope: 'row' }, h('i', { class: `swatch o-${owner}` }), name, text('meaning', meaning)),
      h('td', {}, count(ledger.faults[i]), text('error', maybe(ledger.row_error[i], (error) => ` ±${count(error)}`, ''))),
      h('td', {}, share(ledger.faults[i], whole)),
      h('td', {}, maybe(ledger.row_cost[i], duration))));
  });
  return h('section', { class: 'ledger', 'aria-labelledby': 'ledger' },
    h('h2', { id: 'ledger' }, 'Whose faults they were'), bar,
    h('table', {}, h('thead', {}, h('tr', {}, ...['Owner', 'Faults', 'Share', 'Fault time'].map(
      (name) => h('th', { scope: 'col' }, name)))), body,
    totals(model)));
}
