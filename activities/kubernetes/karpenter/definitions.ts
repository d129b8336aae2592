/** Karpenter's CustomResourceDefinitions: whose they are, and whether they serve. They are adopted, never deleted: their objects would go with them. */
import type { KubeObject, KubernetesPort, ResourceRef } from '../../ports.ts';
import { deliveredBy } from '../../readiness/delivery.ts';
import { failureOf } from '../../translate-errors.ts';
import { readRelease } from '../helm-release.ts';
import { annotate, lookThenPatch, relabel } from '../look-then-patch.ts';
import { type Condition, isTrue } from '../shapes.ts';

/** What the chart karpenter-crd installs; older ones lack the last two. Source: aws/karpenter-provider-aws charts/karpenter-crd (1.14). */
const DEFINITIONS = [
  'ec2nodeclasses.karpenter.k8s.aws',
  'nodepools.karpenter.sh',
  'nodeclaims.karpenter.sh',
  'nodeoverlays.karpenter.sh',
  'capacitybuffers.autoscaling.x-k8s.io',
];

const RELEASE = 'meta.helm.sh/release-name';
const NAMESPACE = 'meta.helm.sh/release-namespace';
const MANAGED_BY = 'app.kubernetes.io/managed-by';

type Definition = KubeObject<unknown, { conditions?: Condition[] }>;

export interface ReleaseName {
  namespace: string;
  name: string;
}

const refOf = (name: string): ResourceRef => ({ apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions', name });

/**
 * Marks the definitions as parts of this release, as Helm itself marks what it installs: without that the first install of karpenter-crd ends with
 * "invalid ownership metadata" (karpenter.sh/docs/troubleshooting: Helm Error When Installing the karpenter-crd Chart). Gives the names of those
 * that were nobody's, or of a release that is gone. Throws InvalidRequest for a definition that somebody else delivers.
 */
export async function adoptDefinitions(port: KubernetesPort, release: ReleaseName): Promise<string[]> {
  const adopted: string[] = [];
  for (const name of DEFINITIONS) {
    const found = await port.get<Definition>(refOf(name));
    if (found === undefined) continue;
    const owner = await otherOwner(port, found, release);
    if (owner !== undefined) {
      throw failureOf(
        'InvalidRequest',
        `adopting ${name} for Helm release ${release.namespace}/${release.name}: it belongs to ${owner}; name that in belay.yaml (managedBy.karpenter, or karpenter.crdRelease)`,
      );
    }
    const result = await lookThenPatch<Definition>(
      port,
      refOf(name),
      (definition) => [
        ...relabel(definition, { [MANAGED_BY]: 'Helm' }),
        ...annotate(definition, { [RELEASE]: release.name, [NAMESPACE]: release.namespace }),
      ],
      found,
    );
    if (result.kind === 'there' && result.changed) adopted.push(name);
  }
  return adopted;
}

/** undefined: it is of this release already, or nobody's. */
async function otherOwner(port: KubernetesPort, { metadata }: Definition, { namespace, name }: ReleaseName): Promise<string | undefined> {
  const by = deliveredBy(metadata);
  if (by === 'flux' || by === 'argocd') return by === 'flux' ? 'Flux' : 'Argo CD';
  const { [RELEASE]: release, [NAMESPACE]: at = namespace } = metadata.annotations ?? {};
  if (release === undefined || (release === name && at === namespace)) return undefined;
  const other = await readRelease(port, at, release);
  return other === undefined || other.status === 'uninstalled' ? undefined : `Helm release ${at}/${release}`;
}

/** Names of definitions that are there and not served yet. */
export async function unestablished(port: KubernetesPort): Promise<string[]> {
  const found = await Promise.all(DEFINITIONS.map((name) => port.get<Definition>(refOf(name))));
  return found.flatMap((definition) => (definition === undefined || isTrue(definition, 'Established') ? [] : [definition.metadata.name]));
}
