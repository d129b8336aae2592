/** Which fields of an object differ beyond those that may: what the admission policies say in CEL, for tests and for people. Pure. */
import { type Fields, isItems } from './fields.ts';

/** Paths such as spec.template.spec.containers; none: everything that differs may. An absent map is as good as an empty one. */
export function strayFields(before: unknown, after: unknown, fields: Fields, path: readonly string[] = []): string[] {
  const [was, is] = [mapOf(before), mapOf(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) => {
    const allowed = fields[key];
    if (allowed === 'any') return [];
    const at = [...path, key];
    if (allowed === undefined) return same(was[key], is[key]) ? [] : [at.join('.')];
    return isItems(allowed) ? strayItems(was[key], is[key], allowed.items, at) : strayFields(was[key], is[key], allowed, at);
  });
}

function strayItems(before: unknown, after: unknown, allowed: readonly string[], path: readonly string[]): string[] {
  const [was, is] = [listOf(before), listOf(after)];
  if (was.length !== is.length) return [path.join('.')];
  const fields = Object.fromEntries(allowed.map((key) => [key, 'any' as const]));
  const stray = is.some((item) => !was.some((earlier) => strayFields(earlier, item, fields).length === 0));
  return stray ? [`${path.join('.')}[]`] : [];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function mapOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null || Array.isArray(one) || Array.isArray(other))
    return false;
  const [a, b] = [mapOf(one), mapOf(other)];
  return Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => same(value, b[key]));
}
