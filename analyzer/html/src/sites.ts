// The table of sites: sorted by any column, filtered by any name on the stack, each row opening to
// its details. A page of rows is in the document at a time, so its size does not matter.
import { type Child, code, h, meter, replace, text, wide } from './dom';
import { bytes, count, duration, plural, share } from './format';
import { kKinds } from './advice';
import { details } from './site_details';
import type { Model } from './model';
import type { Names } from './names';

const kPage = 100;

interface Column {
  name: string;
  key: (site: number) => number | string;
  cell: (site: number) => Child[];
  number?: boolean;
}

export class SitesView {
  private sort: { column: number; descending: boolean };
  private query = '';
  private shown = kPage;
  private readonly open = new Set<number>();
  private whole = 0; // fault time of all sites

  private readonly body = h('tbody');
  private readonly heads: HTMLElement[] = [];
  private readonly more = h('div', { class: 'more' });
  private readonly tally = h('span', { class: 'found', role: 'status' });
  private readonly columns: Column[];
  private readonly haystack = new Map<number, string>();
  private readonly adviceKinds = new Map<number, string[]>();

  constructor(private readonly model: Model, private readonly names: Names) {
    const { advice } = model.data;
    (advice.site ?? []).forEach((site, i) =>
      this.adviceKinds.set(site, [...(this.adviceKinds.get(site) ?? []), advice.kind[i]]));
    this.columns = this.makeColumns();
    this.sort = { column: this.columns.findIndex(({ name }) => name === 'Fault time'), descending: true };
    model.onChange(() => this.fill());
  }

  draw(panel: HTMLElement): void {
    const filter = h('input', { type: 'search', placeholder: 'Filter by function, file or module', 'aria-label': 'Filter sites',
      oninput: () => { this.query = filter.value.trim().toLowerCase(); this.shown = kPage; this.fill(); } });
    this.heads.push(...this.columns.map((column, i) => h('th', { scope: 'col', class: column.number ? 'number' : '' },
      h('button', { type: 'button', onclick: () => this.sortBy(i) }, column.name))));
    panel.append(h('div', { class: 'controls' }, filter, this.tally),
      wide('Sites', h('table', { class: 'sites' }, h('thead', {}, h('tr', {}, ...this.heads)), this.body)), this.more);
    this.fill();
  }

  // Opens one site and brings it into view.
  reveal(site: number): void {
    this.query = '';
    this.open.add(site);
    this.shown = Math.max(kPage, this.visible().indexOf(site) + 1);
    this.fill();
    const row = this.body.querySelector<HTMLElement>(`tr[data-site="${site}"]`);
    row?.scrollIntoView({ block: 'start', behavior: 'smooth' });
    row?.querySelector('button')?.focus({ preventScroll: true });
  }

  private makeColumns(): Column[] {
    const { sites, processes } = this.model.data;
    const site = () => this.model.site;
    const columns: Column[] = [
      { name: 'Site', key: (s) => this.names.site(s), cell: (s) => this.nameCell(s) },
      { name: 'Fault time', number: true, key: (s) => site().cost[s],
        cell: (s) => [meter(site().cost[s], this.whole), h('b', {}, duration(site().cost[s])), text('soft', share(site().cost[s], this.whole))] },
      { name: 'Faults', number: true, key: (s) => site().faults[s], cell: (s) => [count(site().faults[s])] },
      { name: 'Never touched', number: true, key: (s) => site().untouched[s],
        cell: (s) => [site().untouched[s] > 0 ? bytes(site().untouched[s]) : '–'] },
      { name: 'Hand-outs', number: true, key: (s) => sites.count[s], cell: (s) => [this.classes(s), count(this.handouts(s))] },
      { name: 'What to do', key: (s) => (this.adviceKinds.get(s) ?? []).join(),
        cell: (s) => (this.adviceKinds.get(s) ?? []).map((kind) => text('tag', kKinds[kind] ?? kind)) },
    ];
    if (processes.name.length > 1)
      // By name only: one site may be of many processes of one program.
      columns.splice(1, 0, { name: 'Program', key: (s) => processes.name[sites.process[s]] ?? '',
        cell: (s) => [text('process', processes.name[sites.process[s]] ?? '')] });
    return columns;
  }

  private handouts(s: number): number {
    const { site, span, data } = this.model;
    return span ? site.fresh[s] + site.warm[s] + site.partial[s] + site.cold[s] : data.sites.count[s];
  }

  private classes(s: number): HTMLElement {
    const { site } = this.model;
    const bar = h('span', { class: 'classes' });
    const said: string[] = [];
    for (const name of ['warm', 'partial', 'cold', 'fresh'] as const) {
      if (!site[name][s]) continue;
      const part = h('i', { class: `c-${name}` });
      part.style.flexGrow = String(site[name][s]);
      bar.append(part);
      said.push(`${count(site[name][s])} ${name}`);
    }
    bar.setAttribute('role', 'img');
    bar.setAttribute('aria-label', said.join(', ') || 'not looked up');
    bar.title = said.join(', ');
    return bar;
  }

  private nameCell(s: number): Child[] {
    const frame = this.names.siteFrame(s);
    return [
      h('button', { type: 'button', class: 'opener', 'aria-expanded': String(this.open.has(s)), onclick: () => this.toggle(s) },
        code(this.names.site(s))),
      h('span', { class: 'place' }, this.names.sitePlace(s), frame >= 0 && text('soft', this.names.moduleBeside(frame))),
    ];
  }

  private toggle(site: number): void {
    if (!this.open.delete(site)) this.open.add(site);
    const row = this.body.querySelector<HTMLElement>(`tr[data-site="${site}"]`)!;
    row.querySelector('.opener')!.setAttribute('aria-expanded', String(this.open.has(site)));
    if (this.open.has(site)) row.after(this.detailRow(site));
    else row.nextElementSibling!.remove();
  }

  private detailRow(site: number): HTMLElement {
    return h('tr', { class: 'details' }, h('td', { colspan: this.columns.length }, details(this.model, this.names, site)));
  }

  private sortBy(column: number): void {
    const same = column === this.sort.column;
    this.sort = { column, descending: same ? !this.sort.descending : Boolean(this.columns[column].number) };
    this.fill();
  }

  private matches(site: number): boolean {
    if (!this.query) return true;
    let hay = this.haystack.get(site);
    if (hay === undefined) {
      hay = this.names.stack(site).map((f) => `${this.names.function(f)} ${this.names.file(f)} ${this.names.module(f)}`).join('\n').toLowerCase();
      this.haystack.set(site, hay);
    }
    return hay.includes(this.query);
  }

  private visible(): number[] {
    const { key } = this.columns[this.sort.column];
    const sign = this.sort.descending ? -1 : 1;
    const keyed = this.model.order.filter((site) => this.matches(site)).map((site) => [key(site), site] as const);
    keyed.sort(([a], [b]) => sign * (typeof a === 'string' ? a.localeCompare(b as string) : a - (b as number)));
    return keyed.map(([, site]) => site);
  }

  private fill(): void {
    if (!this.heads.length) return;
    this.whole = this.model.total('cost');
    const sites = this.visible();
    const rows = sites.slice(0, this.shown).flatMap((site) => [
      h('tr', { 'data-site': site }, ...this.columns.map((column, i) =>
        h(i ? 'td' : 'th', i ? { class: column.number ? 'number' : '' } : { scope: 'row' }, ...column.cell(site)))),
      this.open.has(site) ? this.detailRow(site) : null]);
    replace(this.body, ...rows);
    this.heads.forEach((head, i) => head.setAttribute('aria-sort',
      i !== this.sort.column ? 'none' : this.sort.descending ? 'descending' : 'ascending'));
    this.tally.textContent = this.query ? `${count(sites.length)} of ${plural(this.model.order.length, 'site')}` : plural(sites.length, 'site');
    const left = sites.length - this.shown;
    replace(this.more, left > 0 && h('button', { type: 'button', onclick: () => { this.shown += 5 * kPage; this.fill(); } },
      `Show ${count(Math.min(left, 5 * kPage))} more of ${count(left)}`));
  }
}
