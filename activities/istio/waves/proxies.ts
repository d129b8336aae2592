/** Verifies a wave by what runs (rollouts complete, each pod's annotation and proxy image; never by label), and watches its traffic. */
import type { IstioActivities } from '../../contract/istio.ts';
import { type AnalysisReading, judgeAnalysis } from '../../../domain/health/mesh/istioctl-analysis.ts';
import type { Istioctl } from '../mesh/istioctl.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import type { Timing } from '../../../domain/policy/policy.ts';
import { judgeConnections } from '../../../domain/health/mesh/wave-connections.ts';
import { withSync } from '../../../domain/health/mesh/wave-sync.ts';
import { isFailing, judgeWave, LOOKS_NEEDED, type TrafficReading, type WaveVerdict } from '../../../domain/health/mesh/wave-health.ts';
import { type WaitResult, waitUntil } from '../../runtime/wait-until.ts';
import { slimPod } from '../../kubernetes/objects/lists.ts';
import { PLURALS, rolloutLack, WORKLOAD_KINDS } from '../../kubernetes/objects/rollout.ts';
import { isLive, nameOf, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';
import { minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import { INJECT, optsOut, podRevision, proxyImage, proxyVersion } from '../mesh/inventory.ts';
import { readConnected } from '../mesh/connected-proxies.ts';
import { settledSync } from '../mesh/syncz.ts';
import { lookAtGateways } from './read-gateways.ts';
import { labelsLeft } from '../mesh/namespace-labels.ts';
import { cannotRestart, isAmong, rollerOf } from './restart.ts';
import type { UninjectedFact } from '../../../domain/facts/facts.ts';
import { readTraffic, trafficKey } from './traffic.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { GatewayBefore, OnDeleteSet } from '../../contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

/** Overrides the image of the proxy for one pod (istio.io, "Resource Annotations"). */
const PROXY_IMAGE = 'sidecar.istio.io/proxyImage';
const NAMED = 10;
const LOOKS_WHILE_WATCHING = 10;

interface Wanted {
  revision: string;
  minor: string;
  /** OnDelete sets that were rolled all the same. */
  rolled: readonly OnDeleteSet[];
  /** Whoever of them has no proxy is as it was. */
  uninjected: readonly UninjectedFact[];
}

interface Look {
  /** Those that run what is wanted. */
  pods: string[];
  wrong: string[];
  /** Of gateways. */
  services?: WaveVerdict;
}

export function createProxyActivities(
  deps: KubernetesDeps & { istioctl?: Istioctl } & Pick<IstioActivities, 'readWave'>,
): Pick<IstioActivities, 'awaitProxies' | 'readWaveTraffic'> {
  const analysed = async (cluster: ClusterRef, revision: string | undefined): Promise<{ analysis?: AnalysisReading }> => {
    if (deps.istioctl === undefined || revision === undefined) return {};
    const analysis = await deps.istioctl.analyze(cluster, revision);
    return analysis.kind === 'absent' ? {} : { analysis };
  };
  return {
    async readWaveTraffic({ cluster, namespaces, gateways, revision, labels }) {
      const ports = await deps.clusterPorts(cluster);
      return {
        before: await readTraffic(ports, namespaces, gateways),
        connected: await readConnected(ports),
        ...(await analysed(cluster, revision)),
        ...(labels === true ? { labels: (await deps.readWave({ cluster, namespaces })).before } : {}),
      };
    },
    async awaitProxies(input) {
      const {
        cluster,
        timing,
        namespaces,
        revision,
        minor,
        watchMs = 0,
        before,
        connected,
        analysis,
        rolled = [],
        labelled = [],
        gateways = [],
        uninjected = [],
      } = input;
      const ports = await deps.clusterPorts(cluster);
      const port = ports.kubernetes;
      const where = `${[...namespaces, ...gateways.map(objectTitle)].slice(0, 3).join(', ')} on ${revision}`;
      const judged = [...namespaces.filter((name) => hasTraffic(name, gateways, before)), ...gateways.map(trafficKey)];
      let last: Look = { pods: [], wrong: [] };
      const wanted = { revision, minor, rolled, uninjected };
      const traffic: TrafficReading[] = [];
      let reverted: { namespace: string; now: string }[] = [];
      const until = (options: { doing: string; timing: Timing; atLeastMs: number; judged?: boolean }): Promise<WaitResult<true>> =>
        waitUntil<true>(
          {
            timing: options.timing,
            timeoutMs: options.atLeastMs + timing.rolloutTimeoutMs,
            doing: options.doing,
            details: () => ({ podCount: last.pods.length, wrongCount: last.wrong.length }),
          },
          async (elapsedMs) => {
            // Pods that run show nothing of it: the next ones would.
            reverted = labelled.length === 0 ? [] : await labelsLeft(port, labelled, revision);
            if (reverted.length > 0) return { done: true, value: true };
            last = await look(port, namespaces, gateways, wanted);
            if (last.wrong.length > 0) return { done: false, note: last.wrong.slice(0, 3).join('; ') };
            if (options.judged === true && before !== undefined) {
              traffic.push(await readTraffic(ports, namespaces, gateways));
              if (isFailing(before, traffic, judged)) return { done: true, value: true };
              if (traffic.length < LOOKS_NEEDED) return { done: false, note: 'watching its traffic' };
            }
            return elapsedMs >= options.atLeastMs ? { done: true, value: true } : { done: false, note: 'watching' };
          },
        );
      let result = await until({ doing: `verifying proxies of ${where}`, timing, atLeastMs: 0 });
      if (reverted.length === 0 && result.kind === 'done' && (watchMs > 0 || before !== undefined)) {
        // A handful of looks: one lists every pod of the wave.
        const pollMs = Math.max(timing.pollMinMs, Math.min(timing.pollMaxMs, watchMs / LOOKS_WHILE_WATCHING));
        result = await until({
          doing: `watching proxies of ${where}`,
          timing: { ...timing, pollMinMs: pollMs, pollMaxMs: pollMs },
          atLeastMs: watchMs,
          judged: true,
        });
      }
      if (reverted.length > 0)
        return {
          ok: false,
          podCount: last.pods.length,
          wrong: last.wrong.slice(0, NAMED),
          timedOut: false,
          reverted: reverted.slice(0, NAMED),
        };
      const now = analysis === undefined || result.kind !== 'done' ? undefined : (await analysed(cluster, revision)).analysis;
      const compared = judgeAnalysis(analysis, now);
      const { pods } = last;
      const connections =
        connected === undefined || result.kind !== 'done'
          ? undefined
          : withSync(judgeConnections(connected, await readConnected(ports), { podCount: pods.length, minor }), {
              reading: await settledSync(port, timing, { revision, pods }),
              pods,
              revision,
            });
      return {
        ok: result.kind === 'done',
        podCount: last.pods.length,
        wrong: last.wrong.slice(0, NAMED),
        timedOut: result.kind === 'timed-out',
        ...defined({ connections }),
        ...(before === undefined || result.kind !== 'done' ? {} : { traffic: judgeWave(before, traffic, judged) }),
        ...defined({ analysis: compared }),
        ...(last.services === undefined || result.kind !== 'done' ? {} : { gateways: last.services }),
      };
    },
  };
}

/** No service of a namespace of gateways is called through the mesh: its gateways are judged by what they pass on. */
function hasTraffic(namespace: string, gateways: readonly GatewayBefore[], before: TrafficReading | undefined): boolean {
  const holdsGateways = gateways.some((gateway) => gateway.namespace === namespace);
  return !holdsGateways || (before?.kind === 'seen' && before.namespaces[namespace] !== undefined);
}

async function look(
  port: KubernetesPort,
  namespaces: readonly string[],
  gateways: readonly GatewayBefore[],
  wanted: Wanted,
): Promise<Look> {
  const all: Look = { pods: [], wrong: [] };
  const pods = new Set<string>();
  for (const namespace of namespaces) {
    const still = new Set<string>();
    for (const kind of WORKLOAD_KINDS) {
      for (const workload of (await port.list<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[kind], namespace })) ?? []) {
        const byHand = wanted.rolled.some((set) => set.kind === kind && set.namespace === namespace && set.name === workload.metadata.name);
        const skipped = byHand ? undefined : cannotRestart(kind, workload);
        if (skipped !== undefined) still.add(`${kind}/${workload.metadata.name}`);
        const { name } = workload.metadata;
        const left = byHand || isAmong(wanted.uninjected, { kind, namespace, name });
        const lack = skipped === undefined && !left ? rolloutLack(kind, workload) : undefined;
        if (lack !== undefined) all.wrong.push(`${kind} ${nameOf(workload)}: ${lack}`);
      }
    }
    for (const pod of (await port.list<Pod>({ apiVersion: 'v1', plural: 'pods', namespace }, slimPod)) ?? []) {
      const workload = rollerOf(pod);
      // Pods of workloads that were named as not restarted are not waited for.
      if (!isLive(pod) || optsOut(pod) || workload === undefined || still.has(`${workload.kind}/${workload.name}`)) continue;
      if (proxyImage(pod) === undefined && isAmong(wanted.uninjected, { ...workload, namespace })) continue;
      const why = wrongWith(pod, wanted);
      if (why === undefined) pods.add(nameOf(pod));
      else all.wrong.push(`${nameOf(pod)}: ${why}`);
    }
  }
  if (gateways.length > 0) {
    const found = await lookAtGateways(port, gateways, (pod) => wrongWith(pod, wanted), wanted.rolled);
    for (const name of found.pods) pods.add(name);
    all.wrong.push(...found.wrong.filter((line) => !all.wrong.includes(line)));
    all.services = found.services;
  }
  return { ...all, pods: [...pods] };
}

function wrongWith(pod: Pod, { revision, minor }: Wanted): string | undefined {
  // Had it one before? Then a webhook does not match. Those without one were left out by the plan.
  if (proxyImage(pod) === undefined) return `no sidecar was injected (where none is wanted, set label ${INJECT}=false in its template)`;
  const runs = podRevision(pod);
  if (runs !== revision) return `injected by revision ${runs ?? 'unknown'}`;
  const version = proxyVersion(pod);
  if (version === undefined) return 'the proxy image has no version in its tag';
  if (minorOf(version) === minor) return undefined;
  const isPinned = pod.metadata.annotations?.[PROXY_IMAGE] !== undefined;
  return `the proxy is ${version}${isPinned ? `, by annotation ${PROXY_IMAGE} in its template` : ''}`;
}
