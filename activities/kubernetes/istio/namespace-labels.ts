/** Moves namespaces between revisions by label, with a before-image on each, and back exactly. */
import { z } from 'zod';
import type { WaveBefore } from '../../contract.ts';
import { beat } from '../../context.ts';
import type { KubernetesPort, ResourceRef } from '../../ports.ts';
import { readJson } from '../../read-json.ts';
import { failureOf, failureType } from '../../translate-errors.ts';
import { listServed } from '../lists.ts';
import type { Namespace } from '../shapes.ts';
import { INJECTION, labelsOf, REV } from './inventory.ts';

/** JSON on a moved namespace: its labels before, and whereto it was moved. On a tag's webhook: the revision before. */
export const ISTIO_BEFORE = 'belay.dev/istio-before';

const Before = z.object({ injection: z.string().nullable(), rev: z.string().nullable(), to: z.string() });

const ATTEMPTS = 10;
const refOf = (name: string): ResourceRef => ({ apiVersion: 'v1', plural: 'namespaces', name });

/** The labels as they are now. A namespace that is gone is left out. */
export async function readLabels(port: KubernetesPort, namespaces: readonly string[]): Promise<WaveBefore[]> {
  const found = await listed(port, namespaces);
  return namespaces.flatMap((namespace) => {
    const one = found.get(namespace);
    return one === undefined ? [] : [{ namespace, ...labelsOf(one) }];
  });
}

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
  return await change(port, namespace, (found) => {
    const labels = labelsOf(found);
    if (labels.rev === revision && labels.injection === null) return undefined;
    const kept = readBefore(found);
    const before = kept?.to === revision ? kept : { ...labels, to: revision };
    return { labels: { [INJECTION]: null, [REV]: revision }, annotations: { [ISTIO_BEFORE]: JSON.stringify(before) } };
  });
}

/** null takes a label away. The annotation goes with the same patch. */
export async function moveBackByLabel(port: KubernetesPort, { namespace, injection, rev }: WaveBefore): Promise<boolean> {
  beat({ kind: 'moving back', namespace });
  return await change(port, namespace, (found) => {
    const labels = labelsOf(found);
    const noted = found.metadata.annotations?.[ISTIO_BEFORE] !== undefined;
    if (labels.injection === injection && labels.rev === rev && !noted) return undefined;
    return { labels: { [INJECTION]: injection, [REV]: rev }, annotations: { [ISTIO_BEFORE]: null } };
  });
}

/** The same for all of these that carry one. */
export async function forgetAll(port: KubernetesPort, namespaces: readonly string[]): Promise<void> {
  for (const [name, { metadata }] of await listed(port, namespaces)) {
    if (metadata.annotations?.[ISTIO_BEFORE] !== undefined) await forgetBefore(port, name);
  }
}

/** Takes the before-image away: there is no way back any more. */
export async function forgetBefore(port: KubernetesPort, namespace: string): Promise<boolean> {
  beat({ kind: 'forgetting', namespace });
  return await change(port, namespace, (found) =>
    found.metadata.annotations?.[ISTIO_BEFORE] === undefined ? undefined : { annotations: { [ISTIO_BEFORE]: null } },
  );
}

/** Whereto Belay moved the namespace, by its before-image. */
export function readBefore(namespace: Namespace): z.infer<typeof Before> | undefined {
  return readJson(namespace.metadata.annotations?.[ISTIO_BEFORE], Before);
}

type MetadataPatch = { labels?: Record<string, string | null>; annotations?: Record<string, string | null> };

/** A merge patch that carries the resourceVersion it was decided on: the server refuses it when somebody was faster. */
async function change(port: KubernetesPort, name: string, decide: (namespace: Namespace) => MetadataPatch | undefined): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const found = await port.get<Namespace>(refOf(name));
    if (found === undefined) return false;
    const decided = decide(found);
    if (decided === undefined) return true;
    // The last annotation takes the map along: it is then as if it had never been there.
    const lasting = Object.keys(found.metadata.annotations ?? {}).some((key) => decided.annotations?.[key] !== null);
    const sets = Object.values(decided.annotations ?? {}).some((value) => value !== null);
    const metadata = lasting || sets || decided.annotations === undefined ? decided : { ...decided, annotations: null };
    try {
      const { resourceVersion } = found.metadata;
      await port.patch(refOf(name), { type: 'merge', body: { metadata: { ...metadata, resourceVersion } } });
      return true;
    } catch (error) {
      if (failureType(error) !== 'Conflict' && failureType(error) !== 'NotFound') throw error;
    }
  }
  throw failureOf('Conflict', `labelling namespace ${name}: others changed it ${ATTEMPTS} times in between`);
}
