/** EC2NodeClasses: which machine images their selectors mean for the API server's minor, and whether they are ready. */
import { type Ami, amiById, amisOfAlias, knownAmis, kubernetesArch, releaseOfDay } from '../../aws/eks/nodes/amis.ts';
import { minorOf } from '../../aws/eks/catalogue.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { setCondition } from '../conditions.ts';

const OTHER_CONDITIONS = ['SubnetsReady', 'SecurityGroupsReady', 'InstanceProfileReady', 'ValidationSucceeded', 'PlacementGroupReady'];

interface Term {
  alias?: string;
  id?: string;
  name?: string;
}

/**
 * As Karpenter's provider for AWS does (pkg/controllers/nodeclass/ami.go): 1.6 and later refuse Amazon Linux 2 aliases from Kubernetes 1.33 on, by a
 * condition; an alias without an image is an error that touches nothing; ids and names that match nothing are a condition.
 */
export function resolveNodeClass(world: World, nodeClass: KubeObject, karpenterVersion: string): void {
  const minor = world.apiServerVersion();
  const terms: Term[] = nodeClass.spec?.amiSelectorTerms ?? [];
  const byAlias = terms.some(({ alias }) => alias !== undefined);
  const amis = byAlias
    ? terms.flatMap(({ alias = '' }) => amisOfAlias(alias, minor, world.clock.now(), world.eks.images))
    : newestByArch(terms, world);
  const al2 = terms.some((t) => t.alias?.startsWith('al2@')) && minorOf(minor) >= 33;
  const unsupported = al2 && refusesAl2(karpenterVersion);
  world.store.update('ec2nodeclasses', nodeClass.metadata.name, undefined, (copy) => {
    copy.status ??= {};
    for (const type of OTHER_CONDITIONS) setCondition(world, copy, type, 'True');
    if (unsupported)
      setCondition(world, copy, 'AMIsReady', 'False', 'UnsupportedAlias', `Kubernetes version ${minor} does not support AL2 AMIs`);
    else if (amis.length > 0) {
      copy.status.amis = amis.map((ami) => render(ami, byAlias));
      setCondition(world, copy, 'AMIsReady', 'True');
    } else if (!byAlias && (copy.status.amis === undefined || !isOutOfSight(terms))) {
      copy.status.amis = [];
      setCondition(world, copy, 'AMIsReady', 'False', 'AMINotFound', 'AMISelector did not match any AMIs');
    }
    // An alias without an image for the new minor: the old list stays and AMIsReady stays as it was, so nodes silently keep the old minor.
    const ready = !unsupported && (copy.status.amis ?? []).length > 0;
    setCondition(world, copy, 'Ready', ready ? 'True' : 'False', ready ? 'Ready' : 'UnhealthyDependents');
    // Karpenter takes a condition of an older generation for unknown.
    for (const condition of copy.status.conditions) condition.observedGeneration = copy.metadata.generation ?? 1;
  });
}

/** By tags or parameters, which the twin's images have none of: what a loaded cluster's class has found before stays. */
const isOutOfSight = (terms: readonly Term[]): boolean =>
  terms.length > 0 && terms.every(({ alias, id, name }) => alias === undefined && id === undefined && name === undefined);

function refusesAl2(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 6);
}

/** Of several images for one architecture Karpenter keeps the newest. Names may have wildcards; the twin's images have no tags. */
function newestByArch(terms: readonly Term[], { eks, clock }: World): Ami[] {
  const shipped = (eks.images ?? knownAmis()).filter(({ release }) => release <= releaseOfDay(clock.now()));
  const found = shipped.filter((ami) => terms.some(({ id, name }) => id === ami.id || (name !== undefined && globs(name, ami.name))));
  return (['x86_64', 'arm64'] as const).flatMap(
    (arch) =>
      found
        .filter((ami) => ami.arch === arch)
        .toSorted(byRelease)
        .at(-1) ?? [],
  );
}

const byRelease = (a: Ami, b: Ami): number =>
  a.release < b.release ? -1 : a.release > b.release ? 1 : minorOf(a.minor) - minorOf(b.minor);
const globs = (pattern: string, name: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  ).test(name);

const GPUS = 'karpenter.k8s.aws/instance-gpu-count';
const DEVICES = 'karpenter.k8s.aws/instance-accelerator-count';

/** Only of an alias Karpenter knows which instances an image is for (amifamily/types.go). */
function variantOf({ variant }: Ami): { key: string; operator: string }[] {
  if (variant === 'nvidia') return [{ key: GPUS, operator: 'Exists' }];
  if (variant === 'neuron') return [{ key: DEVICES, operator: 'Exists' }];
  return [GPUS, DEVICES].map((key) => ({ key, operator: 'DoesNotExist' }));
}

function render(ami: Ami, byAlias: boolean): Record<string, unknown> {
  return {
    id: ami.id,
    name: ami.name,
    deprecated: false,
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: [kubernetesArch(ami)] }, ...(byAlias ? variantOf(ami) : [])],
  };
}

/** Image for the next node of a class; the twin's instances are of x86_64 where there is a choice. `like`: one of its architecture and variant comes first. */
export function imageFor(world: World, nodeClass: KubeObject | undefined, like?: Pick<Ami, 'arch' | 'variant'>): Ami | undefined {
  const ids: string[] = (nodeClass?.status?.amis ?? []).map((a: { id: string }) => a.id);
  const images = ids.flatMap((id) => amiById(id, world.eks.images) ?? []);
  const alike = images.filter(({ arch }) => arch === like?.arch);
  return alike.find(({ variant }) => variant === like?.variant) ?? alike[0] ?? images.find(({ arch }) => arch === 'x86_64') ?? images[0];
}
