/** Whose an object is by Helm's own marks, and how one that no release owns becomes a part of one: by adoption, never by deletion. */
import { KEEPERS } from '../../../domain/facts/owners.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { keeperOf } from '../gitops/owner-marks.ts';
import { readRelease } from './release.ts';
import { annotate, lookThenPatch, relabel } from '../objects/patch-object.ts';

const NAME = 'meta.helm.sh/release-name';
const NAMESPACE = 'meta.helm.sh/release-namespace';
const MANAGED_BY = 'app.kubernetes.io/managed-by';

export interface ReleaseName {
  namespace: string;
  name: string;
}

/** The release that an object is a part of: uninstalling it takes the object along. */
export function releaseNameOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[NAME];
}

export function releaseNamespaceOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[NAMESPACE];
}

/**
 * Deliverer the object as a part of the release, as Helm wants it before it touches an object that it did not make (helm.sh: "Adopt resources
 * into a chart"). Deliverer of a release that is gone are overwritten. false: it is a part of that release already, or there is no such object.
 * Throws Configuration for what belongs to another release, or to Argo CD, Flux or Terraform: two owners would fight for it.
 */
export async function adoptForHelm(port: KubernetesPort, ref: ResourceRef, release: ReleaseName, known?: KubeObject): Promise<boolean> {
  const object = known ?? (await port.get(ref));
  if (object === undefined) return false;
  const owner = await otherOwner(port, object, release);
  if (owner !== undefined) {
    throw failureOf(
      'Configuration',
      `adopting ${ref.plural}/${ref.name} for Helm release ${release.namespace}/${release.name}: ${owner} owns it; let that owner upgrade it and say so in managedBy,${owner.startsWith('Helm') ? ' name its release in belay.yaml,' : ''} or give it up there`,
    );
  }
  const result = await lookThenPatch(
    port,
    ref,
    (seen) => [...relabel(seen, { [MANAGED_BY]: 'Helm' }), ...annotate(seen, { [NAME]: release.name, [NAMESPACE]: release.namespace })],
    object,
  );
  return result.kind === 'there' && result.changed;
}

/** Who would put back what others change on the object, by its marks; undefined: nobody, or Helm, which looks at it only in its next upgrade. */
export function gitOpsOwner(object: KubeObject): string | undefined {
  const by = keeperOf(object);
  return by === undefined ? undefined : KEEPERS[by];
}

async function otherOwner(port: KubernetesPort, object: KubeObject, release: ReleaseName): Promise<string | undefined> {
  const gitOps = gitOpsOwner(object);
  if (gitOps !== undefined) return gitOps;
  const name = releaseNameOf(object);
  const namespace = releaseNamespaceOf(object) ?? release.namespace;
  if (name === undefined || (name === release.name && namespace === release.namespace)) return undefined;
  const there = await readRelease(port, namespace, name);
  return there === undefined || there.status === 'uninstalled' ? undefined : `Helm release ${namespace}/${name}`;
}
