/** The entries of `metadata.managedFields`: k8s.io/apimachinery, pkg/util/managedfields/internal. */
import { equalJson, isObject } from '../json.ts';
import { compare, type Comparison } from './compare.ts';
import { FieldSet } from './field-set.ts';
import type { FieldType } from './field-types.ts';

export interface Writer {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
}

export interface Entry extends Writer {
  /** "2026-03-02T09:00:00Z" */
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1: unknown;
}

/** Nobody owns these: pkg/util/managedfields/internal/stripmeta.go. */
const OF_THE_SERVER = [
  ...['apiVersion', 'kind', 'metadata'].map((field) => `f:${field}`),
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
    (field) => `f:metadata f:${field}`,
  ),
];
const stripped = (set: FieldSet): FieldSet => set.filter((path) => !OF_THE_SERVER.includes(path.join(' ')));

/** What is no list of entries counts as none. */
export const entriesOf = (managedFields: unknown): Entry[] => (Array.isArray(managedFields) ? managedFields.filter(isEntry) : []);

function isEntry(value: unknown): value is Entry {
  return isObject(value) && typeof value.manager === 'string' && (value.operation === 'Apply' || value.operation === 'Update');
}

/** Entries after a write: the writer owns what it has changed, and nobody else does. Who changes nothing leaves no trace. */
export function afterUpdate(entries: readonly Entry[], { written, removed }: Comparison, writer: Writer, time: string): Entry[] {
  const taken = stripped(written);
  const lost = written.union(removed);
  const rest = lost.isEmpty ? [...entries] : entries.flatMap((entry) => without(entry, lost));
  return taken.isEmpty ? rest : withFields(rest, taken, writer, time);
}

/** Entries after server-side apply: the writer owns what it declares, and alone what it has changed. */
export function afterApply(
  entries: readonly Entry[],
  { written, removed }: Comparison,
  applied: { writer: Writer; fields: FieldSet; time: string },
): Entry[] {
  const lost = written.union(removed);
  const previous = entries.find((entry) => isOf(entry, applied.writer));
  const others = entries.filter((entry) => entry !== previous).flatMap((entry) => without(entry, lost));
  const fieldsV1 = stripped(applied.fields).toJson();
  const time = previous !== undefined && lost.isEmpty && equalJson(previous.fieldsV1, fieldsV1) ? previous.time : applied.time;
  return inOrder([...others, { ...applied.writer, time, fieldsType: 'FieldsV1', fieldsV1 }]);
}

/** Of an object that had no entries when it was first applied. */
export function beforeFirstApply(object: object, type: FieldType, { apiVersion }: Writer, time: string): Entry[] {
  const { written, removed } = compare({}, object, type);
  return afterUpdate([], { written, removed }, { manager: 'before-first-apply', operation: 'Update', apiVersion }, time);
}

function without(entry: Entry, lost: FieldSet): Entry[] {
  if (!lost.touches(entry.fieldsV1)) return [entry];
  const left = FieldSet.fromJson(entry.fieldsV1).minus(lost);
  return left.isEmpty ? [] : [{ ...entry, fieldsV1: left.toJson() }];
}

function withFields(entries: readonly Entry[], taken: FieldSet, writer: Writer, time: string): Entry[] {
  const previous = entries.find((entry) => isOf(entry, writer));
  const fields = previous === undefined ? taken : FieldSet.fromJson(previous.fieldsV1).union(taken);
  // Real servers write no time for what goes through `scale`.
  const at = writer.subresource === 'scale' ? {} : { time };
  const own: Entry = { ...writer, ...at, fieldsType: 'FieldsV1', fieldsV1: fields.toJson() };
  return inOrder([...entries.filter((entry) => entry !== previous), own]);
}

/** Who updates in two versions has two entries, who applies has one. */
function isOf(entry: Entry, { manager, operation, apiVersion, subresource = '' }: Writer): boolean {
  const isSame = entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === subresource;
  return isSame && (operation === 'Apply' || entry.apiVersion === apiVersion);
}

function inOrder(entries: Entry[]): Entry[] {
  const key = ({ operation, time = '', manager, apiVersion, subresource = '' }: Entry): string[] => [
    operation,
    time,
    manager,
    apiVersion,
    subresource,
  ];
  return entries.toSorted((left, right) => {
    const [a, b] = [key(left), key(right)];
    const index = a.findIndex((part, at) => part !== b[at]);
    return index === -1 ? 0 : (a[index] ?? '') < (b[index] ?? '') ? -1 : 1;
  });
}
