// Where the numbers of the report come from, in words.
import type { Report } from './data';
import { h } from './dom';
import { duration, figures, plural, share } from './format';
import type { Model } from './model';

// How many of the program's own faults the trace holds one by one; a report without that figure
// says how many each one stands for.
function recordedShare({ ledger, run }: Report): number {
  const own = ledger.faults[ledger.owner.indexOf('profiler')] ?? 0;
  const program = ledger.minor + ledger.major - own;
  return run.recorded_faults > 0 && program > 0 ? Math.min(1, run.recorded_faults / program) : 1 / Math.max(1, run.fault_period);
}

// "One fault in 70.9 was", "60 % of the faults were".
export function partRecorded(data: Report): string {
  const part = recordedShare(data);
  return part >= 0.5 ? `${share(part, 1)} of the faults were` : `One fault in ${figures(Math.round(10 / part) / 10)} was`;
}

function recorded({ data }: Model): string {
  if (data.run.fault_source !== 'perf')
    return 'Faults could not be recorded one by one here; pages that became resident were counted instead (pagemap).';
  if (recordedShare(data) >= 0.98) return 'Every fault was recorded by perf, with its address, its thread and its time.';
  return `${partRecorded(data)} recorded by perf, to keep within the budget; the rest are scaled from those. Page counts are exact.`;
}

function priced({ data }: Model): string {
  return data.run.fault_cost === 'measured'
    ? 'Fault time is measured: the kernel’s own time in the recorded faults, less what recording adds.'
    : 'Fault time is modelled: a price per kind of fault, found by a short calibration on this machine.';
}

export function sources(model: Model): HTMLElement {
  const { run, ledger } = model.data;
  const lost = run.lost_fault_records + run.lost_block_records;
  const lines = [
    recorded(model), priced(model),
    `${share(ledger.accounted_share, 1)} of all faults have an owner.`,
    `ftprof itself took ${duration(run.self_ns)}, ${share(run.self_share, 1)} of the run.`,
    lost ? `${plural(lost, 'record')} were lost and are not in these figures.` : 'No record was lost.',
    !run.complete && 'The trace has no proper end: the run was killed, or is still going on.',
  ];
  const said = (className: string, all: string[]) => all.map((line) => h('li', { class: className }, line));
  return h('section', { class: 'sources', 'aria-labelledby': 'sources' },
    h('h2', { id: 'sources' }, 'Where the numbers come from'),
    h('ul', {}, ...lines.filter(Boolean).map((line) => h('li', {}, line as string)),
      ...said('note', run.notes), ...said('warning', run.warnings)));
}
