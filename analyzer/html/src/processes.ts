// Processes of the run, and the spread over ranks where they have them.
import { untraced } from './bill';
import { code, h, meter, text, wide } from './dom';
import { bytes, count, duration, plural } from './format';
import type { Model } from './model';

function spread(values: number[]): { median: number; least: number; most: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2, least: sorted[0], most: sorted[sorted.length - 1] };
}

function ranks({ data }: Model): HTMLElement | null {
  const { processes } = data;
  const ranked = processes.rank.map((rank, i) => ({ rank, cost: processes.cost[i] })).filter(({ rank }) => rank !== '');
  if (ranked.length < 2) return null;
  const { median, least, most } = spread(ranked.map(({ cost }) => cost));
  const outlier = ranked.find(({ cost }) => cost === most)!;
  return h('p', { class: 'verdict' }, `${plural(ranked.length, 'rank')}: fault time from ${duration(least)} to ${duration(most)}, median ${duration(median)}. `,
    most > 1.2 * median && `Rank ${outlier.rank} stands out, at ${(most / median).toFixed(1)} times the median.`);
}

export function drawProcesses(model: Model, panel: HTMLElement): void {
  const { processes: p } = model.data;
  const most = Math.max(...p.cost, 1);
  const order = p.name.map((_, i) => i).sort((a, b) => p.cost[b] - p.cost[a]);
  const withRanks = p.rank.some(Boolean);
  const head = [withRanks && 'Rank', 'Process', 'Command'].filter(Boolean) as string[];
  const numbers = ['Fault time', 'Minor faults', 'Major', 'Most resident', 'Started', 'Ran'];
  const note = ranks(model);
  if (note) panel.append(note);
  const others = untraced(model.data);
  if (others) panel.append(h('p', { class: 'verdict untraced' }, `${count(others)} of the run’s ${count(model.data.ledger.run_faults!)} faults are of processes that left no trace: they asked for no large block.`));
  panel.append(wide('Processes', h('table', { class: 'ranked' },
    h('thead', {}, h('tr', {}, ...head.map((n) => h('th', { scope: 'col' }, n)), ...numbers.map((n) => h('th', { scope: 'col', class: 'number' }, n)))),
    h('tbody', {}, ...order.slice(0, 500).map((i) => h('tr', {}, withRanks && h('td', {}, p.rank[i]),
      h('th', { scope: 'row' }, code(p.name[i]), ' ', text('soft', String(p.pid[i])), !p.complete[i] && text('tag', 'no proper end')),
      h('td', { class: 'clip' }, code(p.command[i].join(' '))),
      h('td', { class: 'number' }, meter(p.cost[i], most), duration(p.cost[i])),
      ...[count(p.minor[i]), count(p.major[i]), bytes(p.peak[i]), duration(p.start[i]), duration(p.duration[i])].map((v) => h('td', { class: 'number' }, v)))))),
    h('p', { class: 'hint' }, 'This view is always of the whole run.')));
}
