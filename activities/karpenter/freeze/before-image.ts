/**
 * What Belay writes on a NodePool while it is frozen: the before-image, the guard's workflow id and our own budget entry. Metadata of a
 * NodePool is not hashed, so none of it drifts a node. A human can restore the pool from these annotations alone.
 */
import { z } from 'zod';
import { readJson } from '../../runtime/read-json.ts';
import type { NodePool } from '../../clients/kubernetes/objects.ts';
import { sameJson } from '../../runtime/same-json.ts';

export const BEFORE = 'belay.dev/budgets-before';
export const GUARD = 'belay.dev/freeze-guard';
export const ENTRY = 'belay.dev/freeze-entry';

/** Our budget entry; with schedule and duration one that ends by itself. */
export interface FreezeEntry {
  nodes: string;
  /** Absent: every reason, as in v1beta1, which knows none. */
  reasons?: string[];
  /** Five fields of cron, UTC: the minute at which it was written. */
  schedule?: string;
  /** "24h" */
  duration?: string;
}

/** `budgets` null: the key was absent, so the CRD's default of 10 % applied. `disruptionAbsent`: so was all of spec.disruption. */
export interface BudgetsBefore {
  budgets: unknown[] | null;
  disruptionAbsent?: boolean;
}

/** What applies where `budgets` is absent (default of the CRD). */
const DEFAULT_BUDGETS: readonly unknown[] = [{ nodes: '10%' }];

const Before = z.object({ budgets: z.array(z.unknown()).nullable(), disruptionAbsent: z.boolean().optional() });
const entryFields = {
  nodes: z.string(),
  reasons: z.array(z.string()).optional(),
  schedule: z.string().optional(),
  duration: z.string().optional(),
};
const Entry = z.object(entryFields);

/** `broken`: somebody edited the annotation, so nothing can be restored from it. */
export type Read<T> = { kind: 'none' } | { kind: 'read'; value: T } | { kind: 'broken' };

export function readBefore(pool: NodePool): Read<BudgetsBefore> {
  return readAnnotation(pool, BEFORE, Before);
}

export function readEntry(pool: NodePool): Read<FreezeEntry> {
  return readAnnotation(pool, ENTRY, Entry);
}

/** Does anything of a freeze stand on the pool? */
export const isMarked = ({ metadata: { annotations = {} } }: NodePool): boolean => [BEFORE, GUARD, ENTRY].some((key) => key in annotations);

function readAnnotation<T>(pool: NodePool, key: string, schema: z.ZodType<T>): Read<T> {
  const text = pool.metadata.annotations?.[key];
  if (text === undefined) return { kind: 'none' };
  const value = readJson(text, schema);
  return value === undefined ? { kind: 'broken' } : { kind: 'read', value };
}

/** The list as the object has it; null: absent. */
export function budgetsOf(pool: NodePool): unknown[] | null {
  return pool.spec?.disruption?.budgets ?? null;
}

export function beforeOf(pool: NodePool): BudgetsBefore {
  return { budgets: budgetsOf(pool), ...(pool.spec?.disruption === undefined ? { disruptionAbsent: true } : {}) };
}

/** What applies besides our entry: the list itself, or the default where it is absent. */
export function effective(budgets: unknown[] | null): unknown[] {
  return budgets ?? [...DEFAULT_BUDGETS];
}

/**
 * Position of our own entry, -1 where it is gone. An equal entry that was in the list before the freeze is not ours: as many as the
 * before-image has are left to their owners.
 */
export function ourIndex(pool: NodePool, entry: FreezeEntry): number {
  const list = budgetsOf(pool) ?? [];
  const before = readBefore(pool);
  const theirs = before.kind === 'read' ? countEqual(before.value.budgets ?? [], entry) : 0;
  return countEqual(list, entry) > theirs ? list.findLastIndex((candidate) => sameJson(candidate, entry)) : -1;
}

function countEqual(list: readonly unknown[], entry: FreezeEntry): number {
  return list.filter((candidate) => sameJson(candidate, entry)).length;
}

/** Is this an entry of ours, whatever its `nodes` value and however long it lasts? `scheduled`: ours ends by itself. */
export function isOurs(candidate: unknown, reasons: readonly string[] | undefined, scheduled: boolean): boolean {
  const parsed = z.strictObject(entryFields).safeParse(candidate);
  return parsed.success && sameJson(parsed.data.reasons, reasons) && (parsed.data.schedule !== undefined) === scheduled;
}
