// The flame graph, root on top. Only frames wide enough to see become elements, so a hundred
// thousand sites cost what fits on the screen; each is an item of an ARIA tree, reached by arrows.
//
// Written here rather than taken from d3-flame-graph, which lays out every node as SVG and has no
// keyboard: with 100,000 stacks it takes many seconds.
import { h, replace, text, type Child } from './dom';
import * as tip from './tip';

const kRowPixels = 21;
const kLeastPixels = 2.5;

export interface FlameSource {
  parent: ArrayLike<number>;
  children: number[][];
  total: Float64Array;
  name: (node: number) => string;
  detail: (node: number) => Child[];
  label: (node: number) => string; // for a screen reader: the name and its figure
  className: (node: number) => string;
}

export class Flame {
  readonly element = h('div', { class: 'flame', role: 'tree', 'aria-label': 'Flame graph' });
  readonly found = h('span', { class: 'found', role: 'status' });
  private source: FlameSource | null = null;
  private root = 0;
  private query = '';
  private readonly byNode = new Map<number, HTMLElement>();

  constructor(private readonly formatMatch: (value: number, whole: number) => string) {
    new ResizeObserver(() => this.draw()).observe(this.element);
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.element.addEventListener('click', (event) => this.click(event));
    this.element.addEventListener('pointermove', (event) => this.hover(event));
    this.element.addEventListener('pointerleave', tip.hide);
    this.element.addEventListener('focusin', (event) => this.focused(event));
    this.element.addEventListener('focusout', tip.hide);
  }

  show(source: FlameSource, keepZoom: boolean): void {
    this.source = source;
    if (!keepZoom || !(source.total[this.root] > 0)) this.root = 0;
    this.draw();
  }

  search(query: string): void {
    this.query = query.trim().toLowerCase();
    this.draw();
  }

  zoom(node: number): void {
    this.root = node;
    this.draw();
    this.byNode.get(node)?.focus({ preventScroll: true });
  }

  private draw(): void {
    const { source } = this;
    const width = this.element.clientWidth;
    if (!source || !width) return;
    this.byNode.clear();
    const path: number[] = [];
    for (let at = this.root; at >= 0; at = source.parent[at]) path.unshift(at);
    const out: HTMLElement[] = path.map((node, depth) => this.box(node, depth, 0, width, depth + 1 < path.length));
    const deepest = this.below(out, this.root, path.length, 0, width);
    this.element.style.height = `${deepest * kRowPixels}px`;
    replace(this.element, ...out);
    this.byNode.get(this.root)?.setAttribute('tabindex', '0');
    this.tell();
  }

  // The descendants of `node`, which spans [left, left + width); returns the rows in use.
  private below(out: HTMLElement[], node: number, depth: number, left: number, width: number): number {
    const { children, total } = this.source!;
    let deepest = depth;
    for (const child of children[node]) {
      const size = (width * total[child]) / total[node];
      if (size < kLeastPixels) break; // sorted: the rest are no wider
      out.push(this.box(child, depth, left, size, false));
      deepest = Math.max(deepest, this.below(out, child, depth + 1, left, size));
      left += size;
    }
    return deepest;
  }

  private box(node: number, depth: number, left: number, width: number, outside: boolean): HTMLElement {
    const source = this.source!;
    const name = source.name(node);
    const hit = this.query !== '' && name.toLowerCase().includes(this.query);
    const classes = ['frame', source.className(node), outside && 'outside', hit && 'hit', width <= 24 && 'narrow'];
    const box = h('div', {
      class: classes.filter(Boolean).join(' '), role: 'treeitem', tabindex: -1, 'data-node': node,
      'aria-level': depth + 1, 'aria-label': source.label(node) }, width > 24 ? text('', name) : null);
    box.style.left = `${left}px`;
    box.style.top = `${depth * kRowPixels}px`;
    box.style.width = `${Math.max(1, width - 1)}px`;
    this.byNode.set(node, box);
    return box;
  }

  // What the matches come to, counting a match inside a match once.
  private tell(): void {
    if (!this.query || !this.source) return void (this.found.textContent = '');
    const { total, children, name } = this.source;
    let sum = 0;
    const visit = (node: number): void => {
      if (node && name(node).toLowerCase().includes(this.query)) sum += total[node];
      else children[node].forEach(visit);
    };
    visit(0);
    this.found.textContent = this.formatMatch(sum, total[0]);
  }

  private nodeOf(event: Event): number | null {
    const box = (event.target as Element).closest<HTMLElement>('.frame');
    return box ? Number(box.dataset.node) : null;
  }

  private click(event: Event): void {
    const node = this.nodeOf(event);
    if (node !== null) this.zoom(node);
  }

  private hover(event: PointerEvent): void {
    const node = this.nodeOf(event);
    if (node === null) return tip.hide();
    tip.show(event.clientX, event.clientY, ...this.source!.detail(node));
  }

  private focused(event: Event): void {
    const node = this.nodeOf(event);
    const box = node === null ? null : this.byNode.get(node);
    if (!box?.matches(':focus-visible')) return;
    const { left, bottom } = box.getBoundingClientRect();
    tip.show(Math.max(0, left), bottom - 12, ...this.source!.detail(node!));
  }

  private key(event: KeyboardEvent): void {
    const node = this.nodeOf(event);
    if (node === null) return;
    if (event.key === 'Enter' || event.key === ' ') this.zoom(node);
    else if (event.key === 'Escape') this.zoom(0);
    else {
      const next = this.neighbour(node, event.key);
      if (next === undefined) return;
      this.byNode.get(next)?.focus();
    }
    event.preventDefault();
  }

  private neighbour(node: number, key: string): number | undefined {
    const { parent, children } = this.source!;
    const siblings = parent[node] < 0 ? [node] : children[parent[node]];
    const at = siblings.indexOf(node);
    switch (key) {
      case 'ArrowUp': return parent[node];
      case 'ArrowDown': return children[node][0];
      case 'ArrowLeft': return siblings[at - 1];
      case 'ArrowRight': return siblings[at + 1];
      default: return undefined;
    }
  }
}
