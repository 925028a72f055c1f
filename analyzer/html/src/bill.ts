// The top of the page: the bill in three numbers, the dearest site and what to do about it, the
// ledger as one bar, and where the numbers come from, in words.
import { code, command, h, meter, text, type Child } from './dom';
import { bytes, count, duration, figures, maybe, plural, share } from './format';
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

export function figuresOfBill({ data }: Model): HTMLElement {
  const { ledger, run, pool } = data;
  const faults = ledger.minor + ledger.major;
  const cpu = run.user_ns + run.system_ns;
  const known = pool.handouts - pool.unknown;
  return h('section', { class: 'figures', 'aria-label': 'The bill' },
    figure(count(faults), 'page faults',
      ledger.major ? `${count(ledger.minor)} minor, ${count(ledger.major)} major` :
        'every one a first touch or a page mapped; none needed the disk'),
    figure(duration(ledger.cost), 'in the kernel, serving them',
      [cpu > 0 && `${share(ledger.cost, cpu)} of the CPU time`,
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
    best !== undefined && h('p', { class: 'advice' }, h('b', {}, 'What to do. '), advice.text[best]),
    Object.keys(env).length > 0 && command(tryCommand(env, model.data.run.command)),
    h('button', { type: 'button', class: 'plain', onclick: () => open(site) }, 'Show its stack and who touched it'));
}

export function ledger({ data }: Model): HTMLElement {
  const { ledger } = data;
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
      h('td', {}, count(ledger.faults[i])),
      h('td', {}, share(ledger.faults[i], whole)),
      h('td', {}, maybe(ledger.row_cost[i], duration))));
  });
  return h('section', { class: 'ledger', 'aria-labelledby': 'ledger' },
    h('h2', { id: 'ledger' }, 'Whose faults they were'), bar,
    h('table', {}, h('thead', {}, h('tr', {}, ...['Owner', 'Faults', 'Share', 'Fault time'].map(
      (name) => h('th', { scope: 'col' }, name)))), body,
    h('tfoot', {}, h('tr', {}, h('th', { scope: 'row' }, 'All, as getrusage counted'),
      h('td', {}, count(ledger.minor + ledger.major)), h('td', {}, ''),
      h('td', {}, duration(ledger.cost))))));
}

function recorded({ data }: Model): string {
  const { fault_source, fault_period } = data.run;
  if (fault_source !== 'perf')
    return 'Faults could not be recorded one by one here; pages that became resident were counted instead (pagemap).';
  if (fault_period > 1)
    return `One fault in ${figures(fault_period)} was recorded by perf; counts are scaled up, and page counts stay exact.`;
  return 'Every fault was recorded by perf, with its address, its thread and its time.';
}

function priced({ data }: Model): string {
  return data.run.fault_cost === 'measured'
    ? 'Fault time is measured: the kernel’s own time in the recorded faults, less what recording adds.'
    : 'Fault time is modelled: a price per kind of fault, found by a short calibration on this machine.';
}

export function sources(model: Model): HTMLElement {
  const { run, ledger } = model.data;
  const lost = run.lost_fault_records + run.lost_block_records;
  const lines = [
    recorded(model), priced(model),
    `${share(ledger.accounted_share, 1)} of all faults have an owner.`,
    `ftprof itself took ${duration(run.self_ns)}, ${share(run.self_share, 1)} of the run.`,
    lost ? `${plural(lost, 'record')} were lost and are not in these figures.` : 'No record was lost.',
    !run.complete && 'The trace has no proper end: the run was killed, or is still going on.',
  ];
  const said = (className: string, all: string[]) => all.map((line) => h('li', { class: className }, line));
  return h('section', { class: 'sources', 'aria-labelledby': 'sources' },
    h('h2', { id: 'sources' }, 'Where the numbers come from'),
    h('ul', {}, ...lines.filter(Boolean).map((line) => h('li', {}, line as string)),
      ...said('note', run.notes), ...said('warning', run.warnings)));
}

