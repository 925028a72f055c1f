// The page of a comparison: what differs beyond the noise, the variants side by side with every
// run as a dot, the sites that differ most, the flame graph of the difference, advice tried.
import { kKinds } from './advice';
import { DiffFlameView } from './compare_flame';
import type { Comparison, Sample, Variant } from './compare_data';
import { code, h, text, wide, type Child } from './dom';
import { bytes, count, duration, maybe, plural, share } from './format';
import { Names } from './names';
import { Tabs } from './tabs';

const kShow = { count, ns: duration, bytes, share: (v: number) => share(v, 1) };
const kRows = 200;
const kNamed: Record<string, string> = {
  faults: 'Faults', fault_cost_ns: 'Fault time', wall_ns: 'Wall time', cpu_ns: 'CPU time',
  peak_resident_bytes: 'Most resident', final_resident_bytes: 'Resident at the end', handouts: 'Hand-outs',
  fresh: 'Fresh', warm: 'Warm', partial: 'Partial', cold: 'Cold', purged_pages: 'Purged pages',
  refaulted_after_purge_pages: 'Paid again after a purge',
};

export function header(data: Comparison): HTMLElement {
  return h('header', {},
    h('p', { class: 'kicker' }, h('b', {}, 'ftprof'), ' comparison'),
    h('h1', {}, code(data.command.join(' '))),
    h('p', { class: 'about' }, `${plural(data.columns.length, 'variant')}, ${plural(data.rounds, 'run')} of each, interleaved · `,
      `told from noise by: ${data.noise_rule}`));
}

export function verdicts(data: Comparison): HTMLElement {
  const failures = data.columns.flatMap(({ name, failures }) => failures.map((line) => `${name}: ${line}`));
  return h('section', { class: 'verdicts', 'aria-label': 'What differs' },
    ...data.sentences.map((line) => h('p', { class: 'verdict' }, line)),
    ...failures.map((line) => h('p', { class: 'failure' }, line)),
    ...data.notes.map((line) => h('p', { class: 'hint' }, line)));
}

// Every run as a dot between the least and the most of all variants.
function dots(sample: Sample, least: number, most: number): HTMLElement {
  const strip = h('span', { class: 'dots', 'aria-hidden': 'true' });
  for (const value of sample.values) {
    const dot = h('i');
    dot.style.left = `${most > least ? (100 * (value - least)) / (most - least) : 50}%`;
    strip.append(dot);
  }
  return strip;
}

function change(sample: Sample, reference: Sample): Child {
  if (sample.noise === 'unknown' || sample === reference || !reference.middle) return null;
  if (sample.change === 0) return text('soft', 'the same');
  const by = sample.change / reference.middle;
  const words = `${by > 0 ? '+' : '−'}${share(Math.abs(by), 1)}`;
  return text(sample.noise === 'within' ? 'soft' : by > 0 ? 'worse' : 'better', sample.noise === 'within' ? 'in the noise' : words);
}

function quantityRow(columns: Variant[], i: number): HTMLElement {
  const samples = columns.map((column) => column.samples[i]);
  const all = samples.flatMap(({ values }) => values);
  const [least, most] = [Math.min(...all, Infinity), Math.max(...all, -Infinity)];
  return h('tr', {}, h('th', { scope: 'row' }, kNamed[samples[0].name] ?? samples[0].name),
    ...samples.map((sample) => h('td', { class: 'number' }, sample.values.length ? dots(sample, least, most) : null,
      h('b', {}, sample.values.length ? kShow[sample.unit](sample.middle) : '–'), ' ', change(sample, samples[0]))));
}

export function variants({ columns }: Comparison): HTMLElement {
  return h('section', { class: 'variants', 'aria-labelledby': 'variants' }, h('h2', { id: 'variants' }, 'Side by side'),
    h('p', { class: 'hint' }, 'Medians of the runs; each dot is one run, from the least on the left to the most of all variants on the right.'),
    wide('Variants', h('table', { class: 'ranked' },
      h('thead', {}, h('tr', {}, h('td', {}), ...columns.map((column) =>
        h('th', { scope: 'col', class: 'number' }, code(column.name), text('soft', ` ${plural(column.runs, 'run')}`))))),
      h('tbody', {}, ...columns[0].samples.map((_, i) => quantityRow(columns, i))))));
}

function drawSites(data: Comparison, names: Names, panel: HTMLElement): void {
  const { sites, columns } = data;
  const row = (s: number) => {
    const faults = columns.map((_, v) => sites.faults[v][s]);
    const most = Math.max(...faults.map((f) => f ?? 0), 1);
    const differs = faults.some((f) => f !== faults[0]);
    return h('tr', {}, h('th', { scope: 'row' }, code(names.site(s)), ' ', text('place', names.sitePlace(s))),
      ...faults.map((f) => {
        const cell = h('td', { class: 'number' }, maybe(f, count));
        if (f && differs) cell.style.setProperty('--heat', `${(4 + (40 * f) / most).toFixed(0)}%`);
        return cell;
      }));
  };
  panel.append(h('p', { class: 'hint' }, 'Faults of each site, matched by stack; those that differ most come first.'),
    wide('Sites', h('table', { class: 'matrix' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Site'), ...columns.map(({ name }) => h('th', { scope: 'col', class: 'number' }, code(name))))),
      h('tbody', {}, ...sites.id.slice(0, kRows).map((_, s) => row(s))))));
  if (sites.id.length > kRows) panel.append(h('p', { class: 'hint' }, `Not shown: ${plural(sites.id.length - kRows, 'site')} that differ less.`));
}

function drawTrials({ trials }: Comparison, panel: HTMLElement): void {
  panel.append(wide('Advice tried', h('table', { class: 'ranked' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Advice'), h('th', { scope: 'col' }, 'Tried with'),
      ...['Faults predicted', 'Measured', 'Time predicted', 'Measured'].map((n) => h('th', { scope: 'col', class: 'number' }, n)))),
    h('tbody', {}, ...trials.map((trial) => h('tr', {},
      h('th', { scope: 'row' }, kKinds[trial.kind] ?? trial.kind, ' ', text('soft', trial.sites.join(', '))),
      h('td', {}, code(Object.entries(trial.env).map(([k, v]) => `${k}=${v}`).join(' '))),
      ...[count(trial.predicted_faults), maybe(trial.measured_faults, count), maybe(trial.predicted_ns, duration), maybe(trial.measured_ns, duration)].map(
        (v) => h('td', { class: 'number' }, v))))))));
}

export function views(data: Comparison): Tabs {
  const names = new Names(data);
  const tabs = [
    { id: 'sites', name: 'Sites', draw: (panel: HTMLElement) => drawSites(data, names, panel) },
    { id: 'flame', name: 'Flame graph of the difference', draw: (panel: HTMLElement) => new DiffFlameView(data, names).draw(panel) },
  ];
  if (data.trials.length) tabs.push({ id: 'advice', name: 'Advice tried', draw: (panel) => drawTrials(data, panel) });
  return new Tabs(tabs);
}
