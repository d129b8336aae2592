/** `metadata.managedFields` of what is about to be stored. */
import { equalJson } from '../json.ts';
import { kubeTime } from '../pods/pods.ts';
import type { FieldWriter, KubeObject, ResourceType } from '../store.ts';
import { BUILT_IN_TYPES } from '../types.ts';
import { NEWER_TYPES } from '../newer-types.ts';
import { compare, declared } from './compare.ts';
import { afterApply, afterUpdate, beforeFirstApply, entriesOf, type Entry, type Writer } from './entries.ts';
import type { FieldType } from './field-types.ts';
import { delivererOf, shares } from './writers.ts';

const BUILT_IN = new Set([...BUILT_IN_TYPES, ...NEWER_TYPES].map(({ group }) => group));

function typeOf({ group, kind }: ResourceType, writer?: FieldWriter): FieldType {
  return BUILT_IN.has(group) ? { kind, field: '', parent: '' } : { schema: writer?.schema, isRoot: true };
}

/** What a client's request is answered with before the server has added its own. */
const GIVEN: Record<string, readonly string[]> = {
  namespaces: ['finalizers'],
  services: ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'],
};

/** Of a new object, with defaults. `sent`: as the client sent it. Made within the twin, it has entries where its marks tell who delivers it. */
export function noteCreated(type: ResourceType, object: KubeObject, sent: KubeObject, nowMs: number, writer?: FieldWriter): void {
  const by: Writer | undefined = writer ?? (sent.metadata.managedFields === undefined ? delivererOf(object) : undefined);
  if (by === undefined) return;
  const own = { ...object };
  if (type.subresources?.includes('status')) delete own.status;
  const given = (GIVEN[type.plural] ?? []).filter((field) => sent.spec?.[field] === undefined);
  if (given.length > 0) own.spec = Object.fromEntries(Object.entries(own.spec ?? {}).filter(([key]) => !given.includes(key)));
  const fields = typeOf(type, writer);
  const comparison = compare({ apiVersion: '', kind: '' }, own, fields);
  const entries = entriesOf(sent.metadata.managedFields);
  const time = kubeTime(nowMs);
  if (by.operation === 'Update') return put(object, afterUpdate(entries, comparison, clean(by), time));
  put(object, afterApply(entries, comparison, { writer: clean(by), fields: declared(writer?.applied ?? own, fields), time }));
}

/** Of a changed object. One that has no entries gets none by an update, as on a real server. */
export function noteUpdated(type: ResourceType, before: KubeObject, after: KubeObject, nowMs: number, writer?: FieldWriter): void {
  const had = before.metadata.managedFields;
  const sent = after.metadata.managedFields;
  if (had === undefined && sent === undefined && writer?.operation !== 'Apply') return;
  // Whoever sets entries within the twin means them.
  if (writer === undefined && !equalJson(had, sent)) return;
  const isReset = Array.isArray(sent) && (sent.length === 0 || (sent.length === 1 && equalJson(sent[0], {})));
  const own = entriesOf(sent);
  const entries = isReset ? [] : own.length > 0 && writer?.subresource === undefined ? own : entriesOf(had);
  if (entries.length === 0 && writer?.operation !== 'Apply') return put(after, []);
  const fields = typeOf(type, writer);
  const comparison = compare(before, after, fields);
  const time = kubeTime(nowMs);
  if (writer === undefined) {
    const noted = shares(after, entries, comparison).reduce<Entry[]>(
      (noted, share) => afterUpdate(noted, share.comparison, share.writer, time),
      entries,
    );
    return put(after, noted);
  }
  if (writer.operation === 'Update') return put(after, afterUpdate(entries, comparison, clean(writer), time));
  const known = entries.length > 0 ? entries : beforeFirstApply(before, fields, writer, time);
  put(after, afterApply(known, comparison, { writer: clean(writer), fields: declared(writer.applied ?? {}, fields), time }));
}

function clean({ manager, operation, apiVersion, subresource }: Writer): Writer {
  return { manager, operation, apiVersion, ...(subresource === undefined ? {} : { subresource }) };
}

function put({ metadata }: KubeObject, entries: Entry[]): void {
  if (entries.length === 0) delete metadata.managedFields;
  else metadata.managedFields = entries;
}
