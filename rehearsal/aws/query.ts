/** Parameters of the query protocols: numbered lists and filters. */
import { AwsError } from './eks/errors.ts';
import { mostOfAPage } from './eks/short-pages.ts';

export interface Filter {
  name: string;
  values: string[];
}

/** Values of `SubnetId.1`, `SubnetId.2` (EC2) or `AutoScalingGroupNames.member.1` (query), in their order. */
export function numbered(form: URLSearchParams, prefix: string): string[] {
  const indexOf = (key: string): number => Number(key.slice(prefix.length + 1));
  return [...form]
    .filter(([key]) => key.startsWith(`${prefix}.`) && Number.isInteger(indexOf(key)))
    .toSorted(([a], [b]) => indexOf(a) - indexOf(b))
    .map(([, value]) => value);
}

/** `list` is the name of the numbered list of filters, `values` that of their values. */
export function filtersOf(form: URLSearchParams, list: string, values: string): Filter[] {
  const found: Filter[] = [];
  for (let index = 1; form.has(`${list}.${index}.Name`); index += 1)
    found.push({ name: form.get(`${list}.${index}.Name`) ?? '', values: numbered(form, `${list}.${index}.${values}`) });
  return found;
}

/** `*` and `?` are wildcards. */
const patternOf = (value: string): RegExp =>
  new RegExp(
    `^${value
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );

export type Readers<T> = Record<string, (item: T) => string | readonly string[]>;

/** Items that pass every filter. Throws InvalidParameterValue for a filter that the readers do not know. */
export function passing<T>(items: readonly T[], filters: readonly Filter[], readers: Readers<T>): T[] {
  const checks = filters.map(({ name, values }) => {
    const reader = readers[name];
    if (reader === undefined) throw new AwsError(400, 'InvalidParameterValue', `The filter '${name}' is invalid`);
    // Of thousands of items each: made once.
    const patterns = values.map(patternOf);
    return (item: T): boolean => [reader(item)].flat().some((value) => patterns.some((pattern) => pattern.test(value)));
  });
  return items.filter((item) => checks.every((check) => check(item)));
}

/** Entries of a page by the name of their limit, where none is asked for and at most: Auto Scaling, EC2, IAM (their API references). */
const PAGES: Readonly<Record<string, readonly [usual: number, most: number]>> = {
  MaxRecords: [50, 100],
  MaxResults: [1_000, 1_000],
  MaxItems: [100, 1_000],
};

/** A page of a list; tokens are positions. */
export function cut<T>(items: readonly T[], form: URLSearchParams, names: { size: string; token: string }): { items: T[]; token?: string } {
  const [usual, most] = PAGES[names.size] ?? [1_000, 1_000];
  const size = Number(form.get(names.size) ?? usual);
  if (size > most) throw new AwsError(400, 'ValidationError', `Value '${size}' at '${names.size}' is more than ${most}`);
  const from = Number(Buffer.from(form.get(names.token) ?? '', 'base64url').toString() || 0);
  if (!Number.isInteger(from) || !Number.isInteger(size) || size < 1) throw new AwsError(400, 'InvalidNextToken', 'Invalid token');
  const end = from + Math.min(size, mostOfAPage());
  return { items: items.slice(from, end), ...(end < items.length ? { token: Buffer.from(String(end)).toString('base64url') } : {}) };
}
