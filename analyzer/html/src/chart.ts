// One strip of the timeline: uPlot, with phases and the end of warm-up drawn behind the series.
import uPlot from 'uplot';
import { h } from './dom';
import { colour } from './theme';

export interface Series {
  name: string;
  colour: string; // of theme.ts
  values: ArrayLike<number>;
}

export interface Marks {
  phases: { name: string; begin: number; end: number }[]; // seconds
  warmupEnd: number | null;
}

export interface ChartSpec {
  title: string;
  height: number;
  times: number[]; // seconds, the left edge of each interval
  series: Series[];
  stacked: boolean;
  format: (value: number) => string;
  marks: Marks;
  pick?: (from: number, to: number) => void; // seconds
}

// Pixels above the plot, for the names of phases and the end of warm-up.
const kMarkRows = 32;

function stack(series: Series[]): number[][] {
  const sums: number[][] = [];
  let below: number[] = series.length ? Array(series[0].values.length).fill(0) : [];
  for (const { values } of series) {
    below = below.map((sum, i) => sum + (values[i] ?? 0));
    sums.push(below);
  }
  return sums;
}

function drawMarks(plot: uPlot, { phases, warmupEnd }: Marks): void {
  const { ctx, bbox } = plot;
  const top = bbox.top - kMarkRows * devicePixelRatio;
  const height = bbox.height + kMarkRows * devicePixelRatio;
  const x = (seconds: number) => plot.valToPos(seconds, 'x', true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, top, bbox.width, height);
  ctx.clip();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  phases.forEach(({ name, begin, end }, i) => {
    ctx.fillStyle = colour(i % 2 ? 'phase-odd' : 'phase-even');
    ctx.fillRect(x(begin), top, x(end) - x(begin), height);
    ctx.fillStyle = colour('soft');
    if (x(end) - x(begin) > 40 * devicePixelRatio)
      ctx.fillText(name, x(begin) + 5 * devicePixelRatio, top + 12 * devicePixelRatio, x(end) - x(begin) - 8 * devicePixelRatio);
  });
  if (warmupEnd !== null) drawWarmup(ctx, x(warmupEnd), top, height);
  ctx.restore();
}

function drawWarmup(ctx: CanvasRenderingContext2D, x: number, top: number, height: number): void {
  ctx.strokeStyle = ctx.fillStyle = colour('ink');
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, top + 16 * devicePixelRatio);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.fillText('warm-up ends', x + 4 * devicePixelRatio, top + 26 * devicePixelRatio);
}

export class Chart {
  readonly element = h('figure', { class: 'chart' });
  private plot: uPlot | null = null;

  constructor(private readonly spec: ChartSpec) {
    const key = h('figcaption', {}, h('b', {}, spec.title), ...spec.series.length > 1 ? spec.series.map(({ name, colour }) =>
      h('span', { class: `key k-${colour}` }, name)) : []);
    this.element.append(key);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  // The band of the span, or none.
  mark(span: { from: number; to: number } | null): void {
    const { plot } = this;
    if (!plot) return;
    const left = span ? plot.valToPos(span.from, 'x') : 0;
    const width = span ? plot.valToPos(span.to, 'x') - left : 0;
    plot.setSelect({ left, width, top: 0, height: plot.over.clientHeight }, false);
  }

  redraw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.resize();
  }

  private resize(): void {
    const width = this.element.clientWidth;
    if (!width) return;
    if (this.plot) this.plot.setSize({ width, height: this.spec.height });
    else this.plot = this.make(width);
  }

  private make(width: number): uPlot {
    const { spec } = this;
    const values = spec.stacked ? stack(spec.series) : spec.series.map(({ values }) => Array.from(values));
    const drawn = spec.series.map((series, i) => ({ series, values: values[i] })).reverse();
    const axis = { stroke: colour('soft'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false },
      font: '11px system-ui, sans-serif' };
    const steps = uPlot.paths.stepped!({ align: 1 });
    const options: uPlot.Options = {
      width, height: spec.height, legend: { show: false },
      padding: [spec.marks.phases.length || spec.marks.warmupEnd !== null ? kMarkRows + 2 : 8, 16, 0, 0],
      scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, sync: { key: 'time' }, y: false },
      axes: [{ ...axis, values: (_, ticks) => ticks.map((t) => `${+t.toFixed(6)} s`), size: 28 },
        { ...axis, values: (_, ticks) => ticks.map(spec.format), size: 66, splits: (_u, _a, _min, max) => [0, max / 2, max].map((v) => v / 1.08) }],
      series: [{}, ...drawn.map(({ series }) => ({
        label: series.name, stroke: colour(series.colour), fill: colour(`${series.colour}-fill`) || undefined,
        width: 1.25, paths: steps, points: { show: false } }))],
      hooks: {
        drawClear: [(plot) => drawMarks(plot, spec.marks)],
        setSelect: [(plot) => {
          const { left, width } = plot.select;
          if (width > 2) spec.pick?.(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
        }],
      },
    };
    return new uPlot(options, [spec.times, ...drawn.map(({ values }) => values)], this.element);
  }
}
