/** Waits until a real cluster stands: its mesh answers, its workloads are available, its nodes Ready. Wall time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from '../kubernetes/pods/pods.ts';
import type { Mesh } from './istio/mesh.ts';
import type { MirrorStore } from './mirror.ts';

const SETTLE_LIMIT_MS = 180_000;
const LOOK_MS = 500;

/** Each revision's istiod has written its authority into its webhook, and answers. */
export async function untilMeshed(mirror: MirrorStore, mesh: Mesh, wanted: readonly { revision: string }[]): Promise<void> {
  const revisions = wanted.map(({ revision }) => revision);
  const endMs = performance.now() + SETTLE_LIMIT_MS;
  const ready = (revision: string): boolean =>
    mesh.istiods.of(revision) !== undefined &&
    mirror
      .list('mutatingwebhookconfigurations', { labels: { 'istio.io/rev': revision } })
      .some((configuration) => configuration['webhooks']?.every((webhook: Webhook) => (webhook.clientConfig.caBundle ?? '') !== ''));
  for (;;) {
    mesh.follow(mirror);
    if (revisions.every(ready)) return;
    if (performance.now() > endMs) throw new Error(`istiod of ${revisions.join(' or ')} did not come up; its log says why`);
    await sleep(LOOK_MS);
  }
}

interface Webhook {
  clientConfig: { caBundle?: string };
}

/** Every workload is available and every node Ready. */
export async function untilSettled(mirror: MirrorStore, claims: number): Promise<void> {
  const endMs = performance.now() + SETTLE_LIMIT_MS;
  while (!settled(mirror, claims)) {
    if (performance.now() > endMs) throw new Error(`the real cluster did not settle: ${unsettled(mirror, claims)}`);
    await sleep(LOOK_MS);
  }
}

function settled(mirror: MirrorStore, claims: number): boolean {
  return unsettled(mirror, claims) === '';
}

/** For people; empty when all is as it should be. */
function unsettled(mirror: MirrorStore, claims: number): string {
  const waiting = mirror
    .list('deployments')
    .filter(({ spec, status }) => status?.availableReplicas !== spec?.replicas)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const ready = mirror.list('nodes').filter(isReady).length;
  const launched = mirror.list('nodeclaims').length;
  const all = mirror.list('nodes').length;
  return [
    ...(waiting.length > 0 ? [`Deployments not available: ${waiting.join(', ')}`] : []),
    ...(launched === claims ? [] : [`${launched} of ${claims} NodeClaims`]),
    ...(ready === all ? [] : [`${ready} of ${all} nodes Ready`]),
  ].join('; ');
}
