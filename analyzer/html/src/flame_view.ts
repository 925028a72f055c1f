// The flame graph's view: what is measured, along which stack, and the search.
import { choice, code, facts, h, replace, text, type Child } from './dom';
import { Flame, type FlameSource } from './flame';
import { bytes, count, duration, share } from './format';
import type { Metric, Model } from './model';
import { base, type Names } from './names';
import { allocationTree, childrenByValue, totals, touchTree, valuesOf, type Forest } from './tree';

const kMetrics = [
  ['cost', 'Fault time'], ['faults', 'Faults'], ['untouched', 'Untouched'], ['warm', 'Warm hand-outs'],
] as const;
const kShow: Record<Metric, (value: number) => string> =
  { cost: duration, faults: count, untouched: bytes, warm: count };
const kWords: Record<Metric, string> =
  { cost: 'fault time', faults: 'faults', untouched: 'handed out, never touched', warm: 'warm hand-outs' };

// A colour that stays with a function's name.
export function tint(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return Math.abs(hash) % 6;
}

export class FlameView {
  private metric: Metric = 'cost';
  private touch = false;
  private forests: Partial<Record<'allocation' | 'touch', Forest>> = {};
  private readonly flame = new Flame((sum, whole) => `${share(sum, whole)} of ${kWords[this.metric]} matches`);
  private readonly empty = h('p', { class: 'empty' });
  private readonly controls = h('div', { class: 'controls' });

  constructor(private readonly model: Model, private readonly names: Names) {
    model.onChange(() => this.update(true));
  }

  draw(panel: HTMLElement): void {
    const search = h('input', {
      type: 'search', placeholder: 'Search functions', 'aria-label': 'Search functions',
      oninput: () => this.flame.search(search.value) });
    replace(this.controls,
      choice('Measure', kMetrics, this.metric, (metric) => { this.metric = metric; this.update(false); }),
      choice('Stack', [['allocation', 'By who asked'], ['touch', 'By who touched']], 'allocation',
        (which) => { this.touch = which === 'touch'; this.update(false); }),
      h('button', { type: 'button', onclick: () => this.flame.zoom(0) }, 'Whole graph'),
      search, this.flame.found);
    panel.append(this.controls,
      h('p', { class: 'hint' },
        'Width is the share. Callers are above what they call. Click a frame to enlarge it; ',
        'with the keyboard, arrows move, Enter enlarges, Escape shows all. ',
        text('key own', 'the program'), ' ', text('key lib', 'allocator and libraries')),
      this.empty, this.flame.element);
    this.update(false);
  }

  private forest(): Forest {
    const which = this.touch ? 'touch' : 'allocation';
    const make = this.touch ? touchTree : allocationTree;
    return (this.forests[which] ??= make(this.model.data, this.names));
  }

  private update(keepZoom: boolean): void {
    const onlyAllocation = this.metric === 'untouched' || this.metric === 'warm';
    const touch = this.touch && !onlyAllocation;
    const forest = touch === this.touch ? this.forest() : (this.forests.allocation ??= allocationTree(this.model.data, this.names));
    const total = totals(forest, valuesOf(this.model, this.metric, touch));
    this.empty.textContent = total[0] > 0 ? '' : `Nothing here has ${kWords[this.metric]}.`;
    if (this.touch && onlyAllocation)
      this.empty.textContent = `${kMetrics.find(([m]) => m === this.metric)![1]} belong to who asked; no touch has them.`;
    this.flame.show(this.source(forest, total), keepZoom);
  }

  private source({ tree }: Forest, total: Float64Array): FlameSource {
    const { names } = this;
    const name = (node: number) => (node ? names.function(tree.frame[node]) : 'all');
    const figure = (node: number) =>
      `${kShow[this.metric](total[node])} (${share(total[node], total[0])})`;
    return {
      parent: tree.parent, children: childrenByValue(tree, total), total, name,
      detail: (node) => this.detail(tree.frame[node], name(node), figure(node)),
      label: (node) => `${name(node)}, ${figure(node)}`,
      className: (node) => node === 0 ? 'all' : tree.runtime[node] ? 'lib' : `t${tint(name(node))}`,
    };
  }

  private detail(frame: number, name: string, figure: string): Child[] {
    const where: [string, Child][] = frame < 0 ? [] :
      [['at', code(this.names.place(frame))], ['in', code(base(this.names.module(frame)))]];
    return [code(name, 'title'), facts([[kWords[this.metric], figure], ...where])];
  }
}
