/** Who writes within the twin: deliverers by their marks on an object, controllers by its kind. */
import type { KubeObject } from '../store.ts';
import { groupOf } from '../types.ts';
import type { Comparison } from './compare.ts';
import type { Entry, Writer } from './entries.ts';

type Path = readonly string[];

/** As each writes, the nearest first: Flux installs charts by Helm, Argo CD renders them. */
const DELIVERERS: readonly { manager: string; operation: Writer['operation']; mark: string }[] = [
  { manager: 'kustomize-controller', operation: 'Apply', mark: 'kustomize.toolkit.fluxcd.io/name' },
  { manager: 'helm-controller', operation: 'Update', mark: 'helm.toolkit.fluxcd.io/name' },
  { manager: 'argocd-controller', operation: 'Update', mark: 'argocd.argoproj.io/tracking-id' },
  { manager: 'helm', operation: 'Update', mark: 'meta.helm.sh/release-name' },
];
const CONTROLLERS: Record<string, string> = {
  'karpenter.sh': 'karpenter',
  'karpenter.k8s.aws': 'karpenter',
  'helm.toolkit.fluxcd.io': 'helm-controller',
  'kustomize.toolkit.fluxcd.io': 'kustomize-controller',
  'source.toolkit.fluxcd.io': 'source-controller',
  'argoproj.io': 'argocd-application-controller',
};
/** Written by controllers, whoever delivers the object. */
const ANNOTATIONS = /^f:(deployment\.kubernetes\.io|karpenter\.sh|karpenter\.k8s\.aws)\//;

/** Who delivers an object that is made within the twin. undefined: its marks do not tell. */
export function delivererOf({ apiVersion, metadata: { labels = {}, annotations = {} } }: KubeObject): Writer | undefined {
  const found = DELIVERERS.find(({ mark }) => labels[mark] !== undefined || annotations[mark] !== undefined);
  return found && { manager: found.manager, operation: found.operation, apiVersion };
}

/** A change within the twin by its writers: status and marks of controllers are a controller's, the rest is whose the object is. */
export function shares(
  object: KubeObject,
  entries: readonly Entry[],
  { written, removed }: Comparison,
): { writer: Writer; comparison: Comparison }[] {
  const part = (keeps: (path: Path) => boolean): Comparison => ({ written: written.filter(keeps), removed: removed.filter(keeps) });
  const { apiVersion, kind } = object;
  const group = groupOf(apiVersion);
  const manager = CONTROLLERS[group] ?? (group === '' && ['Pod', 'Node'].includes(kind) ? 'kubelet' : 'kube-controller-manager');
  const controller: Writer = { manager, operation: 'Update', apiVersion, ...(group === 'argoproj.io' ? {} : { subresource: 'status' }) };
  const owner = entries.find((entry) => entry.subresource === undefined && isDeliverer(entry.manager));
  const rest: Writer = owner
    ? { manager: owner.manager, operation: owner.operation, apiVersion }
    : { manager: manager === 'kubelet' ? 'kube-controller-manager' : manager, operation: 'Update', apiVersion };
  return [
    { writer: controller, comparison: part(isOfController) },
    { writer: rest, comparison: part((path) => !isOfController(path)) },
  ];
}

const isDeliverer = (manager: string): boolean =>
  DELIVERERS.some((deliverer) => deliverer.manager === manager) || manager.startsWith('Terraform');

function isOfController([first, second = '', third = '']: Path): boolean {
  if (first === 'f:status') return true;
  return first === 'f:metadata' && (second === 'f:finalizers' || (second === 'f:annotations' && ANNOTATIONS.test(third)));
}
