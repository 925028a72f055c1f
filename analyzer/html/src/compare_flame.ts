// The flame graph of a difference: as wide as the larger of the two, red where the second variant
// paid more, blue where it paid less.
import type { Comparison } from './compare_data';
import { choice, code, facts, h, text } from './dom';
import { Flame } from './flame';
import { count, duration, share } from './format';
import type { Names } from './names';
import { allocationTree, childrenByValue, totals } from './tree';

type Metric = 'faults' | 'cost';

export class DiffFlameView {
  private metric: Metric = 'faults';
  private before = 0;
  private after: number;
  private readonly flame = new Flame((sum, whole) => `${share(sum, whole)} matches`);

  constructor(private readonly data: Comparison, private readonly names: Names) {
    this.after = data.columns.length > 1 ? 1 : 0;
  }

  draw(panel: HTMLElement): void {
    const search = h('input', { type: 'search', placeholder: 'Search functions', 'aria-label': 'Search functions',
      oninput: () => this.flame.search(search.value) });
    panel.append(h('div', { class: 'controls' },
      choice<Metric>('Measure', [['faults', 'Faults'], ['cost', 'Fault time']], this.metric, (metric) => { this.metric = metric; this.update(); }),
      this.pick('from', this.before, (v) => { this.before = v; }), this.pick('to', this.after, (v) => { this.after = v; }),
      h('button', { type: 'button', onclick: () => this.flame.zoom(0) }, 'Whole graph'), search, this.flame.found),
    h('p', { class: 'hint' }, 'Width is the larger of the two. ', text('key more', 'paid more'), ' ', text('key less', 'paid less'), ' ', text('key lib', 'the same')),
    this.flame.element);
    this.update();
  }

  private pick(name: string, chosen: number, set: (variant: number) => void): HTMLElement {
    const list = h('select', { onchange: () => { set(list.selectedIndex); this.update(); } },
      ...this.data.columns.map((column, i) => h('option', { selected: i === chosen }, column.name)));
    return h('label', {}, `${name} `, list);
  }

  private update(): void {
    const forest = allocationTree(this.data, this.names);
    const of = (variant: number) => this.data.sites[this.metric][variant].map((v) => v ?? 0);
    const [from, to] = [of(this.before), of(this.after)];
    const before = totals(forest, from);
    const after = totals(forest, to);
    const total = totals(forest, from.map((v, i) => Math.max(v, to[i])));
    const { tree } = forest;
    const show = this.metric === 'cost' ? duration : count;
    const name = (node: number) => (node ? this.names.function(tree.frame[node]) : 'all');
    const words = (node: number) => `${show(before[node])} to ${show(after[node])}`;
    this.flame.show({
      parent: tree.parent, children: childrenByValue(tree, total), total, name,
      label: (node) => `${name(node)}, ${words(node)}`,
      detail: (node) => [code(name(node), 'title'), facts([
        [this.data.columns[this.before].name, show(before[node])], [this.data.columns[this.after].name, show(after[node])],
        ['difference', `${after[node] >= before[node] ? '+' : '−'}${show(Math.abs(after[node] - before[node]))}`]])],
      className: (node) => shade(before[node], after[node]),
    }, true);
  }
}

// more-1 … more-3, less-1 … less-3, or same: by the share of the larger that changed.
function shade(before: number, after: number): string {
  const change = (after - before) / Math.max(before, after, 1);
  const strength = [0.7, 0.3, 0.02].findIndex((limit) => Math.abs(change) >= limit);
  return strength < 0 ? 'same' : `${change > 0 ? 'more' : 'less'}-${3 - strength}`;
}
