/** Karpenter's NodePools and EC2NodeClasses in the newest API that the cluster serves, shown as they would be in v1. */
import { applyEdits, type Manifest } from '../../../domain/plan/migration/edit.ts';
import { nodeClassToV1, nodePoolToV1 } from '../../../domain/plan/migration/to-v1.ts';
import { alphaRewrite } from '../../../domain/plan/migration/rewrites.ts';
import { EC2_NODE_CLASSES, NODE_POOLS } from '../../karpenter/objects/node-pools.ts';
import { isAtLeast } from '../../kubernetes/objects/kubelet-versions.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../contract/ports.ts';

export interface ShownAsV1<T> {
  objects: T[];
  /** The oldest API of these objects; absent: v1. */
  api?: 'v1beta1' | 'v1alpha5';
}

interface Kinds {
  v1: ListQuery;
  v1beta1: ListQuery;
  v1alpha5: ListQuery & { kind: string };
  toV1: (object: Manifest) => { edits: Parameters<typeof applyEdits>[1] };
}

const POOLS: Kinds = {
  v1: NODE_POOLS,
  v1beta1: { ...NODE_POOLS, apiVersion: 'karpenter.sh/v1beta1' },
  v1alpha5: { apiVersion: 'karpenter.sh/v1alpha5', plural: 'provisioners', kind: 'Provisioner' },
  toV1: (pool) => nodePoolToV1(pool),
};

const CLASSES: Kinds = {
  v1: EC2_NODE_CLASSES,
  v1beta1: { ...EC2_NODE_CLASSES, apiVersion: 'karpenter.k8s.aws/v1beta1' },
  v1alpha5: { apiVersion: 'karpenter.k8s.aws/v1alpha1', plural: 'awsnodetemplates', kind: 'AWSNodeTemplate' },
  toV1: (nodeClass) => nodeClassToV1(nodeClass),
};

/** `version`: the controller's. undefined: none of the APIs is served. */
export const listPoolsAsV1 = <T extends KubeObject>(port: KubernetesPort, version: string): Promise<ShownAsV1<T> | undefined> =>
  listAsV1<T>(port, POOLS, version);

export const listClassesAsV1 = <T extends KubeObject>(port: KubernetesPort, version: string): Promise<ShownAsV1<T> | undefined> =>
  listAsV1<T>(port, CLASSES, version);

async function listAsV1<T extends KubeObject>(port: KubernetesPort, kinds: Kinds, version: string): Promise<ShownAsV1<T> | undefined> {
  // Below 1.0 the CRDs may serve v1 as well, and show the fields of v1beta1 in it.
  const older = /^v?0\./.test(version);
  const now = older ? undefined : await port.list<T>(kinds.v1);
  if (now !== undefined) return { objects: now };
  const beta = await port.list(kinds.v1beta1);
  // Up to 0.32 Karpenter sees objects of v1alpha5; 0.33 and later pass over what is left of them.
  const { kind, ...query } = kinds.v1alpha5;
  const alpha = isAtLeast(version, '0.33') ? undefined : await port.list(query);
  if (beta === undefined && alpha === undefined) return undefined;
  const known = new Set((beta ?? []).map(({ metadata }) => metadata.name));
  const left = (alpha ?? []).filter(({ metadata }) => !known.has(metadata.name));
  const asBeta = left.map((object): Manifest => {
    const manifest = { ...object, apiVersion: query.apiVersion, kind };
    return applyEdits<Manifest>(manifest, alphaRewrite(manifest)?.edits ?? []);
  });
  const all = [...(beta ?? []).map((object): Manifest => ({ ...object })), ...asBeta];
  return {
    // What is written in v1 is of the shape that v1 has.
    objects: all.map((object) => applyEdits(object, kinds.toV1(object).edits) as unknown as T),
    api: (alpha ?? []).length > 0 || beta === undefined ? 'v1alpha5' : 'v1beta1',
  };
}
