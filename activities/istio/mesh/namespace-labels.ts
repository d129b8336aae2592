/** Moves namespaces between revisions by label, with a before-image on each, and back exactly. */
import { z } from 'zod';
import { beat } from '../../runtime/context.ts';
import type { KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import { annotate, lookThenPatch, relabel } from '../../kubernetes/objects/patch-object.ts';
import type { Namespace } from '../../clients/kubernetes/objects.ts';
import { INJECTION, labelsOf, REV } from './inventory.ts';
import { labelKeeper } from './namespace-keepers.ts';
import type { HeldLabels, HeldPointer, WaveBefore } from '../../contract/istio-objects.ts';

/** JSON on a moved namespace: its labels before, and whereto it was moved. On a tag's webhook: the revision before. */
export const ISTIO_BEFORE = 'belay.dev/istio-before';

const Before = z.object({ injection: z.string().nullable(), rev: z.string().nullable(), to: z.string() });

const refOf = (name: string): ResourceRef => ({ apiVersion: 'v1', plural: 'namespaces', name });

/** The labels as they are now. A namespace that is gone is left out. */
export async function readLabels(port: KubernetesPort, namespaces: readonly string[]): Promise<WaveBefore[]> {
  const found = await listed(port, namespaces);
  return namespaces.flatMap((namespace) => {
    const one = found.get(namespace);
    return one === undefined ? [] : [{ namespace, ...labelsOf(one) }];
  });
}

/** Those that do not select the revision yet, and whose labels somebody else keeps: a patch would be put back. */
export async function heldLabels(port: KubernetesPort, namespaces: readonly string[], revision: string): Promise<HeldLabels[]> {
  const found = await listed(port, namespaces);
  return namespaces.flatMap((namespace) => {
    const one = found.get(namespace);
    const by = one === undefined || selects(one, revision) ? undefined : labelKeeper(one);
    return by === undefined ? [] : [{ namespace, by }];
  });
}

/** Namespaces that do not select the revision by their label, with what they select; one that is gone selects nothing, and is not missed. */
export async function labelsLeft(
  port: KubernetesPort,
  namespaces: readonly string[],
  revision: string,
): Promise<{ namespace: string; now: string }[]> {
  const found = await listed(port, namespaces);
  return [...found.values()]
    .filter((one) => !selects(one, revision))
    .map((one) => {
      const { injection, rev } = labelsOf(one);
      const now = [injection === null ? undefined : `${INJECTION}=${injection}`, rev === null ? undefined : `${REV}=${rev}`];
      return { namespace: one.metadata.name, now: now.filter((part) => part !== undefined).join(', ') || 'no label of Istio' };
    });
}

const selects = (namespace: Namespace, revision: string): boolean => {
  const { injection, rev } = labelsOf(namespace);
  return injection === null && rev === revision;
};

/** In one list, whatever their number. */
async function listed(port: KubernetesPort, names: readonly string[]): Promise<Map<string, Namespace>> {
  const wanted = new Set(names);
  const keep = (namespace: Namespace): Namespace | undefined =>
    wanted.has(namespace.metadata.name) ? { metadata: namespace.metadata } : undefined;
  const all = await listServed<Namespace>(port, { apiVersion: 'v1', plural: 'namespaces' }, keep);
  return new Map(all.map((namespace) => [namespace.metadata.name, namespace]));
}

/** istio-injection wins over istio.io/rev, so it has to go in the same patch. false: the namespace is gone. */
export async function moveByLabel(port: KubernetesPort, namespace: string, revision: string): Promise<boolean> {
  beat({ kind: 'moving', namespace });
  const result = await lookThenPatch<Namespace>(port, refOf(namespace), (found) => {
    const labels = labelsOf(found);
    if (labels.rev === revision && labels.injection === null) return undefined;
    const kept = readBefore(found);
    const before = kept?.to === revision ? kept : { ...labels, to: revision };
    return [...relabel(found, { [INJECTION]: null, [REV]: revision }), ...annotate(found, { [ISTIO_BEFORE]: JSON.stringify(before) })];
  });
  return result.kind === 'there';
}

/** null takes a label away. The annotation goes with the same patch. Labels that somebody else keeps are left to them, who is returned. */
export async function moveBackByLabel(
  port: KubernetesPort,
  { namespace, injection, rev }: WaveBefore,
): Promise<{ there: boolean; held?: HeldPointer }> {
  beat({ kind: 'moving back', namespace });
  let by: string | undefined;
  const result = await lookThenPatch<Namespace>(port, refOf(namespace), (found) => {
    const labels = relabel(found, { [INJECTION]: injection, [REV]: rev });
    by = labels.length === 0 ? undefined : labelKeeper(found);
    return [...(by === undefined ? labels : []), ...annotate(found, { [ISTIO_BEFORE]: null })];
  });
  const held = by === undefined ? {} : { held: { what: `Namespace ${namespace} (${REV})`, by } };
  return { there: result.kind === 'there' && by === undefined, ...held };
}

/** The before-images of all of these go. */
export async function forgetAll(port: KubernetesPort, namespaces: readonly string[]): Promise<void> {
  for (const namespace of (await listed(port, namespaces)).values()) await forgetBefore(port, namespace);
}

/** Takes the before-image away, if the namespace carries one: there is no way back any more. */
export async function forgetBefore(port: KubernetesPort, namespace: Namespace): Promise<void> {
  const { name, annotations } = namespace.metadata;
  if (annotations?.[ISTIO_BEFORE] === undefined) return;
  beat({ kind: 'forgetting', namespace: name });
  await lookThenPatch(port, refOf(name), (found) => annotate(found, { [ISTIO_BEFORE]: null }), namespace);
}

/** Whereto Belay moved the namespace, by its before-image. */
export function readBefore(namespace: Namespace): z.infer<typeof Before> | undefined {
  return readJson(namespace.metadata.annotations?.[ISTIO_BEFORE], Before);
}
