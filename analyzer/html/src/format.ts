// Numbers for people. Every figure on the page goes through here.

// The share of a whole below which a remainder has no line of its own.
export const kWorthSaying = 0.01;

const kThin = '\u2009';

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

// 12.4 M: three figures, for axes and chips.
export function short(value: number): string {
  for (const [limit, unit] of [[1e9, 'G'], [1e6, 'M'], [1e4, 'k']] as const)
    if (Math.abs(value) >= limit) return figures(value / (unit === 'k' ? 1e3 : limit)) + kThin + unit;
  return count(value);
}

export function figures(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}

export function duration(ns: number): string {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']] as const;
  for (const [limit, unit] of units)
    if (Math.abs(ns) >= limit) return figures(ns / limit) + kThin + unit;
  return figures(ns) + kThin + 'ns';
}

export function bytes(value: number): string {
  const units = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']] as const;
  for (const [limit, unit] of units)
    if (Math.abs(value) >= limit) return figures(value / limit) + kThin + unit;
  return count(value) + kThin + 'B';
}

export function share(value: number, whole: number): string {
  if (!(whole > 0)) return '–';
  const percent = (100 * value) / whole;
  if (percent > 0 && percent < 0.1) return `<${kThin}0.1${kThin}%`;
  if (percent < 100 && percent >= 99.95) return `>${kThin}99.9${kThin}%`;
  return `${percent === 100 ? '100' : percent.toFixed(1)}${kThin}%`;
}

export const maybe = (value: number | null | undefined, show: (v: number) => string, none = '–'): string =>
  value === null || value === undefined ? none : show(value);

export const plural = (n: number, one: string, many = one + 's'): string =>
  `${count(n)} ${n === 1 ? one : many}`;
