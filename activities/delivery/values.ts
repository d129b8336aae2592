/** Values of a chart: laid over others as Helm does it, and found in them. */
import type { ChartValues } from './contract.ts';

const isMap = (value: unknown): value is ChartValues => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maps are merged key by key; anything else is replaced. */
export function overlay(base: ChartValues, over: ChartValues): ChartValues {
  return Object.entries(over).reduce<ChartValues>((merged, [key, value]) => {
    const below = merged[key];
    return { ...merged, [key]: isMap(value) && isMap(below) ? overlay(below, value) : value };
  }, base);
}

/** Has `values` all of `wanted`? */
export function covers(values: unknown, wanted: unknown): boolean {
  if (!isMap(wanted)) return values === wanted || JSON.stringify(values) === JSON.stringify(wanted);
  return isMap(values) && Object.entries(wanted).every(([key, value]) => covers(values[key], value));
}

/** "webhook.enabled" with "true", as `helm --set` takes them. */
export function parametersOf(values: ChartValues, prefix = ''): { name: string; value: string }[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isMap(value) ? parametersOf(value, `${prefix}${key}.`) : [{ name: `${prefix}${key}`, value: String(value) }],
  );
}
