/** Compares a resource before and after a change: what differs beside what was declared, and beside what changes by itself. */
import { isRecord } from '../../core/unknown.ts';
import { isWithin, type Path } from './paths.ts';
import { isSeenInPart, isSelfChange, type ResourceKind } from './self-changes.ts';
import { defined } from '../../core/defined.ts';

export interface RawDifference {
  /** As people read it: elements that have names are called by them. */
  path: Path;
  /** The same in the resource after the change, by index; undefined: the element is gone. */
  at?: Path;
  /** Absent: it was not there. */
  before?: unknown;
  /** Absent: it is not there any more. */
  after?: unknown;
}

/** `declared`: patterns of paths that the change is meant to change. */
export function compareResource(
  kind: ResourceKind,
  before: unknown,
  after: unknown,
  declared: readonly (readonly string[])[],
): RawDifference[] {
  const found = [...differences({ path: [], at: [] }, before, after)];
  return found.filter(
    (each) =>
      !isSelfChange(kind, each.at ?? each.path, each.before === undefined) &&
      !isSelfChange(kind, each.path, each.before === undefined) &&
      !declared.some((pattern) => isWithin(each.at ?? each.path, pattern) || isWithin(each.path, pattern) || isOnTheWay(each, pattern)) &&
      !(isSeenInPart(kind) && each.before === undefined),
  );
}

/** A map that came or went whole with the one key that was declared. */
function isOnTheWay({ path, before, after }: RawDifference, pattern: readonly string[]): boolean {
  if (path.length >= pattern.length || !pattern.slice(0, path.length).every((part, index) => String(path[index]) === part)) return false;
  const whole = before === undefined ? after : after === undefined ? before : undefined;
  return onlyHolds(whole, pattern.slice(path.length));
}

function onlyHolds(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (!isRecord(value)) return false;
  const keys = Object.keys(value);
  return keys.every((key) => key === first) && (keys.length === 0 || onlyHolds(value[first], rest));
}

interface Place {
  path: Path;
  at: Path | undefined;
}

function* differences(place: Place, before: unknown, after: unknown): Generator<RawDifference> {
  if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* differences(into(place, key, key), before[key], after[key]);
  } else if (Array.isArray(before) && Array.isArray(after)) yield* ofLists(place, before, after);
  // null and absent say the same in both APIs, as do an empty list or map and none.
  else if (!isSame(before, after)) yield found(place, before, after);
}

const into = ({ path, at }: Place, segment: string | number, index: string | number | undefined): Place => ({
  path: [...path, segment],
  at: at === undefined || index === undefined ? undefined : [...at, index],
});

function found({ path, at }: Place, before: unknown, after: unknown): RawDifference {
  return {
    path,
    ...defined({ at }),
    ...(before === undefined || before === null ? {} : { before }),
    ...(after === undefined || after === null ? {} : { after }),
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (isNothing(a) && isNothing(b));
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
}

/** Elements with names by their names, in whatever order; others by their places, and as a whole where their number differs. */
function* ofLists(place: Place, before: unknown[], after: unknown[]): Generator<RawDifference> {
  const [had, has] = [byName(before), byName(after)];
  if (had !== undefined && has !== undefined && before.length + after.length > 0) {
    for (const name of new Set([...had.keys(), ...has.keys()])) {
      const index = after.findIndex((each) => nameOf(each) === name);
      yield* differences(into(place, `[${name}]`, index < 0 ? undefined : index), had.get(name), has.get(name));
    }
  } else if (before.length === after.length && before.every(isRecord)) {
    for (const [index, each] of before.entries()) yield* differences(into(place, index, index), each, after[index]);
  } else if (JSON.stringify(before) !== JSON.stringify(after)) yield found(place, before, after);
}

/** undefined: not all have one, or two have the same. */
function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const each of list) {
    const name = nameOf(each);
    if (name === undefined || named.has(name)) return undefined;
    named.set(name, each);
  }
  return named;
}

function nameOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { name, serviceAccount } = value;
  return typeof name === 'string' ? name : typeof serviceAccount === 'string' ? serviceAccount : undefined;
}
