/** Looks into recorded answers of AWS: their shapes are those of the SDK, and any part of them may be missing. */
import { isRecord } from '../../../../domain/core/unknown.ts';
import type { Snapshot, SnapshotCall } from '../../../../domain/facts/snapshot/format.ts';

export type Fields = Record<string, unknown>;

export interface Answer {
  input: Fields;
  output: Fields;
}

/** Answers to one operation, in the order in which they came; refusals and pages that said nothing are left out. */
export function answersTo(snapshot: Snapshot, operation: string): Answer[] {
  return snapshot.calls.flatMap(({ operation: own, input, output }: SnapshotCall) =>
    own === operation && output !== undefined ? [{ input, output }] : [],
  );
}

/** The records of one list in all answers to an operation. */
export function all(snapshot: Snapshot, operation: string, list: string): Fields[] {
  return answersTo(snapshot, operation).flatMap(({ output }) => records(output[list]));
}

/** The one record of each answer to a Describe operation. */
export function each(snapshot: Snapshot, operation: string, member: string): Fields[] {
  return answersTo(snapshot, operation).flatMap(({ output }) => {
    const found = output[member];
    return isRecord(found) ? [found] : [];
  });
}

export const records = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
export const record = (value: unknown): Fields => (isRecord(value) ? value : {});
export const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
export const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
export const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const map = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(record(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/** Epoch milliseconds of a date, which the file has in ISO 8601. */
export function time(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
