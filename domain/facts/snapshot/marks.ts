/** Which labels and annotations a snapshot keeps: those that decide something. */
import { isRecord } from '../../core/unknown.ts';
import { shortened, STAND_INS, type StandIn } from './stand-ins.ts';

export interface MarksKept {
  /** Keys of labels beside those of LABELS: what a selector of the cluster names, and who owns a workload by belay.yaml. */
  labels: ReadonlySet<string>;
  /** Keys of annotations beside those of ANNOTATIONS: who owns a workload by belay.yaml. */
  annotations: ReadonlySet<string>;
}

export const NO_MARKS: MarksKept = { labels: new Set(), annotations: new Set() };

/** Domains whose labels say where a node or pod belongs; their subdomains as well. */
export const LABEL_DOMAINS = [
  'kubernetes.io',
  'k8s.io',
  'karpenter.sh',
  'karpenter.k8s.aws',
  'amazonaws.com',
  'istio.io',
  'fluxcd.io',
  'fluxcd.controlplane.io',
  'argoproj.io',
  'helm.sh',
  'cert-manager.io',
  'belay.dev',
] as const;

/** Labels without a domain that charts put on everything, and that Istio and controllers of Kubernetes read. */
export const LABELS = [
  'app',
  'component',
  'chart',
  'control-plane',
  'controller-revision-hash',
  'istio',
  'istio-injection',
  'job-name',
  'k8s-app',
  'name',
  'operator',
  'pod-template-generation',
  'pod-template-hash',
  'release',
  'revision',
  'role',
  'tier',
  'version',
] as const;

/** Annotations that decide something, each with what is kept of it; `true`: the whole. */
export const ANNOTATIONS: Readonly<Record<string, true | StandIn>> = {
  'karpenter.sh/do-not-disrupt': true,
  'karpenter.sh/do-not-evict': true,
  'karpenter.sh/do-not-consolidate': true,
  'karpenter.sh/nodepool-hash': true,
  'karpenter.sh/nodepool-hash-version': true,
  'karpenter.k8s.aws/ec2nodeclass-hash': true,
  'karpenter.k8s.aws/ec2nodeclass-hash-version': true,
  'cluster-autoscaler.kubernetes.io/safe-to-evict': true,
  'cluster-autoscaler.kubernetes.io/scale-down-disabled': true,
  'controller.kubernetes.io/pod-deletion-cost': true,
  'deployment.kubernetes.io/revision': true,
  'storageclass.kubernetes.io/is-default-class': true,
  'volume.kubernetes.io/selected-node': true,
  'istio.io/rev': true,
  'inject.istio.io/templates': true,
  'sidecar.istio.io/inject': true,
  'sidecar.istio.io/status': 'injected',
  'meta.helm.sh/release-name': true,
  'meta.helm.sh/release-namespace': true,
  'argocd.argoproj.io/tracking-id': true,
  'argocd.argoproj.io/installation-id': 'present',
  'compatibility.karpenter.sh/v1beta1-kubelet-conversion': true,
  'kubectl.kubernetes.io/last-applied-configuration': 'applied',
};

/** Marks of Belay's own, and the keys alone of what says a security profile. */
const ANNOTATION_DOMAIN = 'belay.dev/';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

export function keptLabels(labels: unknown, marks: MarksKept): Record<string, string> | undefined {
  if (!isRecord(labels)) return undefined;
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      typeof value === 'string' && (isLabel(key) || marks.labels.has(key)) ? [[key, shortened(value)]] : [],
    ),
  );
}

export function keptAnnotations(annotations: unknown, marks: MarksKept): Record<string, string> | undefined {
  if (!isRecord(annotations)) return undefined;
  const kept = Object.entries(annotations).flatMap(([key, value]): [string, string][] => {
    const text = typeof value === 'string' ? annotation(key, value, marks) : undefined;
    return text === undefined ? [] : [[key, text]];
  });
  return Object.fromEntries(kept);
}

function annotation(key: string, value: string, marks: MarksKept): string | undefined {
  if (key.startsWith(APP_ARMOR)) return '';
  const how = Object.hasOwn(ANNOTATIONS, key) ? ANNOTATIONS[key] : undefined;
  if (how === true || key.startsWith(ANNOTATION_DOMAIN) || marks.annotations.has(key)) return shortened(value);
  if (how === undefined) return undefined;
  const kept = STAND_INS[how](value);
  return typeof kept === 'string' ? kept : '';
}

const PLAIN: ReadonlySet<string> = new Set(LABELS);

function isLabel(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return PLAIN.has(key);
  const domain = key.slice(0, slash);
  return LABEL_DOMAINS.some((each) => domain === each || domain.endsWith(`.${each}`));
}

/** Keys of labels that selectors and spread of this object name, to be kept of what is listed after it. */
export function selectedKeys(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) selectedKeys(each, into);
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (KEYS_OF.has(name)) addKeys(inner, into);
    else if (name === 'topologyKey' && typeof inner === 'string') into.add(inner);
    else if (EXPRESSIONS.has(name) && Array.isArray(inner)) inner.forEach((each) => addExpression(each, into));
    selectedKeys(inner, into);
  }
}

/** Maps of labels that must be there; `selector` is one of Services and ReplicationControllers. */
const KEYS_OF: ReadonlySet<string> = new Set(['matchLabels', 'nodeSelector', 'selector']);
const EXPRESSIONS: ReadonlySet<string> = new Set(['matchExpressions', 'requirements', 'matchLabelKeys', 'matchLabelExpressions']);

/** Keys whose values are text. */
export function addKeys(labels: unknown, into: Set<string>): void {
  if (!isRecord(labels)) return;
  for (const [key, value] of Object.entries(labels)) if (typeof value === 'string') into.add(key);
}

function addExpression(expression: unknown, into: Set<string>): void {
  if (typeof expression === 'string') into.add(expression);
  else if (isRecord(expression) && typeof expression['key'] === 'string') into.add(expression['key']);
}
