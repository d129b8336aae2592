/** EC2NodeClasses: which machine images their selectors mean for the API server's minor, and whether they are ready. */
import { type Ami, amiById, amiOfAlias, kubernetesArch } from '../../eks/amis.ts';
import { minorOf } from '../../eks/catalogue.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { setCondition } from '../conditions.ts';

const OTHER_CONDITIONS = ['SubnetsReady', 'SecurityGroupsReady', 'InstanceProfileReady', 'ValidationSucceeded', 'PlacementGroupReady'];

/** Karpenter 1.6 and later refuses Amazon Linux 2 aliases from Kubernetes 1.33 on, by a condition; earlier ones keep the old images. */
export function resolveNodeClass(world: World, nodeClass: KubeObject, karpenterVersion: string): void {
  const minor = world.apiServerVersion();
  const terms: { alias?: string; id?: string; name?: string }[] = nodeClass.spec?.amiSelectorTerms ?? [];
  const amis = terms.flatMap((term) => resolve(world, term, minor));
  const al2 = terms.some((t) => t.alias?.startsWith('al2@')) && minorOf(minor) >= 33;
  const unsupported = al2 && minorOf(karpenterVersion) >= 6;
  world.store.update('ec2nodeclasses', nodeClass.metadata.name, undefined, (copy) => {
    copy.status ??= {};
    for (const type of OTHER_CONDITIONS) setCondition(world, copy, type, 'True');
    if (unsupported)
      setCondition(world, copy, 'AMIsReady', 'False', 'UnsupportedAlias', 'AL2 is not supported on this version of Kubernetes');
    // Without an image for the new minor the old list stays and AMIsReady stays as it was: nodes silently keep the old minor.
    else if (amis.length > 0) {
      copy.status.amis = amis.map(render);
      setCondition(world, copy, 'AMIsReady', 'True');
    }
    const ready = !unsupported && (copy.status.amis ?? []).length > 0;
    setCondition(world, copy, 'Ready', ready ? 'True' : 'False', ready ? 'Ready' : 'UnhealthyDependents');
    // Karpenter takes a condition of an older generation for unknown.
    for (const condition of copy.status.conditions) condition.observedGeneration = copy.metadata.generation ?? 1;
  });
}

function resolve(world: World, term: { alias?: string; id?: string; name?: string }, minor: string): Ami[] {
  const found =
    term.alias !== undefined ? amiOfAlias(term.alias, minor, world.clock.now()) : term.id !== undefined ? amiById(term.id) : undefined;
  return found === undefined ? [] : [found];
}

function render(ami: Ami): Record<string, unknown> {
  return {
    id: ami.id,
    name: ami.name,
    deprecated: false,
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: [kubernetesArch(ami)] }],
  };
}

/** Image for the next node of a class. */
export function imageFor(nodeClass: KubeObject | undefined): Ami | undefined {
  const ids: string[] = (nodeClass?.status?.amis ?? []).map((a: { id: string }) => a.id);
  return ids.map(amiById).find((a) => a !== undefined);
}
