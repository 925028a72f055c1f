// The pool: does the allocator spare the program the second first touch? Its hand-outs by class,
// what it kept resident over time, who fed whom.
import { Chart } from './chart';
import { code, facts, h, meter, text, type Child } from './dom';
import { bytes, count, duration, maybe, share, short } from './format';
import type { Model } from './model';
import type { Names } from './names';
import { onTheme } from './theme';

function classBar(pool: Model['data']['pool']): HTMLElement {
  const bar = h('div', { class: 'ledger-bar', 'aria-hidden': 'true' });
  const keys: Child[] = [];
  for (const [name, meaning] of [['warm', 'at least 90 % resident'], ['partial', 'between'], ['cold', 'at most 10 %'], ['fresh', 'cold, on new addresses']] as const) {
    const part = h('i', { class: `c-${name}` });
    part.style.flexGrow = String(pool[name]);
    if (pool[name]) bar.append(part);
    keys.push(h('span', { class: `key k-${name}` }, h('b', {}, count(pool[name])), ` ${name} `, text('soft', meaning)));
  }
  return h('div', {}, bar, h('p', { class: 'keys' }, ...keys));
}

export class PoolView {
  private readonly charts: Chart[] = [];

  constructor(private readonly model: Model, private readonly names: Names) {
    onTheme(() => this.charts.forEach((chart) => chart.redraw()));
  }

  draw(panel: HTMLElement): void {
    const { pool } = this.model.data;
    panel.append(...pool.verdicts.map((line) => h('p', { class: 'verdict' }, line)), classBar(pool), this.figures());
    this.charts.push(this.idleOverTime(), this.classesOverTime());
    panel.append(...this.charts.map((chart) => chart.element), h('div', { class: 'two' }, this.feeds(), this.idle()),
      h('p', { class: 'hint' }, 'This view is always of the whole run.'));
  }

  private figures(): HTMLElement {
    const { pool, run } = this.model.data;
    const size = (pages: number) => bytes(pages * run.page_bytes);
    const all: [string, string][] = [
      ['found resident at hand-out', size(pool.resident_pages)], ['faults spared', count(pool.saved_faults)],
      ['purged', size(pool.purged_pages)],
      ['paid again after a purge', `${size(pool.refaulted_pages)}, ${duration(pool.refault_cost)}`],
      ['most kept idle', bytes(pool.idle_peak_bytes)], ['idle at the end', bytes(pool.idle_at_end_bytes)],
      ['give-back to next hand-out', `${maybe(pool.reuse_p50, duration)} median, ${maybe(pool.reuse_p90, duration)} at 90 %`],
      ['to another thread', count(pool.cross_thread)]];
    if (run.numa_nodes > 1) all.push(['to another node', count(pool.cross_node)]);
    return facts(all);
  }

  private times(values: number[] | undefined): number[] {
    return (values ?? []).map((_, i) => (i * this.model.data.timeline.interval) / 1e9);
  }

  private idleOverTime(): Chart {
    const { pool, timeline } = this.model.data;
    const idle = pool.over_time.idle_bytes ?? [];
    return new Chart({
      title: 'Resident memory: all, and idle in given-back blocks', height: 150, stacked: false, format: bytes,
      times: this.times(idle), marks: { phases: [], warmupEnd: null },
      series: [{ name: 'idle', colour: 'partial', values: idle }, { name: 'resident', colour: 'resident', values: timeline.resident ?? [] }] });
  }

  private classesOverTime(): Chart {
    const { pool } = this.model.data;
    return new Chart({
      title: 'Hand-outs by class', height: 130, stacked: true, format: short,
      times: this.times(pool.over_time.warm), marks: { phases: [], warmupEnd: null },
      series: (['warm', 'partial', 'cold', 'fresh'] as const).map((name) => ({ name, colour: name, values: pool.over_time[name] ?? [] })) });
  }

  private siteName(id: string): HTMLElement {
    const site = this.model.siteById.get(id);
    return code(site === undefined ? id : this.names.site(site));
  }

  private feeds(): HTMLElement | null {
    const { feeds } = this.model.data.pool;
    if (!feeds.from?.length) return null;
    const most = Math.max(...feeds.pages);
    return h('section', {}, h('h3', {}, 'Who gave pages to whom'), h('table', { class: 'ranked' },
      h('thead', {}, h('tr', {}, ...['From', 'To'].map((n) => h('th', { scope: 'col' }, n)), ...['Hand-outs', 'Pages'].map((n) => h('th', { scope: 'col', class: 'number' }, n)))),
      h('tbody', {}, ...feeds.from.map((from, i) => h('tr', {}, h('td', {}, this.siteName(from)), h('td', {}, this.siteName(feeds.to[i])),
        h('td', { class: 'number' }, count(feeds.handouts[i])), h('td', { class: 'number' }, meter(feeds.pages[i], most, 'warm'), count(feeds.pages[i])))))));
  }

  private idle(): HTMLElement | null {
    const { idle } = this.model.data.pool;
    if (!idle.site?.length) return null;
    return h('section', {}, h('h3', {}, 'Idle longest, still resident'), h('table', { class: 'ranked' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Given back by'), ...['Resident', 'Idle for'].map((n) => h('th', { scope: 'col', class: 'number' }, n)))),
      h('tbody', {}, ...idle.site.map((site, i) => h('tr', {}, h('td', {}, this.siteName(site)),
        h('td', { class: 'number' }, `${bytes(idle.resident[i])} (${share(idle.resident[i], idle.bytes[i])})`), h('td', { class: 'number' }, duration(idle.ns[i])))))));
  }
}
