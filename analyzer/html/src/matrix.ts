// Threads and sites: who first touched whose blocks. Rows are the dearest sites, columns the
// threads that paid most.
import { choice, code, h, replace, text, wide } from './dom';
import { count, duration, kWorthSaying, plural } from './format';
import type { Model } from './model';
import type { Names } from './names';

const kSites = 25;
const kThreads = 12;
type Metric = 'cost' | 'faults';
type Row = Map<string, { cost: number; faults: number }>; // by thread

export class MatrixView {
  private metric: Metric = 'cost';
  private readonly stage = wide('Threads by site');

  constructor(private readonly model: Model, private readonly names: Names) {
    model.onChange(() => this.fill());
  }

  draw(panel: HTMLElement): void {
    panel.append(h('div', { class: 'controls' }, choice<Metric>('Measure', [['cost', 'Fault time'], ['faults', 'Faults']], this.metric,
      (metric) => { this.metric = metric; this.fill(); })),
      h('p', { class: 'hint' }, 'A row is a site that asked for blocks; a column is a thread that touched their pages first.'), this.stage);
    this.fill();
  }

  // Of every site: what each thread paid, by "name tid".
  private cells(): Map<number, Row> {
    const { data, span } = this.model;
    const all = new Map<number, Row>();
    const add = (site: number, thread: string, cost: number, faults: number) => {
      const row = all.get(site) ?? new Map();
      const cell = row.get(thread) ?? { cost: 0, faults: 0 };
      row.set(thread, { cost: cell.cost + cost, faults: cell.faults + faults });
      all.set(site, row);
    };
    const key = (name: number, tid: number) => `${tid} ${data.strings[name]}`;
    if (!span) (data.touchers.site ?? []).forEach((site, i) =>
      add(site, key(data.touchers.name[i], data.touchers.tid[i]), data.touchers.cost[i], data.touchers.faults[i]));
    else this.model.eachSlice(span, (i, part) => {
      const { site, thread, cost, faults } = data.slices;
      if (site[i] >= 0 && thread[i] >= 0)
        add(site[i], key(data.threads.name[thread[i]], data.threads.tid[thread[i]]), part * cost[i], part * faults[i]);
    });
    return all;
  }

  // What a site paid whose toucher was not recorded.
  private unknown(site: number, row: Row): number {
    const whole = this.model.site[this.metric][site];
    const rest = [...row.values()].reduce((left, cell) => left - cell[this.metric], whole);
    return rest > kWorthSaying * whole ? rest : 0;
  }

  private fill(): void {
    const cells = this.cells();
    const value = (site: number, thread: string) => cells.get(site)?.get(thread)?.[this.metric] ?? 0;
    const perThread = new Map<string, number>();
    for (const row of cells.values()) for (const [thread, cell] of row) perThread.set(thread, (perThread.get(thread) ?? 0) + cell[this.metric]);
    const threads = [...perThread].sort((a, b) => b[1] - a[1]).map(([thread]) => thread);
    const columns = threads.slice(0, kThreads);
    const sites = [...cells.keys()].sort((a, b) => this.model.site[this.metric][b] - this.model.site[this.metric][a]);
    const unknown = new Map(sites.slice(0, kSites).map((s) => [s, this.unknown(s, cells.get(s)!)]));
    const hasUnknown = [...unknown.values()].some(Boolean);
    const most = Math.max(1, ...unknown.values(), ...sites.slice(0, kSites).flatMap((s) => columns.map((t) => value(s, t))));
    const show = this.metric === 'cost' ? duration : count;
    const cell = (v: number) => {
      const td = h('td', { class: 'number' }, v > 0 ? show(v) : text('soft', '·'));
      if (v > 0) td.style.setProperty('--heat', `${(8 + 42 * Math.sqrt(v / most)).toFixed(0)}%`);
      return td;
    };
    replace(this.stage, !sites.length ? h('p', { class: 'empty' }, 'No thread touched a tracked block here.') : h('table', { class: 'matrix' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Asked by'), ...columns.map((t) => h('th', { scope: 'col', class: 'number' },
        code(t.slice(t.indexOf(' ') + 1)), text('soft', t.slice(0, t.indexOf(' '))))), hasUnknown && h('th', { scope: 'col', class: 'number' }, 'not recorded'))),
      h('tbody', {}, ...sites.slice(0, kSites).map((s) => h('tr', {}, h('th', { scope: 'row' }, code(this.names.site(s)), ' ', text('place', this.names.sitePlace(s))),
        ...columns.map((t) => cell(value(s, t))), hasUnknown && cell(unknown.get(s)!))))),
      this.leftOut(sites.length - kSites, threads.length - kThreads));
  }

  private leftOut(sites: number, threads: number): HTMLElement | null {
    const said = [sites > 0 && plural(sites, 'cheaper site'), threads > 0 && plural(threads, 'thread')].filter(Boolean);
    return said.length ? h('p', { class: 'hint' }, `Not shown: ${said.join(', ')}.`) : null;
  }
}
