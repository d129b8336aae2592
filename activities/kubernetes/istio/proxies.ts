/** Verifies a wave by what runs: rollouts complete, each pod's annotation and proxy image. Never by label. */
import type { IstioActivities } from '../../contract.ts';
import type { KubernetesDeps, KubernetesPort } from '../../ports.ts';
import { waitUntil } from '../../wait-until.ts';
import { PLURALS, rolloutLack, type WorkloadKind } from '../rollout.ts';
import { nameOf, type Pod, type Workload } from '../shapes.ts';
import { minorOf } from '../versions.ts';
import { isLive, optsOut, podRevision, proxyImage, proxyVersion } from './inventory.ts';
import { controllerOf } from '../karpenter/owners.ts';
import { cannotRestart, isRolledBy } from './restart.ts';

const NAMED = 10;
const KINDS: readonly WorkloadKind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

interface Look {
  /** Pods that run what is wanted. */
  podCount: number;
  wrong: string[];
}

export function createProxyActivities(deps: KubernetesDeps): Pick<IstioActivities, 'awaitProxies'> {
  return {
    async awaitProxies({ cluster, timing, namespaces, revision, minor }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let last: Look = { podCount: 0, wrong: [] };
      const result = await waitUntil<true>(
        {
          timing,
          timeoutMs: timing.rolloutTimeoutMs,
          doing: `verifying proxies of ${namespaces.slice(0, 3).join(', ')} on ${revision}`,
          details: () => ({ podCount: last.podCount, wrongCount: last.wrong.length }),
        },
        async () => {
          last = await look(port, namespaces, { revision, minor });
          return last.wrong.length === 0 ? { done: true, value: true } : { done: false, note: last.wrong.slice(0, 3).join('; ') };
        },
      );
      return {
        ok: result.kind === 'done',
        podCount: last.podCount,
        wrong: last.wrong.slice(0, NAMED),
        timedOut: result.kind === 'timed-out',
      };
    },
  };
}

async function look(port: KubernetesPort, namespaces: readonly string[], wanted: { revision: string; minor: string }): Promise<Look> {
  const all: Look = { podCount: 0, wrong: [] };
  for (const namespace of namespaces) {
    const still = new Set<string>();
    for (const kind of KINDS) {
      for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind], namespace })) ?? []) {
        const skipped = cannotRestart(kind, workload);
        if (skipped !== undefined) still.add(`${kind}/${workload.metadata.name}`);
        const lack = skipped === undefined ? rolloutLack(kind, workload) : undefined;
        if (lack !== undefined) all.wrong.push(`${kind} ${nameOf(workload)}: ${lack}`);
      }
    }
    for (const pod of (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace })) ?? []) {
      if (!isLive(pod) || optsOut(pod) || !isRolledBy(pod) || isStill(pod, still)) continue;
      const why = wrongWith(pod, wanted);
      if (why === undefined) all.podCount += 1;
      else all.wrong.push(`${nameOf(pod)}: ${why}`);
    }
  }
  return all;
}

/** Pods of workloads that were named as not restarted are not waited for. A ReplicaSet is named after its Deployment and a hash. */
function isStill(pod: Pod, still: ReadonlySet<string>): boolean {
  const owner = controllerOf(pod);
  if (owner === undefined) return false;
  return owner.kind === 'ReplicaSet'
    ? still.has(`Deployment/${owner.name.replace(/-[^-]+$/, '')}`)
    : still.has(`${owner.kind}/${owner.name}`);
}

function wrongWith(pod: Pod, { revision, minor }: { revision: string; minor: string }): string | undefined {
  if (proxyImage(pod) === undefined) return 'no sidecar was injected';
  const runs = podRevision(pod);
  if (runs !== revision) return `injected by revision ${runs ?? 'unknown'}`;
  const version = proxyVersion(pod);
  if (version === undefined) return 'the proxy image has no version in its tag';
  return minorOf(version) === minor ? undefined : `the proxy is ${version}`;
}
