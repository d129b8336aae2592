/**
 * `/debug/syncz` of each istiod of a revision, as `istioctl proxy-status` reads it. istiod answers it unasked on its loopback only (pilot/pkg/xds/debug.go,
 * allowAuthenticatedOrLocalhost), where a forwarded port ends. A port, not a program: pods/exec could read the mesh's signing key.
 */
import { z } from 'zod';
import type { Timing } from '../../../domain/policy/policy.ts';
import { outOfSync, type ProxySync, type SyncReading } from '../../../domain/health/mesh/wave-sync.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { readJson } from '../../runtime/read-json.ts';
import { isLive, nameOf, type Pod } from '../../clients/kubernetes/objects.ts';
import { REV } from './inventory.ts';

/** istiod's own, for metrics and debugging. */
const PORT = 15_014;
const PATH = '/debug/syncz';
const KINDS = ['cluster', 'listener', 'route', 'endpoint', 'extensionconfig'] as const;
const LOOKS = 4;
const ROLE = 'Belay may not forward ports to istiod (deploy/kubernetes-rbac-mesh-debug.yaml lets it)';

/** pilot/pkg/xds/debug.go: SyncStatus. Nonces; what was never sent is left out. */
const Proxies = z.array(z.object({ proxy: z.string() }).catchall(z.unknown()));

/** Never throws for what istiod or the API server do. One istiod that cannot be asked makes it blind: it may have any of the proxies. */
export async function readSync(port: KubernetesPort, revision: string): Promise<SyncReading> {
  try {
    const labelSelector = `app=istiod,${REV}=${revision}`;
    const pods = (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', labelSelector })) ?? [];
    const istiods = pods.filter((pod) => isLive(pod) && pod.status?.phase === 'Running');
    if (istiods.length === 0) return { kind: 'blind', why: `no pod of istiod ${revision} runs` };
    const proxies: ProxySync[] = [];
    for (const istiod of istiods) {
      const { namespace = '', name } = istiod.metadata;
      const { status, body } = await port.getInPod({ namespace, name, port: PORT }, PATH);
      const read = status === 200 ? readJson(body, Proxies) : undefined;
      if (read === undefined) {
        const what = status === 200 ? 'something that is no list of proxies' : String(status);
        return { kind: 'blind', why: `${nameOf(istiod)} answered ${PATH} with ${what}` };
      }
      proxies.push(...read.map(syncOf));
    }
    return { kind: 'seen', proxies };
  } catch (error) {
    const type = failureType(error);
    if (type === undefined) throw error;
    return { kind: 'blind', why: type === 'AccessDenied' ? ROLE : messageOf(error) };
  }
}

/** As readSync, once these pods are connected and in sync, or a few looks later: what was just sent is about to be acknowledged. */
export async function settledSync(
  port: KubernetesPort,
  timing: Timing,
  { revision, pods }: { revision: string; pods: readonly string[] },
): Promise<SyncReading> {
  let last: SyncReading = { kind: 'blind', why: 'it was not asked' };
  const doing = `reading which proxies istiod of ${revision} has in sync`;
  await waitUntil<true>({ timing, timeoutMs: timing.pollMaxMs * LOOKS, doing }, async () => {
    last = await readSync(port, revision);
    const out = last.kind === 'blind' ? [] : outOfSync(pods, last.proxies);
    return out.length === 0 ? { done: true, value: true } : { done: false, note: out.slice(0, 3).join('; ') };
  });
  return last;
}

/** "web-7c9d-x.shop": namespaces have no dots. */
function syncOf(status: z.infer<typeof Proxies>[number]): ProxySync {
  const dot = status.proxy.lastIndexOf('.');
  const stale = KINDS.filter((kind) => isStale(status[`${kind}_sent`], status[`${kind}_acked`]));
  return {
    pod: `${status.proxy.slice(dot + 1)}/${status.proxy.slice(0, dot)}`,
    ...(stale.length === 0 ? {} : { stale: stale.map((kind) => `${kind}s`).join(', ') }),
  };
}

/** What was not sent is not awaited (istioctl says NOT SENT). */
const isStale = (sent: unknown, acked: unknown): boolean => typeof sent === 'string' && sent !== '' && sent !== acked;
