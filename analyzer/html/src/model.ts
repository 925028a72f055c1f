// What is on the page now: the whole run, or the span that a brush restricts it to. The views ask
// it for figures per site, per touch site and per thread, and are told when the span changes.
//
// Within a span, faults and their time come from the slices (one that crosses an edge counts by
// its part inside), hand-outs and untouched pages from the blocks handed out in it.
import { rows, type Report } from './data';

export type Metric = 'cost' | 'faults' | 'untouched' | 'warm';
export interface Span {
  from: number; // ns since the run's start
  to: number;
}

interface PerSite {
  cost: Float64Array;
  faults: Float64Array;
  untouched: Float64Array; // bytes
  warm: Float64Array; // hand-outs
  fresh: Float64Array;
  partial: Float64Array;
  cold: Float64Array;
}

export class Model {
  span: Span | null = null;
  site: PerSite;
  touch: { cost: Float64Array; faults: Float64Array };
  thread: { cost: Float64Array; faults: Float64Array };
  readonly order: number[]; // sites, dearest first
  readonly siteById = new Map<string, number>();
  readonly firstTouch: Int32Array; // of each site, in `touches`
  private listeners: (() => void)[] = [];
  private readonly whole: Pick<Model, 'site' | 'touch' | 'thread'>;

  constructor(readonly data: Report) {
    const { sites } = data;
    sites.id.forEach((id, i) => this.siteById.set(id, i));
    this.firstTouch = firstRows(data.touches.site, sites.id.length);
    this.whole = this.wholeRun();
    ({ site: this.site, touch: this.touch, thread: this.thread } = this.whole);
    this.order = sites.id.map((_, i) => i).sort((a, b) => sites.cost[b] - sites.cost[a] ||
      sites.faults[b] - sites.faults[a]);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  restrict(span: Span | null): void {
    this.span = span;
    const now = span ? this.within(span) : this.whole;
    ({ site: this.site, touch: this.touch, thread: this.thread } = now);
    for (const listener of this.listeners) listener();
  }

  get canRestrict(): boolean {
    return rows(this.data.slices.begin) > 0;
  }

  total(metric: 'cost' | 'faults'): number {
    return this.site[metric].reduce((sum, value) => sum + value, 0);
  }

  private wholeRun(): Pick<Model, 'site' | 'touch' | 'thread'> {
    const { sites, touches, threads, run } = this.data;
    const array = (column: number[] | undefined) => Float64Array.from(column ?? []);
    return {
      site: {
        cost: array(sites.cost), faults: array(sites.faults),
        untouched: array(sites.untouched).map((pages) => pages * run.page_bytes),
        warm: array(sites.warm), fresh: array(sites.fresh),
        partial: array(sites.partial), cold: array(sites.cold),
      },
      touch: { cost: array(touches.cost), faults: array(touches.faults) },
      thread: { cost: array(threads.cost), faults: array(threads.faults) },
    };
  }

  private within(span: Span): Pick<Model, 'site' | 'touch' | 'thread'> {
    const zeros = (like: Float64Array) => new Float64Array(like.length);
    const { site, touch, thread } = this.whole;
    const now = {
      site: Object.fromEntries(
        Object.entries(site).map(([k, v]) => [k, zeros(v)])) as unknown as PerSite,
      touch: { cost: zeros(touch.cost), faults: zeros(touch.faults) },
      thread: { cost: zeros(thread.cost), faults: zeros(thread.faults) },
    };
    this.eachSlice(span, (i, part) => this.addSlice(now, i, part));
    this.addBlocks(now.site, span);
    return now;
  }

  // The slices that overlap the span, each with its part inside.
  eachSlice(span: Span | null, visit: (index: number, part: number) => void): void {
    const { begin, length } = this.data.slices;
    const from = span ? span.from / 1000 : -Infinity;
    const to = span ? span.to / 1000 : Infinity;
    for (let i = 0; i < rows(begin); i++) {
      const end = begin[i] + length[i];
      if (end < from || begin[i] >= to) continue;
      const inside = Math.min(end, to) - Math.max(begin[i], from);
      visit(i, length[i] > 0 ? inside / length[i] : 1);
    }
  }

  private addSlice(now: Pick<Model, 'site' | 'touch' | 'thread'>, i: number, part: number): void {
    const { slices } = this.data;
    const add = (to: { cost: Float64Array; faults: Float64Array }, at: number) => {
      if (at < 0 || at >= to.cost.length) return;
      to.cost[at] += part * slices.cost[i];
      to.faults[at] += part * slices.faults[i];
    };
    const site = slices.site[i];
    add(now.thread, slices.thread[i]);
    if (site < 0) return;
    add(now.site, site);
    if (slices.touch[i] >= 0) add(now.touch, this.firstTouch[site] + slices.touch[i]);
  }

  private addBlocks(now: PerSite, span: Span): void {
    const { blocks, run } = this.data;
    const classes = [null, now.fresh, now.warm, now.partial, now.cold];
    for (let i = 0; i < rows(blocks.site); i++) {
      const at = blocks.born[i] * 1000;
      const site = blocks.site[i];
      if (at < span.from || at >= span.to || site < 0) continue;
      const counts = classes[blocks.class[i]];
      if (counts) counts[site] += blocks.weight[i];
      now.untouched[site] += blocks.untouched[i] * blocks.weight[i] * run.page_bytes;
    }
  }
}

// Where each site's rows begin in a table sorted by site; the last entry is its length.
export function firstRows(site: number[] | undefined, sites: number): Int32Array {
  const first = new Int32Array(sites + 1);
  for (const s of site ?? []) first[s + 1]++;
  for (let i = 0; i < sites; i++) first[i + 1] += first[i];
  return first;
}
