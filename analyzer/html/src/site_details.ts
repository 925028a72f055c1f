// Everything known about one site: its stack, who touched it, how its pages fared, what to do.
import { adviceOf } from './advice';
import { code, facts, h, meter, text, type Child } from './dom';
import { bytes, count, duration, figures, kWorthSaying, maybe, share } from './format';
import type { Model } from './model';
import type { Names } from './names';

function part(title: string, ...children: Child[]): HTMLElement | null {
  return children.some(Boolean) ? h('section', {}, h('h3', {}, title), ...children) : null;
}

// One line a frame, innermost first: what it is, where, and whether it was inlined.
function stackOf(model: Model, names: Names, site: number): HTMLElement {
  const top = model.data.sites.top[site];
  const lines = names.stack(site).map((frame, i) => h('li', { class: i < top ? 'runtime' : i === top ? 'own' : '' },
    code(names.function(frame)), names.inlined(frame) && text('tag', 'inlined'),
    names.nearest(frame) && text('tag', 'nearest symbol'),
    h('span', { class: 'place' }, names.place(frame), text('soft', names.moduleBeside(frame)))));
  return h('ol', { class: 'stack' }, ...lines);
}

interface Touch {
  label: Child[];
  faults: number;
  cost: number;
}

// What the site paid beyond those: its toucher is not known where faults were not recorded one by one.
function unrecorded({ site }: Model, s: number, rows: Touch[]): Touch {
  const left = (all: number, of: 'faults' | 'cost') => {
    const rest = all - rows.reduce((sum, row) => sum + row[of], 0);
    return rest > kWorthSaying * all ? rest : 0;
  };
  return { label: [text('soft', 'not recorded')], faults: left(site.faults[s], 'faults'), cost: left(site.cost[s], 'cost') };
}

function ranked(name: string, rows: Touch[]): HTMLElement | null {
  const sorted = rows.filter(({ faults, cost }) => faults > 0 || cost > 0).sort((a, b) => b.cost - a.cost || b.faults - a.faults);
  if (!sorted.length) return null;
  const most = sorted[0].cost || 1;
  return h('table', { class: 'ranked' }, h('thead', {}, h('tr', {},
    h('th', { scope: 'col' }, name), h('th', { scope: 'col', class: 'number' }, 'Faults'), h('th', { scope: 'col', class: 'number' }, 'Fault time'))),
  h('tbody', {}, ...sorted.slice(0, 12).map(({ label, faults, cost }) => h('tr', {},
    h('th', { scope: 'row' }, ...label), h('td', { class: 'number' }, count(faults)),
    h('td', { class: 'number' }, meter(cost, most), duration(cost))))));
}

function touchSites(model: Model, names: Names, site: number): HTMLElement | null {
  const { data, touch, firstTouch } = model;
  const rows = [];
  for (let i = firstTouch[site]; i < firstTouch[site + 1]; i++) {
    const frame = data.touches.frame[i];
    rows.push({ label: [code(names.function(frame)), ' ', text('place', names.place(frame))], faults: touch.faults[i], cost: touch.cost[i] });
  }
  return ranked('Touched by the code', [...rows, unrecorded(model, site, rows)]);
}

function threads(model: Model, site: number): HTMLElement | null {
  const { data, span } = model;
  if (!span) {
    const { touchers } = data;
    const rows = (touchers.site ?? []).flatMap((s, i) => s !== site ? [] : [{
      label: [code(data.strings[touchers.name[i]]), ' ', text('soft', String(touchers.tid[i]))], faults: touchers.faults[i], cost: touchers.cost[i] }]);
    return ranked('Touched by the thread', [...rows, unrecorded(model, site, rows)]);
  }
  const sums = new Map<number, { faults: number; cost: number }>();
  model.eachSlice(span, (i, share) => {
    if (data.slices.site[i] !== site || data.slices.thread[i] < 0) return;
    const sum = sums.get(data.slices.thread[i]) ?? { faults: 0, cost: 0 };
    sums.set(data.slices.thread[i], { faults: sum.faults + share * data.slices.faults[i], cost: sum.cost + share * data.slices.cost[i] });
  });
  const rows = [...sums].map(([t, sum]) =>
    ({ label: [code(data.strings[data.threads.name[t]]), ' ', text('soft', String(data.threads.tid[t]))], ...sum }));
  return ranked('Touched by the thread', [...rows, unrecorded(model, site, rows)]);
}

function phases({ data }: Model, site: number): HTMLElement | null {
  const { site_phases } = data;
  return ranked('In the phase', (site_phases.site ?? []).flatMap((s, i) => s !== site ? [] : [{
    label: [data.strings[site_phases.name[i]]], faults: site_phases.faults[i], cost: site_phases.cost[i] }]));
}

function kinds({ data }: Model, s: number): HTMLElement {
  const { sites } = data;
  const all: [string, number][] = [
    ['first write', sites.write[s]], ['first read (zero page)', sites.zero_read[s]],
    ['write after zero page', sites.write_after_zero_read[s]], ['huge page', sites.huge[s]],
    ['inside the call', sites.in_call[s]], ['kernel copy', sites.kernel_copy[s]],
    ['from disk or swap', sites.major[s]], ['other', sites.other[s]]];
  return facts(all.filter(([, n]) => n).map(([name, n]) => [name, count(n)]));
}

function pages({ data }: Model, s: number): HTMLElement {
  const { sites, run } = data;
  const size = (pages: number) => bytes(pages * run.page_bytes);
  const all: [string, Child][] = [
    ['handed out', size(sites.handed_out[s])], ['touched', `${size(sites.touched[s])} (${share(sites.touched[s], sites.handed_out[s])})`],
    ['never touched', size(sites.untouched[s])]];
  if (sites.zero[s]) all.push(['zero page only', size(sites.zero[s])]);
  if (sites.huge_pages[s]) all.push(['in huge pages', size(sites.huge_pages[s])]);
  if (sites.could_be_huge[s]) all.push(['could be huge', size(sites.could_be_huge[s])]);
  return facts(all);
}

function blocks({ data }: Model, names: Names, s: number): HTMLElement {
  const { sites, strings } = data;
  const sampled = sites.one_in[s] > 1 ? `, recorded one in ${figures(sites.one_in[s])}` : '';
  return facts([
    ['asked by', code(strings[sites.api[s]])], ['blocks', count(sites.count[s]) + sampled], ['asked for', bytes(sites.bytes[s])],
    ['most at once', bytes(sites.peak[s])], ['still live at the end', count(sites.live[s])],
    ['time asking', duration(sites.alloc_ns[s])], ['time giving back', duration(sites.free_ns[s])], ['site', code(sites.id[s])]]);
}

function price({ data }: Model, s: number): HTMLElement {
  const { sites } = data;
  const error = sites.error[s] ? ` ± ${duration(sites.error[s]!)}` : '';
  return facts([['total', duration(sites.cost[s]) + error], ['median', maybe(sites.p50[s], duration)], ['90 % under', maybe(sites.p90[s], duration)],
    ['99 % under', maybe(sites.p99[s], duration)], ['dearest', maybe(sites.max[s], duration)]]);
}

function reuse({ data, site }: Model, s: number): HTMLElement {
  const { sites, run } = data;
  const all: [string, number, (v: number) => string][] = [
    ['warm', site.warm[s], count], ['partial', site.partial[s], count], ['cold', site.cold[s], count], ['fresh', site.fresh[s], count],
    ['not looked up', sites.unknown[s], count], ['from another thread', sites.cross_thread[s], count], ['from another node', sites.cross_node[s], count],
    ['purged', sites.purged[s] * run.page_bytes, bytes], ['paid again after a purge', sites.refaulted[s] * run.page_bytes, bytes]];
  return facts(all.filter(([, value]) => value).map(([name, value, show]) => [name, show(value)]));
}

function placement({ data }: Model, s: number): HTMLElement | null {
  const { placement } = data;
  const rows = (placement.site ?? []).flatMap((site, i) => site !== s ? [] :
    [[`node ${placement.node[i]}`, `${count(placement.pages[i])} pages`] as [string, string]]);
  return rows.length ? facts(rows) : null;
}

export function details(model: Model, names: Names, site: number): HTMLElement {
  return h('div', { class: 'site-details' },
    part('What to do', adviceOf(model, site)),
    h('div', { class: 'two' },
      part('The stack that asked', stackOf(model, names, site)),
      part('Who touched it first', touchSites(model, names, site), threads(model, site), phases(model, site))),
    h('div', { class: 'many' },
      part('Blocks', blocks(model, names, site)), part('Pages', pages(model, site)), part('Kinds of fault', kinds(model, site)),
      part('Price', price(model, site)), part('Hand-outs', reuse(model, site)), part('Placement', placement(model, site))));
}
