/** Karpenter's CustomResourceDefinitions: whose they are, and whether they serve. They are adopted, never deleted: their objects would go with them. */
import { compareMinors, parseComponentVersion } from '../../../domain/core/component-version.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { adoptForHelm, type ReleaseName, releaseNameOf } from '../../kubernetes/helm/ownership.ts';
import { type Condition, isTrue } from '../../clients/kubernetes/objects.ts';

/** What the chart karpenter-crd installs; older ones lack the last two. Source: aws/karpenter-provider-aws charts/karpenter-crd (1.14). */
const DEFINITIONS = [
  'ec2nodeclasses.karpenter.k8s.aws',
  'nodepools.karpenter.sh',
  'nodeclaims.karpenter.sh',
  'nodeoverlays.karpenter.sh',
  'capacitybuffers.autoscaling.x-k8s.io',
];

/** Beside them in karpenter-crd of 0.32, the last that has them. */
const OF_ALPHA = ['provisioners.karpenter.sh', 'machines.karpenter.sh', 'awsnodetemplates.karpenter.k8s.aws'];
const AFTER_ALPHA = parseComponentVersion('0.33.0');

/** Those whose objects came over v1beta1 to v1. */
export const V1_DEFINITIONS = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'];

type Definition = KubeObject<unknown, { conditions?: Condition[] }>;

const refOf = (name: string): ResourceRef => ({ apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions', name });

/**
 * Deliverer the definitions of version `to` as parts of this release: without that the first install of karpenter-crd ends with "invalid ownership metadata"
 * (karpenter.sh/docs/troubleshooting: Helm Error When Installing the karpenter-crd Chart). Gives the names of those that were nobody's, or of a
 * release that is gone. Throws for a definition that somebody else delivers.
 */
export async function adoptDefinitions(port: KubernetesPort, release: ReleaseName, to: string): Promise<string[]> {
  const adopted: string[] = [];
  for (const name of compareMinors(parseComponentVersion(to), AFTER_ALPHA) < 0 ? [...DEFINITIONS, ...OF_ALPHA] : DEFINITIONS) {
    if (await adoptForHelm(port, refOf(name), release)) adopted.push(name);
  }
  return adopted;
}

/** Names of definitions that no Helm release has marked as its own. */
export function unowned(port: KubernetesPort): Promise<string[]> {
  return namesOf(port, (definition) => releaseNameOf(definition) === undefined);
}

/** Names of definitions that are there and not served yet. */
export function unestablished(port: KubernetesPort): Promise<string[]> {
  return namesOf(port, (definition) => !isTrue(definition, 'Established'));
}

async function namesOf(port: KubernetesPort, which: (definition: Definition) => boolean): Promise<string[]> {
  const found = await Promise.all(DEFINITIONS.map((name) => port.get<Definition>(refOf(name))));
  return found.flatMap((definition) => (definition !== undefined && which(definition) ? [definition.metadata.name] : []));
}
