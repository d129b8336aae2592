/** Waits until a revision's control plane can take namespaces, until tags point at it, and until a retired one is gone. */
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { rolloutLack } from '../../kubernetes/objects/rollout.ts';
import { isTrue, type Namespace } from '../../clients/kubernetes/objects.ts';
import { minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import { baseLack } from './istio-base.ts';
import { findIstiods, hasCaBundle, injectorOf, istiodVersion, listMutating } from '../mesh/inventory.ts';
import { forgetBefore, readBefore } from '../mesh/namespace-labels.ts';
import { pointersLeft } from './revision-tags.ts';
import { sweepWebhooks, webhooksOf } from '../mesh/stray-webhooks.ts';
import { defined } from '../../../domain/core/defined.ts';

export function createAwaitRevisionActivities(
  deps: KubernetesDeps,
): Pick<IstioActivities, 'awaitIstioRevision' | 'awaitIstioRevisionGone' | 'awaitIstioPointers'> {
  return {
    async awaitIstioRevision({ cluster, timing, revision, minor, delivered = false }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let running = 'unknown';
      let lack: string | undefined;
      let pinned = false;
      const result = await waitUntil<string>(
        {
          timing,
          // Once its chart is installed nobody else has anything to do: an image that cannot be pulled is said soon.
          timeoutMs: delivered ? timing.rolloutTimeoutMs : timing.askTimeoutMs,
          doing: `waiting for Istio revision ${revision}`,
          details: () => ({ running }),
        },
        async () => {
          const seen = await readiness(port, revision, minor);
          if (seen.version !== undefined) running = seen.version;
          lack = seen.lack;
          pinned = delivered && seen.pinned === true;
          return seen.lack === undefined || pinned ? { done: true, value: running } : { done: false, note: seen.lack };
        },
      );
      return {
        version: running,
        timedOut: result.kind === 'timed-out',
        ...defined({ lack }),
        ...(pinned ? { pinned } : {}),
      };
    },
    async awaitIstioRevisionGone({ cluster, timing, revision, sweep = false, uninstalled = false }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let left: string[] = [];
      const swept = new Set<string>();
      let failed: string[] = [];
      const result = await waitUntil<true>(
        {
          timing,
          timeoutMs: uninstalled ? timing.rolloutTimeoutMs : timing.askTimeoutMs,
          doing: `waiting until Istio revision ${revision} is gone`,
          details: () => ({ left: left.slice(0, 5) }),
        },
        async () => {
          if (sweep) {
            const round = await sweepWebhooks(port, revision);
            for (const name of round.swept) swept.add(name);
            failed = round.failed;
          }
          left = await leftOf(port, revision);
          return left.length === 0 ? { done: true, value: true } : { done: false, note: `still there: ${left.slice(0, 3).join(', ')}` };
        },
      );
      if (result.kind === 'done') await forgetMovesFrom(port, revision);
      const why = (name: string): string => failed.find((each) => each.startsWith(`${name} (`)) ?? name;
      return { gone: result.kind === 'done', left: left.slice(0, 10).map(why), ...(swept.size === 0 ? {} : { swept: [...swept] }) };
    },
    async awaitIstioPointers({ cluster, timing, tags, validator, revision }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const doing = `waiting until ${[...tags, ...(validator ? ['the default validator'] : [])].join(', ')} point at ${revision}`;
      let left: string[] = [];
      const result = await waitUntil<true>({ timing, timeoutMs: timing.askTimeoutMs, doing, details: () => ({ left }) }, async () => {
        left = await pointersLeft(port, { tags, validator, revision });
        return left.length === 0 ? { done: true, value: true } : { done: false, note: `not there yet: ${left.join(', ')}` };
      });
      return { moved: result.kind === 'done', left };
    },
  };
}

interface Readiness {
  version?: string;
  lack?: string;
  /** The image is not that of the minor: a chart of this minor has it only from somebody's values. */
  pinned?: true;
}

async function readiness(port: KubernetesPort, revision: string, minor: string): Promise<Readiness> {
  const istiod = (await findIstiods(port, revision))[0];
  if (istiod === undefined) return { lack: `no istiod of revision ${revision} is installed` };
  const version = istiodVersion(istiod);
  if (version === undefined) return { pinned: true, lack: `the image of ${istiod.metadata.name} has no version in its tag` };
  if (minorOf(version) !== minor) return { version, pinned: true, lack: `${istiod.metadata.name} runs ${version}, ${minor} is wanted` };
  const rolling = rolloutLack('Deployment', istiod);
  if (rolling !== undefined) return { version, lack: `${istiod.metadata.name}: ${rolling}` };
  if (!isTrue(istiod, 'Available')) return { version, lack: `${istiod.metadata.name} is not Available` };
  const injector = injectorOf(await listMutating(port), revision);
  if (injector === undefined) return { version, lack: `revision ${revision} has no injection webhook` };
  if (!hasCaBundle(injector)) return { version, lack: `webhook ${injector.metadata.name} has no CA bundle yet` };
  const base = await baseLack(port);
  return base === undefined ? { version } : { version, lack: base };
}

async function leftOf(port: KubernetesPort, revision: string): Promise<string[]> {
  const istiods = (await findIstiods(port, revision)).map(({ metadata }) => `Deployment ${metadata.namespace ?? ''}/${metadata.name}`);
  return [...istiods, ...(await webhooksOf(port, revision)).map(({ kind, webhook }) => `${kind} ${webhook.metadata.name}`)];
}

/** Nothing can be moved back to a revision that is gone. */
async function forgetMovesFrom(port: KubernetesPort, revision: string): Promise<void> {
  for (const namespace of (await port.list<Namespace>({ apiVersion: 'v1', plural: 'namespaces' })) ?? []) {
    const before = readBefore(namespace);
    if (before === undefined) continue;
    const cameFrom = before.rev === revision || (revision === 'default' && before.injection === 'enabled');
    if (cameFrom) await forgetBefore(port, namespace);
  }
}
