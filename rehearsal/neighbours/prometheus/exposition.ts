/** Series as programs expose them at /metrics: Prometheus' text format, version 0.0.4 (prometheus.io, "Exposition formats"). */
import type { Series } from './evaluate.ts';

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** A family of series: a histogram's are those of its buckets, its sum and its count. */
export interface Family {
  name: string;
  type: MetricType;
  help: string;
  series: readonly Series[];
}

/** Families with no series are left out, as client libraries do. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ series }) => series.length > 0)
    .flatMap(({ name, type, help, series }) => [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...series.map(line)])
    .map((text) => `${text}\n`)
    .join('');
}

function line({ labels: { __name__: name = '', ...labels }, value }: Series): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberOf(value)}`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

/** As Go writes floats. */
function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
