// The block map: the largest blocks as rows, their pages from left to right, coloured by when, by
// whom or how dearly they were first touched. Blank is never touched, so over-allocation, strides
// and slow runs show at a glance.
import type { BlockRow } from './data';
import { choice, code, facts, h, replace, text } from './dom';
import { bytes, count, duration, plural, share } from './format';
import type { Model } from './model';
import type { Names } from './names';
import { partRecorded } from './sources';
import { colour, onTheme } from './theme';
import * as tip from './tip';

type Mode = 'when' | 'who' | 'price';
const kRowPixels = 18;
const kRamp = 8;

export class BlockMapView {
  private mode: Mode = 'when';
  private readonly list = h('ol', { class: 'block-map' });
  private readonly legend = h('p', { class: 'legend' });
  private readonly threadColour = new Map<number, number>();

  constructor(private readonly model: Model, private readonly names: Names) {
    const { threads } = model.data;
    const byCost = threads.tid.map((tid, i) => [threads.cost[i], tid]).sort((a, b) => b[0] - a[0]);
    byCost.forEach(([, tid], i) => this.threadColour.set(tid, i));
    model.onChange(() => this.fill());
    onTheme(() => this.fill());
  }

  draw(panel: HTMLElement): void {
    panel.append(h('div', { class: 'controls' },
      choice<Mode>('Colour by', [['when', 'When touched'], ['who', 'By which thread'], ['price', 'Time per page']], this.mode,
        (mode) => { this.mode = mode; this.fill(); }), this.legend),
      h('p', { class: 'hint' }, 'Each row is one block, its pages from the first on the left to the last on the right. ', this.blank()),
      this.list);
    new ResizeObserver(() => this.fill()).observe(this.list);
  }

  // Where faults were sampled, a blank page says nothing.
  private get sampled(): boolean {
    return this.model.data.run.fault_period > 1;
  }

  private blank(): string {
    return this.sampled ? `${partRecorded(this.model.data)} recorded, in bursts, so a blank page may have been touched ` +
      'all the same; record with faults.period=1 to see every page.' : 'Blank pages were never touched.';
  }

  private fill(): void {
    if (!this.list.clientWidth) return;
    const map = this.model.data.block_map;
    const rows = this.sampled ? map.filter((row) => row.count.length) : map;
    const silent = map.length - rows.length;
    replace(this.list, ...rows.map((row) => this.row(row)), !map.length && h('li', {}, 'No block was recorded page by page.'),
      silent > 0 && h('li', { class: 'silent' }, `${plural(silent, 'block')} more of the ${count(map.length)} largest: no touch of theirs was recorded.`));
    this.key();
  }

  private row(row: BlockRow): HTMLElement {
    const touched = row.count.reduce((a, b) => a + b, 0);
    const site = this.model.siteById.get(row.site);
    const name = site === undefined ? row.site : this.names.site(site);
    const part = `${share(touched, row.pages)} ${this.sampled ? 'recorded' : 'touched'}`;
    const canvas = h('canvas', { role: 'img', 'aria-label':
      `${name}, ${bytes(row.bytes)}: ${part}, first at ${duration(1000 * Math.min(...row.at, Infinity))}` });
    canvas.addEventListener('pointermove', (event) => this.hover(event, row, canvas, name));
    canvas.addEventListener('pointerleave', tip.hide);
    requestAnimationFrame(() => this.paint(canvas, row));
    return h('li', {}, h('span', { class: 'who' }, code(name), text('soft', `${bytes(row.bytes)}, ${part}`)), canvas);
  }

  private paint(canvas: HTMLCanvasElement, row: BlockRow): void {
    const width = canvas.clientWidth;
    if (!width) return;
    canvas.width = width * devicePixelRatio;
    canvas.height = kRowPixels * devicePixelRatio;
    const ctx = canvas.getContext('2d')!;
    const scale = canvas.width / row.pages;
    const { span } = this.model;
    row.first.forEach((first, i) => {
      const at = row.at[i] * 1000;
      ctx.globalAlpha = span && (at < span.from || at >= span.to) ? 0.15 : 1;
      ctx.fillStyle = colour(this.colourOf(row, i));
      const left = Math.floor(first * scale);
      ctx.fillRect(left, 0, Math.max(1, Math.ceil((first + row.count[i]) * scale) - left), canvas.height);
    });
  }

  private colourOf(row: BlockRow, i: number): string {
    if (this.mode === 'who') return `who-${(this.threadColour.get(row.tid[i]) ?? 7) % 8}`;
    if (this.mode === 'when') {
      const whole = this.model.data.run.duration_ns / 1000 || 1;
      return `ramp-${Math.min(kRamp - 1, Math.floor((kRamp * row.at[i]) / whole))}`;
    }
    const each = row.cost[i] / row.count[i];
    return `ramp-${Math.max(0, Math.min(kRamp - 1, Math.floor(2 * Math.log2(Math.max(1, each / this.usual)))))}`;
  }

  // Half of the average price, so that the usual page is pale and a slow one dark.
  private get usual(): number {
    const { ledger } = this.model.data;
    return Math.max(1, ledger.cost / Math.max(1, ledger.minor + ledger.major) / 2);
  }

  private key(): void {
    const { data } = this.model;
    const ramp = (from: string, to: string) => [from, ' ', h('span', { class: 'ramp', 'aria-hidden': 'true' },
      ...Array.from({ length: kRamp }, (_, i) => h('i', { class: `r-${i}` }))), ' ', to];
    if (this.mode === 'when') replace(this.legend, ...ramp('start', duration(data.run.duration_ns)));
    else if (this.mode === 'price') replace(this.legend, ...ramp(`under ${duration(this.usual * 1.4)}`, `over ${duration(this.usual * 2 ** 3.5)} a page`));
    else replace(this.legend, ...[...this.threadColour].slice(0, 8).map(([tid, i]) => {
      const at = data.threads.tid.indexOf(tid);
      return h('span', { class: 'who-key' }, h('i', { class: `w-${i}` }), code(data.strings[data.threads.name[at]]), ' ');
    }));
  }

  private hover(event: PointerEvent, row: BlockRow, canvas: HTMLCanvasElement, name: string): void {
    const page = Math.min(row.pages - 1, Math.floor((event.offsetX / canvas.clientWidth) * row.pages));
    const i = row.first.findIndex((first, k) => page >= first && page < first + row.count[k]);
    const head = code(name, 'title');
    if (i < 0) return tip.show(event.clientX, event.clientY, head, `page ${count(page)}: ${this.sampled ? 'not recorded' : 'never touched'}`);
    const { threads, strings } = this.model.data;
    const thread = threads.tid.indexOf(row.tid[i]);
    tip.show(event.clientX, event.clientY, head, facts([
      ['pages', `${count(row.first[i])} to ${count(row.first[i] + row.count[i] - 1)} (${plural(row.count[i], 'page')})`],
      ['first touched', `at ${duration(row.at[i] * 1000)}`],
      ['by', code(thread < 0 ? String(row.tid[i]) : strings[threads.name[thread]])],
      ['each', duration(row.cost[i] / row.count[i])]]));
  }
}
