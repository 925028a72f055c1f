// The timeline above the views: what happened when, and the brush that restricts all the rest.
import { Chart, type ChartSpec, type Series } from './chart';
import { choice, h, replace, text } from './dom';
import { bytes, duration, plural, short } from './format';
import type { Model, Span } from './model';
import { onTheme } from './theme';

type Which = 'faults' | 'cost' | 'resident' | 'handouts' | 'all';

const kChoices = [
  ['faults', 'Faults'], ['cost', 'Fault time'], ['resident', 'Resident'], ['handouts', 'Hand-outs'], ['all', 'All'],
] as const;

export class Timeline {
  readonly element: HTMLElement;
  private charts: Chart[] = [];
  private readonly stage = h('div', { class: 'charts' });
  private readonly status = h('div', { class: 'span' });
  private readonly inputs = { from: this.bound('from'), to: this.bound('to') };

  constructor(private readonly model: Model) {
    this.element = h('section', { class: 'timeline', 'aria-labelledby': 'timeline' },
      h('div', { class: 'controls' }, h('h2', { id: 'timeline' }, 'When'),
        choice<Which>('Timeline of', kChoices, 'faults', (which) => this.show(which))),
      this.stage, this.bursts(), this.phaseButtons(), this.status);
    this.show('faults');
    model.onChange(() => this.changed());
    onTheme(() => this.charts.forEach((chart) => chart.redraw()));
    this.changed();
  }

  private show(which: Which): void {
    const all: Exclude<Which, 'all'>[] = ['faults', 'cost', 'resident', 'handouts'];
    this.charts = (which === 'all' ? all : [which]).map((one) => new Chart(this.spec(one, which === 'all' ? 132 : 172)));
    replace(this.stage, ...this.charts.map((chart) => chart.element));
    requestAnimationFrame(() => this.markSpan());
  }

  private spec(which: Exclude<Which, 'all'>, height: number): ChartSpec {
    const { timeline, pool, phases } = this.model.data;
    const seconds = timeline.interval / 1e9;
    const one = (name: string, colour: string, values: number[] | undefined): Series[] =>
      [{ name, colour, values: values ?? [] }];
    const perSecond = (values: number[] | undefined) => (values ?? []).map((v) => v / seconds);
    const what = {
      faults: { title: 'Faults per second', series: one('faults', 'cost', perSecond(timeline.faults)), format: short },
      cost: { title: 'Fault time per second', series: one('fault time', 'cost', perSecond(timeline.cost)), format: duration },
      resident: { title: 'Resident', series: one('resident', 'resident', timeline.resident), format: bytes },
      handouts: { title: 'Hand-outs by class', format: short, series: (['warm', 'partial', 'cold', 'fresh'] as const).map(
        (name) => ({ name, colour: name, values: pool.over_time[name] })) },
    }[which];
    const points = Math.max(...what.series.map(({ values }) => values.length), 0);
    return {
      ...what, height, stacked: which === 'handouts',
      times: Array.from({ length: points }, (_, i) => i * seconds),
      marks: {
        phases: (phases.name ?? []).map((name, i) => ({ name, begin: phases.begin[i] / 1e9, end: phases.end[i] / 1e9 })),
        warmupEnd: timeline.warmup_end === null ? null : timeline.warmup_end / 1e9,
      },
      pick: (from, to) => this.restrict(from * 1e9, to * 1e9),
    };
  }

  private restrict(from: number, to: number): void {
    if (this.model.canRestrict && to > from) this.model.restrict({ from, to });
  }

  private bursts(): HTMLElement | null {
    return this.model.data.run.fault_period > 1 ? h('p', { class: 'hint' },
      'Faults were recorded in bursts. How many there were between bursts is known; they are drawn evenly over that time.') : null;
  }

  // Phases as buttons: the brush for a keyboard.
  private phaseButtons(): HTMLElement {
    const { phases, timeline, run } = this.model.data;
    const spans: [string, Span][] = (phases.name ?? []).map((name, i) =>
      [name, { from: phases.begin[i], to: phases.end[i] }]);
    if (timeline.warmup_end !== null)
      spans.push(['Warm-up', { from: 0, to: timeline.warmup_end }], ['After warm-up', { from: timeline.warmup_end, to: run.duration_ns }]);
    return h('div', { class: 'phases', role: 'group', 'aria-label': 'Restrict to' },
      ...spans.map(([name, span]) => h('button', { type: 'button', dir: 'ltr', onclick: () => this.restrict(span.from, span.to) }, name)));
  }

  private bound(name: 'from' | 'to'): HTMLInputElement {
    return h('input', { type: 'number', step: 'any', min: 0, 'aria-label': `${name}, seconds`,
      onchange: () => this.restrict(Number(this.inputs.from.value) * 1e9, Number(this.inputs.to.value) * 1e9) });
  }

  private changed(): void {
    const { model } = this;
    const { from, to } = model.span ?? { from: 0, to: model.data.run.duration_ns };
    this.inputs.from.value = String(+(from / 1e9).toFixed(4));
    this.inputs.to.value = String(+(to / 1e9).toFixed(4));
    this.status.classList.toggle('restricted', model.span !== null);
    const span = ['From ', this.inputs.from, ' s to ', this.inputs.to, ' s. '];
    if (!model.canRestrict) replace(this.status, 'This trace has no faults with a time, so the figures below are always of the whole run.');
    else if (!model.span) replace(this.status, ...span, 'Drag over the chart, or type here, to restrict everything below to a span.');
    else replace(this.status, ...span, h('b', {}, `${plural(model.total('faults'), 'fault')}, ${duration(model.total('cost'))} of blocks. `), this.limits(),
      h('button', { type: 'button', class: 'plain', onclick: () => model.restrict(null) }, 'Whole run'));
    this.markSpan();
  }

  private limits(): HTMLElement {
    const { left_out } = this.model.data.blocks;
    return text('soft', 'Faults, time and hand-outs below are of this span; calls, percentiles and placement are of the whole run. ',
      left_out > 0 && `${plural(left_out, 'small block')} are not in the hand-outs. `);
  }

  private markSpan(): void {
    const { span } = this.model;
    const seconds = span && { from: span.from / 1e9, to: span.to / 1e9 };
    for (const chart of this.charts) chart.mark(seconds);
  }
}
