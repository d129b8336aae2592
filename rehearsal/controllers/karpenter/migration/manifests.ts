/** NodePools and EC2NodeClasses that Git has as v1beta1 become v1: what the platform team merges when it is asked to. */
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { KUBELET_ANNOTATION } from './conversion.ts';

const APPLIER = 'kustomize-controller';
/** Of whoever applied an object once and keeps it nowhere. */
export const KUBECTL = 'kubectl-client-side-apply';
/** Applied by Flux or by Terraform, in whatever version. */
const isOfGit = ({ metadata: { managedFields } }: KubeObject): boolean =>
  Array.isArray(managedFields) && managedFields.every(({ manager }) => manager !== KUBECTL);
const applierOf = ({ metadata: { managedFields } }: KubeObject): string =>
  (Array.isArray(managedFields) ? managedFields[0]?.manager : undefined) ?? APPLIER;

/** Who applied the object, and in which version, as the API server notes it. */
export function appliedAs(apiVersion: string, time: string, manager = APPLIER): object[] {
  return [{ manager, operation: 'Apply', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } }];
}

/** The EC2NodeClass gets its pools' kubelet settings. The annotation is none of Git's, so it stays; objects of nobody's Git stay as they are. */
export function rewriteManifests(world: World, managedBy: string): void {
  const pools = world.store.list('nodepools').filter(isOfGit);
  for (const pool of pools) {
    const kubelet = pool.metadata.annotations?.[KUBELET_ANNOTATION];
    const { name } = pool.spec.template.spec.nodeClassRef;
    if (kubelet === undefined || world.store.get('ec2nodeclasses', name) === undefined) continue;
    world.store.update('ec2nodeclasses', name, undefined, ({ spec }) => void (spec.kubelet = JSON.parse(kubelet)));
  }
  const time = world.clock.now().toISOString();
  for (const plural of ['ec2nodeclasses', 'nodepools']) {
    for (const { metadata } of world.store.list(plural).filter(isOfGit)) {
      world.store.update(plural, metadata.name, undefined, (copy) => {
        copy.metadata.managedFields = appliedAs(
          `${plural === 'nodepools' ? 'karpenter.sh' : 'karpenter.k8s.aws'}/v1`,
          time,
          applierOf(copy),
        );
      });
    }
  }
  world.journal.tell(`${managedBy} applies NodePools and EC2NodeClasses as v1`);
}
