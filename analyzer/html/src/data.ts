// The report's data as analyzer/page_data.cpp wrote it: tables of columns. Indexes of -1 are none.

export type Column = number[];
type Maybe = (number | null)[];

export interface Frames {
  function: Column;
  file: Column;
  module: Column;
  line: Column;
  flags: Column; // 1 inlined, 2 named by the nearest symbol
}

export interface TouchTable {
  frame: Column;
  faults: Column;
  cost: Column;
}

export interface Sites {
  id: string[];
  leaf: Column; // node of `stacks`; its parents are the callers
  top: Column; // frames from the leaf that are the allocator's and the C++ library's
  api: Column;
  process: Column;
  count: Column;
  bytes: Column;
  peak: Column;
  live: Column;
  one_in: Column;
  handed_out: Column;
  touched: Column;
  untouched: Column;
  zero: Column;
  huge_pages: Column;
  could_be_huge: Column;
  faults: Column;
  write: Column;
  zero_read: Column;
  write_after_zero_read: Column;
  huge: Column;
  in_call: Column;
  kernel_copy: Column;
  major: Column;
  other: Column;
  cost: Column;
  error: Maybe;
  p50: Maybe;
  p90: Maybe;
  p99: Maybe;
  max: Maybe;
  alloc_ns: Column;
  free_ns: Column;
  fresh: Column;
  warm: Column;
  partial: Column;
  cold: Column;
  unknown: Column;
  warm_pages: Column;
  cross_thread: Column;
  cross_node: Column;
  purged: Column;
  refaulted: Column;
}

export interface BlockRow {
  site: string;
  bytes: number;
  pages: number;
  born: number;
  gone: number | null;
  first: Column;
  count: Column;
  at: Column;
  tid: Column;
  cost: Column;
}

// What naming sites needs; reports and comparisons have it.
export interface Stacked {
  sites: { id: string[]; leaf: Column; top: Column };
  strings: string[];
  frames: Frames;
  stacks: { parent: Column; frame: Column };
}

export interface Report extends Stacked {
  kind: 'report';
  run: {
    command: string[];
    start_unix_ms: number;
    duration_ns: number;
    page_bytes: number;
    huge_page_bytes: number;
    cpus: number;
    numa_nodes: number;
    kernel: string;
    thp: string;
    allocator: string;
    allocator_version: string;
    settings: Record<string, string>;
    fault_source: string;
    fault_period: number;
    fault_cost: string;
    recorded_faults: number; // 0 where that is not known
    complete: boolean;
    lost_fault_records: number;
    lost_block_records: number;
    self_ns: number;
    self_share: number;
    peak_resident_bytes: number;
    final_resident_bytes: number;
    user_ns: number;
    system_ns: number;
    notes: string[];
    warnings: string[];
  };
  ledger: {
    minor: number;
    major: number;
    run_faults: number | null; // of every process of the run, with those that left no trace
    untraced_faults: number | null;
    cost: number;
    accounted_share: number;
    owner: string[];
    faults: Column;
    row_cost: Maybe;
    row_error: Maybe;
    small_heap: TouchTable;
    mapping: string[];
    mapping_faults: Column;
  };
  pool: {
    handouts: number;
    fresh: number;
    warm: number;
    partial: number;
    cold: number;
    unknown: number;
    resident_pages: number;
    purged_pages: number;
    refaulted_pages: number;
    refault_cost: number;
    cross_thread: number;
    cross_node: number;
    idle_peak_bytes: number;
    idle_at_end_bytes: number;
    saved_faults: number;
    reuse_p50: number | null;
    reuse_p90: number | null;
    verdicts: string[];
    over_time: { fresh: Column; warm: Column; partial: Column; cold: Column; idle_bytes: Column };
    feeds: { from: string[]; to: string[]; handouts: Column; pages: Column };
    idle: { site: string[]; bytes: Column; resident: Column; ns: Column };
  };
  huge: { alloc: number; fallback: number; faults: number; could_be_pages: number; why_not: string };
  sites: Sites;
  touches: TouchTable & { site: Column };
  touchers: { site: Column; name: Column; tid: Column; faults: Column; cost: Column };
  placement: { site: Column; node: Column; pages: Column };
  advice: {
    site: Column;
    kind: string[];
    text: string[];
    saving: string[];
    env: Record<string, string>[];
  };
  site_phases: { site: Column; name: Column; faults: Column; cost: Column };
  threads: { name: Column; tid: Column; process: Column; faults: Column; cost: Column };
  processes: {
    name: string[];
    rank: string[];
    pid: Column;
    ppid: Column;
    start: Column;
    duration: Column;
    minor: Column;
    major: Column;
    cost: Column;
    peak: Column;
    complete: boolean[];
    command: string[][];
  };
  phases: { name: string[]; begin: Column; end: Column; faults: Column; cost: Column };
  timeline: {
    interval: number;
    faults: Column;
    cost: Column;
    resident: Column;
    warmup_end: number | null;
  };
  slices: {
    begin: Column; // microseconds
    length: Column;
    faults: Column;
    cost: Column;
    owner: Column;
    thread: Column;
    site: Column;
    touch: Column; // index among the site's touches
  };
  blocks: {
    site: Column;
    born: Column; // microseconds
    class: Column;
    untouched: Column;
    weight: Column;
    left_out: number;
  };
  block_map: BlockRow[];
}

const kFormat = 'ftprof.page/1';

async function inflate(base64: string): Promise<string> {
  const binary = atob(base64);
  const packed = new Uint8Array(binary.length); // filled by hand: Uint8Array.from takes seconds
  for (let i = 0; i < packed.length; i++) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

// What could move the cursor, reorder the line or hide: shown as its code, so that a name in a
// profiled program cannot pass for another.
const kUnsafe =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

export function visible(text: string): string {
  return text.replace(kUnsafe, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

// Every text of the document made visible. Columns of numbers, nearly all of it, are passed by.
function clean(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value) && typeof value[0] === 'number') return value;
  if (value && typeof value === 'object')
    for (const [key, part] of Object.entries(value)) (value as Record<string, unknown>)[key] = clean(part);
  return value;
}

export async function load(): Promise<{ kind: string }> {
  const packed = document.getElementById('data')!.textContent!.trim();
  const data = JSON.parse(await inflate(packed));
  if (data.format !== kFormat) throw new Error(`this page reads ${kFormat}, not ${data.format}`);
  return clean(data) as { kind: string };
}

// A column of a table that has no rows is missing.
export const rows = (column: unknown[] | undefined): number => column?.length ?? 0;
