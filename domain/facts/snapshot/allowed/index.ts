/** The allow-list of a snapshot as a whole, compiled when it is first used. */
import { listKey, type SnapshotKubeObject } from '../format.ts';
import { type MarksKept, NO_MARKS } from '../marks.ts';
import { project, type Shape, shapeOf } from '../project.ts';
import { ACCESS } from './access.ts';
import { ACCOUNT } from './account.ts';
import { ADMISSION, CLUSTER } from './cluster.ts';
import { DELIVERY } from './delivery.ts';
import { EKS } from './eks.ts';
import { KARPENTER } from './karpenter.ts';
import { kindOf } from './kinds.ts';
import { storedBeside } from './stored.ts';
import type { AllowedCall, AllowedList } from './types.ts';
import { WORKLOADS } from './workloads.ts';

/** In the order in which they are listed: what selects before what is selected, since labels that a selector names are kept. */
const DECIDING: readonly AllowedList[] = [...ADMISSION, ...KARPENTER, ...WORKLOADS, ...CLUSTER, ...ACCESS, ...DELIVERY];

export const LISTS: readonly AllowedList[] = [...DECIDING, ...storedBeside(DECIDING)];

export const CALLS: readonly AllowedCall[] = [...EKS, ...ACCOUNT];

/** Of every object. */
export const METADATA: readonly string[] = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
  'metadata.deletionGracePeriodSeconds',
  'metadata.generation',
  'metadata.labels=labels',
  'metadata.annotations=annotations',
  'metadata.finalizers[]',
  'metadata.ownerReferences[].apiVersion',
  'metadata.ownerReferences[].kind',
  'metadata.ownerReferences[].name',
  'metadata.ownerReferences[].uid',
  'metadata.ownerReferences[].controller',
];

/** Which program wrote it in which API version, and which parts of a spec are whose; never what they wrote. */
export const WRITERS: readonly string[] = [
  ...['manager', 'operation', 'apiVersion', 'time', 'subresource'].map((each) => `metadata.managedFields[].${each}`),
  'metadata.managedFields[].fieldsV1.f:spec.f:template.*=present',
  'metadata.managedFields[].fieldsV1.f:spec.*=present',
];

const compiled = <K, T>(make: () => Map<K, T>): ((key: K) => T | undefined) => {
  let made: Map<K, T> | undefined;
  return (key) => (made ??= make()).get(key);
};

const shapeOfList = compiled<string, Shape>(
  () =>
    new Map(
      LISTS.map(({ apiVersion, plural, groups, writers }) => [
        listKey(apiVersion, plural),
        shapeOf([...METADATA, ...(writers === true ? WRITERS : []), ...groups.flatMap(({ paths }) => paths)]),
      ]),
    ),
);

const shapeOfCall = compiled<string, Shape>(
  () => new Map(CALLS.map(({ service, operation, groups }) => [`${service} ${operation}`, shapeOf(groups.flatMap(({ paths }) => paths))])),
);

/** The object as a snapshot keeps it. `apiVersion` and `plural` are those of the list that it is of. */
export function keptObject(object: object, list: { apiVersion: string; plural: string }, marks: MarksKept = NO_MARKS): SnapshotKubeObject {
  const shape = shapeOfList(listKey(list.apiVersion, list.plural));
  const kept = shape === undefined ? {} : project(object, shape, marks);
  // Items of a list do not say what they are.
  return { apiVersion: list.apiVersion, kind: kindOf(list.plural), ...(kept as Pick<SnapshotKubeObject, 'metadata'>) };
}

/** The answer as a snapshot keeps it; of an operation that is not on the list nothing. */
export function keptAnswer(service: string, operation: string, output: unknown): Record<string, unknown> {
  const shape = shapeOfCall(`${service} ${operation}`);
  return shape === undefined ? {} : ((project(output, shape) ?? {}) as Record<string, unknown>);
}
