/** Moves gateways between revisions in place: by the label that they name it with, or by a restart once their tag has moved; and back. */
import { z } from 'zod';
import type { Target } from '../../contract/target.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import { beat } from '../../runtime/context.ts';
import type { KubeObject, KubernetesDeps, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { gitOpsOwner } from '../../kubernetes/helm/ownership.ts';
import { annotate, editMap, type JsonOperation, lookThenPatch, relabel } from '../../kubernetes/objects/patch-object.ts';
import { PLURALS } from '../../kubernetes/objects/rollout.ts';
import { isOnDelete, restartWorkload } from '../../kubernetes/objects/restart-rollout.ts';
import { isTrue, type Gateway, type Workload } from '../../clients/kubernetes/objects.ts';
import { GATEWAYS } from '../mesh/find-gateways.ts';
import { readServices } from './read-gateways.ts';
import { REV } from '../mesh/inventory.ts';
import { ISTIO_BEFORE } from '../mesh/namespace-labels.ts';
import { cannotRestart } from './restart.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import type { GatewayBefore, GatewayRef, HeldGateway, RestartResult } from '../../contract/istio-objects.ts';

type Moves = Parameters<IstioActivities['moveGateways']>[0]['gateways'];

const Before = z.object({ rev: z.string().nullable(), to: z.string() });

export function refOf({ kind, namespace, name }: GatewayRef): ResourceRef {
  return kind === 'Gateway' ? { ...GATEWAYS, namespace, name } : { apiVersion: 'apps/v1', plural: PLURALS[kind], namespace, name };
}

export function createGatewayActivities(deps: KubernetesDeps): Pick<IstioActivities, 'readGateways' | 'moveGateways' | 'awaitGateways'> {
  const portOf = async ({ cluster }: Target): Promise<KubernetesPort> => (await deps.clusterPorts(cluster)).kubernetes;
  return {
    async readGateways({ gateways, ...target }) {
      const port = await portOf(target);
      const before: GatewayBefore[] = [];
      for (const { kind, namespace, name, how } of gateways) {
        const ref = { kind, namespace, name };
        const object = await port.get<Gateway & Workload>(refOf(ref));
        if (object === undefined) continue;
        before.push({
          ...ref,
          how,
          rev: labelOf(ref, object) ?? null,
          services: await readServices(port, ref, object),
          ...(kind === 'Gateway' && isTrue(object, 'Programmed') ? { programmed: true } : {}),
        });
      }
      return { before };
    },
    async moveGateways({ gateways, revision, restartedAt, ...target }) {
      return await move(await portOf(target), gateways, revision, restartedAt);
    },
    async awaitGateways({ cluster, timing, gateways, revision }) {
      const port = await portOf({ cluster });
      let left: string[] = [];
      const result = await waitUntil<true>(
        { timing, timeoutMs: timing.askTimeoutMs, doing: `waiting for gateways to name revision ${revision}` },
        async () => {
          left = [];
          for (const gateway of gateways) {
            const object = await port.get<Gateway & Workload>(refOf(gateway));
            // Gone meanwhile: nothing of it is left to move.
            if (object !== undefined && labelOf(gateway, object) !== revision) left.push(objectTitle(gateway));
          }
          return left.length === 0 ? { done: true, value: true } : { done: false, note: left.slice(0, 3).join(', ') };
        },
      );
      return { moved: result.kind === 'done', left };
    },
  };
}

async function move(
  port: KubernetesPort,
  gateways: Moves,
  revision: string,
  restartedAt: string,
): Promise<RestartResult & { held?: HeldGateway[] }> {
  const held: HeldGateway[] = [];
  const all: Required<Pick<RestartResult, 'restarted' | 'skipped' | 'notes'>> & { sets: NonNullable<RestartResult['byHand']>['sets'] } = {
    restarted: 0,
    skipped: [],
    notes: [],
    sets: [],
  };
  for (const gateway of gateways) {
    const what = objectTitle(gateway);
    beat({ kind: 'moving', gateway: what });
    if (gateway.how === 'follows') continue;
    const object = await port.get<Gateway & Workload>(refOf(gateway));
    if (object === undefined) {
      all.skipped.push({ workload: what, why: 'it is gone' });
      continue;
    }
    if (gateway.how !== 'restart') {
      const by = labelOf(gateway, object) === revision ? undefined : whyHeld(gateway, object);
      if (by !== undefined) {
        held.push({ gateway: { kind: gateway.kind, namespace: gateway.namespace, name: gateway.name }, what, by });
        continue;
      }
      await name(port, gateway, object, revision);
    }
    if (gateway.kind === 'Gateway') continue;
    const why = cannotRestart(gateway.kind, object);
    if (why !== undefined) {
      all.skipped.push({ workload: what, why });
      if (gateway.kind === 'DaemonSet' && isOnDelete(object))
        all.sets.push({ kind: 'DaemonSet', namespace: gateway.namespace, name: gateway.name });
    } else if (gateway.how === 'relabel' || (await restartWorkload(port, refOf(gateway), object, restartedAt))) all.restarted += 1;
    const release = object.metadata.annotations?.['meta.helm.sh/release-name'];
    if (gateway.how === 'relabel' && release !== undefined)
      all.notes.push(
        `${what}: set revision: ${revision} in the values of Helm release ${release}, or its next upgrade puts the old one back`,
      );
  }
  const { sets, notes, ...rest } = all;
  return {
    ...rest,
    ...(notes.length === 0 ? {} : { notes }),
    ...(sets.length === 0 ? {} : { byHand: { sets, pods: [] } }),
    ...(held.length === 0 ? {} : { held }),
  };
}

/** Why Belay does not edit it; undefined: it does. */
function whyHeld({ kind, how }: Moves[number], object: Gateway & Workload): string | undefined {
  const keeper = gitOpsOwner(object);
  if (keeper !== undefined) return keeper;
  if (how === 'owner') return 'whoever renders its image';
  const fixed = kind !== 'Gateway' && object.spec?.selector?.matchLabels?.[REV] !== undefined;
  return fixed ? 'its selector, which has istio.io/rev and can never be changed' : undefined;
}

function labelOf({ kind }: GatewayRef, object: Gateway & Workload): string | undefined {
  return kind === 'Gateway' ? object.metadata.labels?.[REV] : object.spec?.template?.metadata?.labels?.[REV];
}

const relabelled = ({ kind }: GatewayRef, object: Gateway & Workload, rev: string | null): JsonOperation[] =>
  kind === 'Gateway'
    ? relabel(object, { [REV]: rev })
    : editMap('/spec/template/metadata/labels', object.spec?.template?.metadata?.labels, { [REV]: rev });

/** A changed template rolls the workload; a changed Gateway has istiod of that revision change its Deployment. */
async function name(port: KubernetesPort, gateway: GatewayRef, known: Gateway & Workload, revision: string): Promise<void> {
  await lookThenPatch<Gateway & Workload>(
    port,
    refOf(gateway),
    (seen) => {
      const rev = labelOf(gateway, seen) ?? null;
      if (rev === revision) return undefined;
      const kept = readJson(seen.metadata.annotations?.[ISTIO_BEFORE], Before);
      const before = kept?.to === revision ? kept : { rev, to: revision };
      return [...relabelled(gateway, seen, revision), ...annotate(seen, { [ISTIO_BEFORE]: JSON.stringify(before) })];
    },
    known,
  );
}

/** Their labels as they were, and the same restart. Returns those that somebody else keeps, where they still name another revision than before. */
export async function moveGatewaysBack(
  port: KubernetesPort,
  gateways: readonly GatewayBefore[],
  restartedAt: string | undefined,
): Promise<HeldGateway[]> {
  const held: HeldGateway[] = [];
  for (const gateway of gateways) {
    const { kind, namespace, name: own, how, rev } = gateway;
    beat({ kind: 'moving back', gateway: objectTitle(gateway) });
    const object = how === 'follows' ? undefined : await port.get<Gateway & Workload>(refOf(gateway));
    if (object === undefined) continue;
    if (how === 'restart') {
      if (restartedAt !== undefined && kind !== 'Gateway' && cannotRestart(kind, object) === undefined)
        await restartWorkload(port, refOf(gateway), object, restartedAt);
      continue;
    }
    const by = (labelOf(gateway, object) ?? null) === rev ? undefined : whyHeld(gateway, object);
    if (by !== undefined) {
      held.push({ gateway: { kind, namespace, name: own }, what: objectTitle(gateway), by });
      continue;
    }
    await lookThenPatch<Gateway & Workload>(
      port,
      refOf(gateway),
      (seen) => [...relabelled(gateway, seen, rev), ...annotate(seen, { [ISTIO_BEFORE]: null })],
      object,
    );
  }
  return held;
}

/** Takes the before-images of gateways away: there is no way back any more. */
export async function forgetGateways(port: KubernetesPort, gateways: readonly GatewayRef[]): Promise<void> {
  for (const gateway of gateways) await lookThenPatch<KubeObject>(port, refOf(gateway), (seen) => annotate(seen, { [ISTIO_BEFORE]: null }));
}
