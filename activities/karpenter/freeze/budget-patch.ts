/** Which operations freeze, pace and restore one NodePool. Pure; all of them give nothing when the pool is as wanted already. */
import type { NodePool } from '../../clients/kubernetes/objects.ts';
import { annotate, type JsonOperation } from '../../kubernetes/objects/patch-object.ts';
import {
  BEFORE,
  beforeOf,
  budgetsOf,
  effective,
  ENTRY,
  type FreezeEntry,
  GUARD,
  isOurs,
  ourIndex,
  readBefore,
  readEntry,
} from './before-image.ts';
import { sameJson } from '../../runtime/same-json.ts';

/** Takes the before-image (unless one is there) and has `entry` in the list (unless it is there), in one patch. */
export function freezeOperations(pool: NodePool, entry: FreezeEntry, guard: string): JsonOperation[] {
  const before = readBefore(pool);
  const image: Record<string, string> = before.kind === 'none' ? { [BEFORE]: JSON.stringify(beforeOf(pool)) } : {};
  // A first freeze appends always: an equal entry that stands there already belongs to others and stays when ours goes.
  const budgets = before.kind === 'none' ? [...effective(budgetsOf(pool)), entry] : withEntry(pool, entry);
  return [...annotate(pool, { ...image, [GUARD]: guard, [ENTRY]: JSON.stringify(entry) }), ...setBudgets(pool, budgets)];
}

/** Has our entry say `entry.nodes` on a frozen pool, and puts it back where others have removed it. Nothing on a pool that is not frozen. */
export function paceOperations(pool: NodePool, entry: FreezeEntry): JsonOperation[] {
  if (readBefore(pool).kind === 'none') return [];
  return [...annotate(pool, { [ENTRY]: JSON.stringify(entry) }), ...setBudgets(pool, withEntry(pool, entry))];
}

/** Is the pool under our freeze with exactly this entry? */
export function carries(pool: NodePool, entry: FreezeEntry): boolean {
  return readBefore(pool).kind !== 'none' && ourIndex(pool, entry) >= 0;
}

/** Does the entry that we wrote last still stand in the list? */
export function entryStands(pool: NodePool): boolean {
  const written = readEntry(pool);
  return written.kind === 'read' && ourIndex(pool, written.value) >= 0;
}

export type RestorePlan =
  | { kind: 'nothing' }
  /** Exactly as before. */
  | { kind: 'exact'; operations: JsonOperation[] }
  /** Others changed the list meanwhile: only our entry and our annotations go. */
  | { kind: 'entry-only'; operations: JsonOperation[] }
  | { kind: 'unreadable'; why: string };

export function restorePlan(pool: NodePool): RestorePlan {
  const before = readBefore(pool);
  const entry = readEntry(pool);
  const stray = annotate(pool, { [GUARD]: null, [ENTRY]: null });
  if (before.kind === 'none') return stray.length === 0 ? { kind: 'nothing' } : { kind: 'exact', operations: stray };
  if (before.kind === 'broken' || entry.kind === 'broken') {
    const key = before.kind === 'broken' ? BEFORE : ENTRY;
    return {
      kind: 'unreadable',
      why: `annotation ${key} was edited and cannot be read: set spec.disruption.budgets by hand, then remove the belay.dev annotations`,
    };
  }
  const cleaned = annotate(pool, { [BEFORE]: null, [GUARD]: null, [ENTRY]: null });
  const current = budgetsOf(pool);
  const written = entry.kind === 'read' ? entry.value : undefined;
  if (isBeforePlusOurs(current, before.value.budgets, written)) {
    const back = before.value.disruptionAbsent === true ? removeDisruption(pool) : setBudgets(pool, before.value.budgets);
    return { kind: 'exact', operations: [...cleaned, ...back] };
  }
  const at = written === undefined ? -1 : ourIndex(pool, written);
  if (at < 0) return { kind: 'entry-only', operations: cleaned };
  const left = (current ?? []).toSpliced(at, 1);
  // An empty list means no limit at all; unless people wanted just that before, the default is what remains.
  const budgets = left.length === 0 && !sameJson(before.value.budgets, []) ? null : left;
  return { kind: 'entry-only', operations: [...cleaned, ...setBudgets(pool, budgets)] };
}

/** True also where others have removed our entry and nothing else: then the list is as it was. */
function isBeforePlusOurs(current: unknown[] | null, before: unknown[] | null, written: FreezeEntry | undefined): boolean {
  if (sameJson(current, before)) return true;
  if (current === null) return false;
  if (before === null && sameJson(current, effective(null))) return true;
  const head = effective(before);
  if (current.length !== head.length + 1 || !sameJson(current.slice(0, -1), head)) return false;
  return isOurs(current.at(-1), written === undefined ? [] : written.reasons, written?.schedule !== undefined);
}

/** The list with our last written entry replaced by `entry`, or with `entry` appended where ours is gone. */
function withEntry(pool: NodePool, entry: FreezeEntry): unknown[] {
  const list = effective(budgetsOf(pool));
  const written = readEntry(pool);
  const at = ourIndex(pool, written.kind === 'read' ? written.value : entry);
  return at < 0 ? [...list, entry] : list.with(at, entry);
}

/** null removes the key, so that the default applies. */
function setBudgets(pool: NodePool, budgets: unknown[] | null): JsonOperation[] {
  const current = budgetsOf(pool);
  if (sameJson(current, budgets)) return [];
  if (budgets === null) return [{ op: 'remove', path: '/spec/disruption/budgets' }];
  if (pool.spec?.disruption === undefined) return [{ op: 'add', path: '/spec/disruption', value: { budgets } }];
  return [{ op: 'add', path: '/spec/disruption/budgets', value: budgets }];
}

/** Where spec.disruption was absent as a whole; fields that others have put there meanwhile stay. */
function removeDisruption(pool: NodePool): JsonOperation[] {
  const disruption = pool.spec?.disruption;
  if (disruption === undefined) return [];
  const others = Object.keys(disruption).some((field) => field !== 'budgets');
  return others ? setBudgets(pool, null) : [{ op: 'remove', path: '/spec/disruption' }];
}
