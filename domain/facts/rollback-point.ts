/** What a cluster was like before a run changed anything, as far as going back needs it: bounded in size, and without secrets. */
import type { ClusterFacts, DeliveredChart, GatewayFact, MeshNamespaceFact, NodeGroupFact, NodePoolFact } from './facts.ts';
import { field, isRecord } from '../core/unknown.ts';

/** Of the whole record, in characters of JSON. */
export const POINT_LIMIT = 256 * 1024;

export interface AddOnPoint {
  name: string;
  version: string;
  managed: boolean;
  /** As people have set them, secrets left out; absent: none, or not read. */
  configuration?: unknown;
  /** ARN of the IAM role of its service account (IRSA); absent: none, or not read. */
  role?: string;
  /** EKS Pod Identity associations that belong to it; absent: none, or not read. */
  podIdentities?: AddOnIdentity[];
}

export interface AddOnIdentity {
  serviceAccount: string;
  /** ARN of the IAM role. */
  role: string;
}

/** A release of Helm: its values stay where Helm keeps them, under that revision. */
export interface ReleasePoint {
  namespace: string;
  name: string;
  revision: number;
  chart: string;
  /** Istio's revision that it installs; absent: it is none of Istio's. */
  istio?: string;
}

export interface NodeClassPoint {
  name: string;
  /** As on the object; absent: not read. */
  amiSelectorTerms?: unknown;
  amiFamily?: string;
}

export interface RollbackPointRecord {
  format: 1;
  runId: string;
  /** The API servers' time, ISO 8601. */
  readAt: string;
  controlPlane: string;
  addOns: AddOnPoint[];
  nodeGroups: Pick<NodeGroupFact, 'name' | 'version' | 'releaseVersion' | 'amiType' | 'launchTemplate'>[];
  karpenter?: { version: string; api?: string };
  nodeClasses: NodeClassPoint[];
  nodePools: Pick<NodePoolFact, 'name' | 'nodeClass' | 'budgets'>[];
  istioRevisions: { revision: string; version: string }[];
  istioTags: { tag: string; revision: string }[];
  meshNamespaces: Pick<MeshNamespaceFact, 'name' | 'mode' | 'selector'>[];
  istioGateways: Pick<GatewayFact, 'kind' | 'namespace' | 'name' | 'by' | 'selector'>[];
  deliveredCharts: Pick<DeliveredChart, 'kind' | 'namespace' | 'name' | 'chart' | 'version'>[];
  releases: ReleasePoint[];
  /** What was left out as a secret, cut for its size or not read, in words. */
  leftOut: string[];
}

/** As far as the way back of a step reads it. */
export function isPoint(json: unknown): json is RollbackPointRecord {
  const isList = (key: string): boolean => {
    const list = field(json, key);
    return Array.isArray(list) && list.every((each) => typeof field(each, 'name') === 'string');
  };
  return field(json, 'format') === 1 && isList('nodeClasses') && isList('nodeGroups');
}

/** Everything that the facts say; configurations, selector terms and releases are read beside them. */
export function pointOf(facts: ClusterFacts, runId: string): RollbackPointRecord {
  const { controlPlane, karpenter, istio, readAt, unknowns } = facts;
  return {
    format: 1,
    runId,
    readAt,
    controlPlane: controlPlane.version,
    addOns: facts.addOns.map(({ name, version, managed }) => ({ name, version, managed })),
    nodeGroups: facts.nodeGroups.map(({ name, version, releaseVersion, amiType, launchTemplate }) => ({
      name,
      version,
      releaseVersion,
      amiType,
      launchTemplate,
    })),
    ...(karpenter === undefined ? {} : { karpenter: { version: karpenter.version, api: karpenter.api } }),
    nodeClasses: (karpenter?.nodeClasses ?? []).map(({ name, amiFamily }) => ({ name, amiFamily })),
    nodePools: (karpenter?.nodePools ?? []).map(({ name, nodeClass, budgets }) => ({ name, nodeClass, budgets })),
    istioRevisions: (istio?.revisions ?? []).map(({ revision, version }) => ({ revision, version })),
    istioTags: istio?.tags ?? [],
    meshNamespaces: (istio?.namespaces ?? []).map(({ name, mode, selector }) => ({ name, mode, selector })),
    istioGateways: (istio?.gateways ?? []).map(({ kind, namespace, name, by, selector }) => ({ kind, namespace, name, by, selector })),
    deliveredCharts: [...(karpenter?.deliveredCharts ?? []), ...(istio?.deliveredCharts ?? [])].map(
      ({ kind, namespace, name, chart, version }) => ({ kind, namespace, name, chart, version }),
    ),
    releases: [],
    leftOut: unknowns.map(({ what, why }) => `${what}: not read, ${why}`),
  };
}

const SECRET_KEY = /pass(?:word|wd|phrase)|secret|token|credential|private|api_?key|access_?key|auth/i;
const HIDDEN = '[left out]';

/** Values with everything below a key that may hold a secret replaced; `hidden`: the paths of these keys. */
export function withoutSecrets(values: unknown, path = ''): { values: unknown; hidden: string[] } {
  if (Array.isArray(values)) {
    const parts = values.map((value, index) => withoutSecrets(value, `${path}[${index}]`));
    // An environment variable has its name beside its value.
    return { values: parts.map((part) => part.values), hidden: parts.flatMap(({ hidden }) => hidden) };
  }
  if (!isRecord(values)) return { values, hidden: [] };
  const named = typeof values['name'] === 'string' && SECRET_KEY.test(values['name']);
  const parts = Object.entries(values).map(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (SECRET_KEY.test(key) || (named && key === 'value')) return { key, values: HIDDEN, hidden: [at] };
    return { key, ...withoutSecrets(value, at) };
  });
  return {
    values: Object.fromEntries(parts.map((part) => [part.key, part.values])),
    hidden: parts.flatMap(({ hidden }) => hidden),
  };
}

const LISTS = [
  'meshNamespaces',
  'istioGateways',
  'nodePools',
  'nodeClasses',
  'nodeGroups',
  'releases',
  'deliveredCharts',
  'addOns',
  'leftOut',
] as const;

/** The same, not longer than `limit` characters of JSON: the longest lists lose their ends, which is said. */
export function boundedPoint(point: RollbackPointRecord, limit = POINT_LIMIT): RollbackPointRecord {
  let bounded = point;
  const cut = new Set<(typeof LISTS)[number]>();
  const said = (): RollbackPointRecord => ({
    ...bounded,
    leftOut: [
      ...bounded.leftOut,
      ...[...cut].map((list) => `${list}: ${bounded[list].length} of ${point[list].length} kept, for the size`),
    ],
  });
  while (JSON.stringify(said()).length > limit) {
    const longest = LISTS.toSorted((a, b) => JSON.stringify(bounded[b]).length - JSON.stringify(bounded[a]).length)[0] ?? 'leftOut';
    const { length } = bounded[longest];
    if (length === 0) break;
    cut.add(longest);
    bounded = { ...bounded, [longest]: bounded[longest].slice(0, Math.floor(length / 2)) };
  }
  return said();
}
