/** istio-cni and ztunnel to another minor, by Helm or watched while others do it: in place, node by node. */
import type { NodeAgentChange } from '../../../domain/plan/model/changes.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { releaseNameOf, releaseNamespaceOf } from '../../kubernetes/helm/ownership.ts';
import { type HelmDeps, upgradeRelease } from '../../kubernetes/helm/upgrade.ts';
import { rolloutLack } from '../../kubernetes/objects/rollout.ts';
import { isOnDelete } from '../../kubernetes/objects/restart-rollout.ts';
import { settledRelease } from '../../kubernetes/helm/settled-release.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import { runningVersion } from '../../../domain/core/component-version.ts';
import { isAtLeast, minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import { findChart } from './helm-charts.ts';
import { edited } from '../../kubernetes/gitops/chart-values.ts';
import { lastingAgentHub, withoutPins } from './helm-values.ts';
import { AGENT_CONTAINER } from '../mesh/find-node-agents.ts';

/** Names of the charts (istio.io, "Install with Helm", ambient). */
const CHARTS = { 'istio-cni': 'cni', ztunnel: 'ztunnel' } as const;

type NodeAgents = Pick<IstioActivities, 'readNodeAgents' | 'upgradeNodeAgent' | 'awaitNodeAgent'>;

export function createNodeAgentActivities(deps: KubernetesDeps & HelmDeps): NodeAgents {
  const { helm, pendingWaitMs = 60_000 } = deps;
  return {
    async readNodeAgents({ cluster, agents }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const behind: NodeAgentChange[] = [];
      for (const agent of agents) if ((await lackOf(port, agent)) !== undefined) behind.push(agent);
      return { behind };
    },
    async upgradeNodeAgent({ cluster, agent, chart, token }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const daemonSet = await port.get<Workload>(refOf(agent));
      const name = daemonSet === undefined ? undefined : releaseNameOf(daemonSet);
      const namespace = (daemonSet === undefined ? undefined : releaseNamespaceOf(daemonSet)) ?? agent.namespace;
      const release = name === undefined ? undefined : await settledRelease(port, namespace, name, pendingWaitMs);
      if (name === undefined || release === undefined) {
        throw failureOf(
          'Configuration',
          `upgrading ${agent.kind}: DaemonSet ${agent.namespace}/${agent.daemonSet} belongs to no Helm release; upgrade it to ${agent.toMinor} as it was installed, then retry`,
        );
      }
      const installed = release.chart.appVersion ?? release.chart.version;
      if (release.status === 'deployed' && isAtLeast(installed, agent.toMinor)) return { version: installed };
      const found = await findChart(helm, cluster, chart, CHARTS[agent.kind], { toMinor: agent.toMinor });
      await upgradeRelease(helm, {
        cluster,
        name,
        namespace,
        chart: found.args,
        values: withoutPins(edited(release.config, lastingAgentHub(release.config, agent))),
        token,
        doing: `upgrading ${agent.kind} to ${found.version}`,
      });
      return { version: found.appVersion };
    },
    async awaitNodeAgent({ cluster, timing, agent, askedOthers = false, delivered = false }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const doing = `waiting for ${agent.kind} ${agent.toMinor}`;
      const timeoutMs = askedOthers ? timing.askTimeoutMs : timing.driftTimeoutMs;
      let lack: Lack | undefined;
      const result = await waitUntil<true>({ timing, timeoutMs, doing, details: () => ({ lack: lack?.text }) }, async () => {
        lack = await lackOf(port, agent);
        if (lack === undefined || (delivered && lack.pinned === true)) return { done: true, value: true };
        return { done: false, note: lack.text };
      });
      const daemonSet = await port.get<Workload>(refOf(agent));
      const pinned = result.kind === 'done' && lack !== undefined;
      return {
        done: result.kind === 'done' && !pinned,
        ...(lack === undefined ? {} : { lack: lack.text }),
        ...(pinned ? { pinned } : {}),
        ...(daemonSet !== undefined && isOnDelete(daemonSet) ? { onDelete: true } : {}),
      };
    },
  };
}

const refOf = ({ namespace, daemonSet: name }: NodeAgentChange) => ({ apiVersion: 'apps/v1', plural: 'daemonsets', namespace, name });

interface Lack {
  text: string;
  /** The image is an older one: a chart of the minor has it only from somebody's values. */
  pinned?: true;
}

/** What the agent lacks to be at its minor. undefined: nothing; a newer one will do. */
async function lackOf(port: KubernetesPort, agent: NodeAgentChange): Promise<Lack | undefined> {
  const daemonSet = await port.get<Workload>(refOf(agent));
  if (daemonSet === undefined) return { text: `DaemonSet ${agent.namespace}/${agent.daemonSet} is gone` };
  const version = runningVersion(daemonSet, AGENT_CONTAINER[agent.kind]);
  if (minorOf(version) === undefined || !isAtLeast(version ?? '', agent.toMinor)) {
    return { pinned: true, text: `${agent.daemonSet} is at ${version ?? 'an unknown version'}, ${agent.toMinor} is wanted` };
  }
  const rolling = isOnDelete(daemonSet) ? undefined : rolloutLack('DaemonSet', daemonSet);
  return rolling === undefined ? undefined : { text: `${agent.daemonSet}: ${rolling}` };
}
