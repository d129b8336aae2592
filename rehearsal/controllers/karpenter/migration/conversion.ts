/** Karpenter's kinds between v1beta1 and v1, as its conversion webhook has them (pkg/apis/v1/*_conversion.go of 1.0). v1 is the shape in which the twin keeps them. */
import type { Hubs } from '../../../kubernetes/http/requests/conversion.ts';
import { cloneJson } from '../../../kubernetes/json.ts';
import type { KubeObject, ObjectStore } from '../../../kubernetes/store.ts';

/** Settings of the kubelet that v1 has no place for in a NodePool, as JSON. */
export const KUBELET_ANNOTATION = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion';
const NODE_CLASS_ANNOTATION = 'compatibility.karpenter.sh/v1beta1-nodeclass-reference';
const ALIAS_ANNOTATION = 'compatibility.karpenter.k8s.aws/v1-alias-version';
/** Set by 1.0.6 and later on each object that it has stored anew. */
export const MIGRATED_ANNOTATION = 'karpenter.sh/stored-version-migrated';

/** What the CRDs of v1beta1 fill in. */
const EXPIRE_AFTER = '720h';
const METADATA_OPTIONS = { httpEndpoint: 'enabled', httpProtocolIPv6: 'disabled', httpPutResponseHopLimit: 2, httpTokens: 'required' };

/** `store`: a NodeClaim of v1beta1 gets its expiry from its NodePool. */
export function karpenterHubs(store: Pick<ObjectStore, 'get'>): Hubs {
  const hub = (toV1: (copy: KubeObject) => void, toBeta: (copy: KubeObject) => void) => ({
    toHub: (object: KubeObject) => (isBeta(object.apiVersion) ? changed(object, toV1) : object),
    fromHub: (object: KubeObject, version: string) => (isBeta(version) ? changed(object, toBeta) : object),
  });
  return {
    'nodepools.karpenter.sh': hub(poolToV1, poolToBeta),
    'nodeclaims.karpenter.sh': hub((claim) => claimToV1(claim, store), claimToBeta),
    'ec2nodeclasses.karpenter.k8s.aws': hub(classToV1, classToBeta),
  };
}

const isBeta = (version: string): boolean => version.endsWith('v1beta1');

function changed(object: KubeObject, change: (copy: KubeObject) => void): KubeObject {
  const copy = cloneJson(object);
  change(copy);
  return copy;
}

function annotate({ metadata }: KubeObject, values: Record<string, string | undefined>): void {
  const kept = Object.entries({ ...metadata.annotations, ...values }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  if (kept.length === 0) delete metadata.annotations;
  else metadata.annotations = Object.fromEntries(kept);
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
const parsed = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));

/** In the template of a pool, or in a claim. */
interface Referring {
  nodeClassRef?: { apiVersion?: string; group?: string; kind?: string; name?: string };
  kubelet?: unknown;
}

function specToV1(object: KubeObject, spec: Referring): void {
  const { apiVersion = 'karpenter.k8s.aws/', kind = 'EC2NodeClass', name = '' } = spec.nodeClassRef ?? {};
  annotate(object, { [KUBELET_ANNOTATION]: textOf(spec.kubelet), [NODE_CLASS_ANNOTATION]: textOf(spec.nodeClassRef) });
  spec.nodeClassRef = { group: apiVersion.split('/')[0] ?? '', kind, name };
  delete spec.kubelet;
}

function specToBeta(object: KubeObject, spec: Referring): void {
  const { annotations = {} } = object.metadata;
  const { kind, name } = spec.nodeClassRef ?? {};
  const kubelet = parsed(annotations[KUBELET_ANNOTATION]);
  const before = parsed(annotations[NODE_CLASS_ANNOTATION]) ?? { ...(kind === undefined ? {} : { kind }), name };
  Object.assign(spec, { nodeClassRef: before }, kubelet === undefined ? {} : { kubelet });
  annotate(object, { [KUBELET_ANNOTATION]: undefined, [NODE_CLASS_ANNOTATION]: undefined, [MIGRATED_ANNOTATION]: undefined });
}

function poolToV1(pool: KubeObject): void {
  const { template } = pool.spec;
  const { expireAfter = EXPIRE_AFTER, consolidationPolicy = 'WhenUnderutilized', ...disruption } = pool.spec.disruption ?? {};
  specToV1(pool, template.spec);
  template.spec.expireAfter = expireAfter;
  const underutilized = consolidationPolicy === 'WhenUnderutilized';
  pool.spec.disruption = {
    ...disruption,
    consolidationPolicy: underutilized ? 'WhenEmptyOrUnderutilized' : consolidationPolicy,
    ...(underutilized ? { consolidateAfter: '0s' } : {}),
  };
}

function poolToBeta(pool: KubeObject): void {
  const { template } = pool.spec;
  const { expireAfter, terminationGracePeriod: _onlyV1, ...spec } = template.spec;
  template.spec = spec;
  specToBeta(pool, spec);
  const { consolidationPolicy, consolidateAfter, budgets, ...disruption } = pool.spec.disruption ?? {};
  const underutilized = consolidationPolicy === 'WhenEmptyOrUnderutilized';
  pool.spec.disruption = {
    ...disruption,
    consolidationPolicy: underutilized ? 'WhenUnderutilized' : consolidationPolicy,
    ...(underutilized || consolidateAfter === undefined ? {} : { consolidateAfter }),
    ...(expireAfter === undefined ? {} : { expireAfter }),
    // Budgets by reason are v1's: here they hold every reason.
    ...(budgets === undefined ? {} : { budgets: budgets.map(({ reasons: _reasons, ...budget }: { reasons?: string[] }) => budget) }),
  };
}

function claimToV1(claim: KubeObject, store: Pick<ObjectStore, 'get'>): void {
  specToV1(claim, claim.spec);
  const pool = store.get('nodepools', claim.metadata.labels?.['karpenter.sh/nodepool'] ?? '');
  const expireAfter = pool?.spec?.template?.spec?.expireAfter;
  if (expireAfter !== undefined) claim.spec.expireAfter = expireAfter;
}

function claimToBeta(claim: KubeObject): void {
  const { expireAfter: _expireAfter, terminationGracePeriod: _grace, ...spec } = claim.spec;
  claim.spec = spec;
  specToBeta(claim, spec);
}

const FAMILIES = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022'];

interface Term {
  alias?: string;
}

function classToV1(nodeClass: KubeObject): void {
  const { spec, metadata } = nodeClass;
  const release = metadata.annotations?.[ALIAS_ANNOTATION] ?? 'latest';
  annotate(nodeClass, { [ALIAS_ANNOTATION]: undefined });
  spec.metadataOptions = { ...METADATA_OPTIONS, ...spec.metadataOptions };
  const terms: Term[] = spec.amiSelectorTerms ?? [];
  if (!FAMILIES.includes(spec.amiFamily)) spec.amiFamily = 'Custom';
  else if (terms.length === 0) {
    spec.amiSelectorTerms = [{ alias: `${String(spec.amiFamily).toLowerCase()}@${release}` }];
    delete spec.amiFamily;
  }
}

function classToBeta(nodeClass: KubeObject): void {
  const { spec } = nodeClass;
  const terms: Term[] = spec.amiSelectorTerms ?? [];
  const [family, release] = terms.find(({ alias }) => alias !== undefined)?.alias?.split('@') ?? [];
  if (family !== undefined) {
    spec.amiFamily = FAMILIES.find((known) => known.toLowerCase() === family) ?? spec.amiFamily;
    delete spec.amiSelectorTerms;
  }
  delete spec.kubelet;
  annotate(nodeClass, {
    [ALIAS_ANNOTATION]: release === undefined || release === 'latest' ? undefined : release,
    [MIGRATED_ANNOTATION]: undefined,
  });
}
