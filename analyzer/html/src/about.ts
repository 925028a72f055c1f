// The rest of the ledger and of the run: faults that are not blocks', huge pages, settings.
import { visible } from './data';
import { code, facts, h, meter, text, type Child } from './dom';
import { bytes, count, duration, share } from './format';
import type { Model } from './model';
import type { Names } from './names';

function table(head: string, rows: [Child[], number, string][]): HTMLElement | null {
  if (!rows.length) return null;
  const most = Math.max(...rows.map(([, n]) => n), 1);
  return h('table', { class: 'ranked' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, head), h('th', { scope: 'col', class: 'number' }, 'Faults'))),
    h('tbody', {}, ...rows.map(([label, n, more]) => h('tr', {}, h('th', { scope: 'row' }, ...label),
      h('td', { class: 'number' }, meter(n, most), count(n), more && text('soft', ` ${more}`))))));
}

function smallHeap({ data }: Model, names: Names): HTMLElement | null {
  const { small_heap: t } = data.ledger;
  return table('Small heap, touched by', t.frame.map((frame, i) =>
    [[code(names.function(frame)), ' ', text('place', names.place(frame))], t.faults[i], duration(t.cost[i])]));
}

function hugePages({ data }: Model): HTMLElement {
  const { huge, run } = data;
  return h('section', {}, h('h3', {}, 'Huge pages'), facts([
    ['setting', run.thp || 'unknown'], ['huge faults', count(huge.faults)],
    ['could have been huge', bytes(huge.could_be_pages * run.page_bytes)],
    ['given, on the whole machine', count(huge.alloc)], ['refused, on the whole machine', count(huge.fallback)]]),
  huge.why_not && h('p', {}, huge.why_not));
}

function theRun({ data }: Model): HTMLElement {
  const { run } = data;
  return h('section', {}, h('h3', {}, 'The run'), facts([
    ['CPU time', `${duration(run.user_ns)} user, ${duration(run.system_ns)} system`],
    ['most resident', bytes(run.peak_resident_bytes)], ['resident at the end', bytes(run.final_resident_bytes)],
    ['huge page', bytes(run.huge_page_bytes)], ['NUMA nodes', count(run.numa_nodes)],
    ['ftprof’s own time', `${duration(run.self_ns)} (${share(run.self_share, 1)})`]]));
}

function settings({ data }: Model): HTMLElement | null {
  const all = Object.entries(data.run.settings);
  return all.length ? h('section', {}, h('h3', {}, 'Settings'), facts(all.map(([key, value]) => [visible(key), code(value)]))) : null;
}

export function drawAbout(model: Model, names: Names, panel: HTMLElement): void {
  const { ledger } = model.data;
  panel.append(h('div', { class: 'two' },
    h('section', {}, h('h3', {}, 'Faults outside tracked blocks'), smallHeap(model, names),
      table('By mapping', (ledger.mapping ?? []).map((name, i) => [[code(name)], ledger.mapping_faults[i], '']))),
    h('div', {}, theRun(model), hugePages(model), settings(model))),
  h('p', { class: 'hint' }, 'This view is always of the whole run.'));
}
