// A comparison's data, as analyzer/print_compare_html.cpp wrote it.
import type { Stacked } from './data';

export interface Sample {
  name: string;
  unit: 'count' | 'ns' | 'bytes' | 'share';
  values: number[];
  middle: number;
  noise: 'beyond' | 'within' | 'unknown';
  change: number; // against the first variant
}

export interface Variant {
  name: string;
  description: string;
  env: Record<string, string>;
  runs: number;
  failures: string[];
  samples: Sample[];
}

export interface Trial {
  kind: string;
  env: Record<string, string>;
  sites: string[];
  predicted_faults: number;
  predicted_ns: number | null;
  measured_faults: number | null;
  measured_ns: number | null;
}

export interface Comparison extends Stacked {
  kind: 'compare';
  command: string[];
  rounds: number;
  noise_rule: string;
  columns: Variant[];
  // faults[v][s] of variant v at site s; null where the variant has no run.
  sites: Stacked['sites'] & { faults: (number | null)[][]; cost: (number | null)[][] };
  sentences: string[];
  notes: string[];
  trials: Trial[];
}
