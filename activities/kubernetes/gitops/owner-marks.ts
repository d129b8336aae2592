/** Whose marks an object bears: the one reader of what Flux, Argo CD, Terraform and Helm write on what they deliver. */
import type { Deliverer } from '../../../domain/facts/facts.ts';
import { type Keeper, keeper } from '../../../domain/facts/owners.ts';
import type { KubeObject } from '../../contract/ports.ts';
import { controllerOf } from '../../clients/kubernetes/objects.ts';

/**
 * Before "/name" and "/namespace" in the labels by which each kind says what it has applied. ResourceSets are the Flux Operator's, which sets no owner
 * reference. Sources: fluxcd.io/flux/components; controlplaneio-fluxcd/flux-operator, internal/builder/resourceset.go.
 */
const FLUX_LABELS = {
  Kustomization: 'kustomize.toolkit.fluxcd.io',
  ResourceSet: 'resourceset.fluxcd.controlplane.io',
  HelmRelease: 'helm.toolkit.fluxcd.io',
} as const;

type FluxKind = keyof typeof FLUX_LABELS;

export interface Mark {
  by: Deliverer;
  /** The object that delivers this one, where the mark names it. */
  deliverer?: { kind: FluxKind | 'Application'; namespace?: string; name: string };
}

type Metadata = Pick<KubeObject['metadata'], 'labels' | 'annotations' | 'managedFields'>;

/**
 * Field managers of the tools when they write. Terraform's typed resources name none, so the API server takes what is before the first "/" of the
 * provider's User-Agent, "HashiCorp/1.0 Terraform/…". Sources: terraform-provider-kubernetes, kubernetes/provider.go; apiserver,
 * pkg/endpoints/handlers/create.go, managerOrUserAgent.
 */
export const FIELD_MANAGERS: Record<Keeper, RegExp> = {
  flux: /^(?:kustomize-controller|helm-controller|flux-operator)$/,
  argocd: /^argocd-/,
  terraform: /^(?:Terraform|HashiCorp$|terraform-provider-kubernetes)/,
};

/** What each leaves behind, the nearest first: Flux installs charts by Helm, Argo CD renders them. */
const READERS: readonly ((metadata: Metadata) => Mark | undefined)[] = [
  (metadata) => ofFlux(metadata, 'Kustomization'),
  (metadata) => ofFlux(metadata, 'ResourceSet'),
  (metadata) => ofFlux(metadata, 'HelmRelease'),
  ofArgo,
  (metadata) => (managedBy(metadata, FIELD_MANAGERS.terraform) ? { by: 'terraform' } : undefined),
  ({ annotations = {} }) => (annotations['meta.helm.sh/release-name'] === undefined ? undefined : { by: 'helm' }),
];

/** Every mark on an object, by its labels, annotations and field managers. */
export function marksOn(metadata: Metadata): Mark[] {
  return READERS.flatMap((read) => read(metadata) ?? []);
}

/** Who delivers an object. undefined: nobody has left marks. */
export function deliveredBy(metadata: Metadata): Deliverer | undefined {
  return marksOn(metadata)[0]?.by;
}

/** Who keeps an object as it is declared elsewhere, and would put a change back. */
export function keeperOf({ metadata }: { metadata: Metadata }): Keeper | undefined {
  return keeper(deliveredBy(metadata));
}

/**
 * Who would put back a change of an object that itself delivers a chart (HelmRelease, OCIRepository, Application): what has left its name on
 * it, also by label tracking, else its owner reference, as of an ApplicationSet. undefined: nobody, so a change of the object stays.
 */
export function ownerOf(object: KubeObject): string | undefined {
  const { labels = {} } = object.metadata;
  const marks = marksOn(object.metadata);
  // Argo CD's own controllers are among the field managers of every Application: only a name says who keeps it.
  const named = marks.find(({ deliverer }) => deliverer !== undefined)?.deliverer;
  if (named !== undefined)
    return named.namespace === undefined ? `${named.kind} ${named.name}` : `${named.kind} ${named.namespace}/${named.name}`;
  const instance = labels['app.kubernetes.io/instance'];
  if (instance !== undefined) return `Application ${instance}`;
  if (marks.some(({ by }) => by === 'terraform')) return 'Terraform';
  const controller = controllerOf(object);
  return controller === undefined ? undefined : `${controller.kind} ${controller.name}`;
}

function ofFlux({ labels = {} }: Metadata, kind: FluxKind): Mark | undefined {
  const name = labels[`${FLUX_LABELS[kind]}/name`];
  return name === undefined
    ? undefined
    : { by: 'flux', deliverer: { kind, namespace: labels[`${FLUX_LABELS[kind]}/namespace`] ?? '', name } };
}

/** "karpenter:apps/Deployment:kube-system/karpenter"; an Application outside of Argo CD's namespace is "namespace_name". */
function ofArgo(metadata: Metadata): Mark | undefined {
  const { labels = {}, annotations = {} } = metadata;
  const name = annotations['argocd.argoproj.io/tracking-id']?.split(':')[0] ?? labels['argocd.argoproj.io/instance'];
  if (name !== undefined) return { by: 'argocd', deliverer: { kind: 'Application', name } };
  const others = annotations['argocd.argoproj.io/installation-id'] !== undefined || managedBy(metadata, FIELD_MANAGERS.argocd);
  return others ? { by: 'argocd' } : undefined;
}

function managedBy({ managedFields = [] }: Metadata, manager: RegExp): boolean {
  return managedFields.some((entry) => manager.test(entry.manager ?? ''));
}
