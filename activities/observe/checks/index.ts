/** The check activities: before a hop, after the control plane moved, at the end, and the small reads in between. */
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { hopFindings } from '../../../domain/readiness/in-upgrade.ts';
import type { ReadinessSettings } from '../../../domain/readiness/model/settings.ts';
import type { ClusterClients, ClusterDeps } from '../../clients/clusters.ts';
import type { CheckActivities } from '../../contract/belay-activities.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import { readEksClock } from '../../eks/clock.ts';
import { runningUpdates } from '../../eks/updates/find-update.ts';
import { inspectCluster } from '../inspect/inspect-cluster.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { listServed, NODES, slimNode } from '../../kubernetes/objects/lists.ts';
import { oneLook } from '../../kubernetes/objects/shared-lists.ts';
import type { ClusterPorts } from '../../contract/ports.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import type { ClusterNode } from '../../clients/kubernetes/objects.ts';
import { judgeCluster } from '../readiness/judge-cluster.ts';
import { report } from './catalogue.ts';
import { checkAddOnHealth, checkClusterHealth, checkNodeGroups, checkNoUpdate, checkVisibility } from './cluster.ts';
import { checkExpectedVersion, checkReadyz, checkServerVersions, checkStaysUp } from './control-plane.ts';
import type { Istioctl } from '../../istio/mesh/istioctl.ts';
import { checkInjectionWebhooks } from './istio.ts';
import { checkWithIstioctl } from './istioctl.ts';
import { checkFreezeHolds, checkKarpenterReady, checkNoFreezeLeft, checkNoHoldLeft } from './karpenter.ts';
import { verifyNodeGroup } from './node-group.ts';
import { checkNodesReady, checkNodeVersions } from './nodes.ts';
import { settle } from './settle.ts';
import {
  acceptedVersion,
  acceptedGroups,
  acceptedNodes,
  acceptedUpdates,
  type LeftBehind,
  leftBehind,
  NOTHING_LEFT,
  withoutGroups,
  withoutNodes,
  withoutUpdating,
} from './skipped.ts';
import { checkIstioVersions, checkKarpenterVersion, checkKubelets, checkKubeProxy } from './skew.ts';
import { checkVolumes } from './volumes.ts';
import { checkAddOnsAtTarget, checkNodeGroupsAtTarget } from './target.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { POOL } from '../../kubernetes/objects/node-owner.ts';

/** What checks need beside the cluster's clients. */
export interface CheckDeps extends ClusterDeps, Pick<ClusterClients, 'account'> {
  /** Waivers and optional sources, as belay.yaml has them when checks run: whoever is stopped by a finding may waive it, visibly. */
  readinessOf(clusterName: string): ReadinessSettings;
  /** undefined: this worker was not given one. */
  istioctl?: Istioctl;
}

export function createCheckActivities(deps: CheckDeps): CheckActivities {
  const inspect = (ref: ClusterRef, ports: ClusterPorts): Promise<ClusterFacts> =>
    inspectCluster({ aws: deps.aws(ref), ports, ref, onTransient: 'throw' });

  return {
    async runPreChecks({ cluster, timing, policy, from, to, later = [], spared = [], moving = [], switching = [] }) {
      return heartbeating(`checking ${cluster.name} for ${to}`, async () => {
        const [aws, account, settings] = [deps.aws(cluster), deps.account(cluster), deps.readinessOf(cluster.name)];
        const { kubernetes } = await deps.clusterPorts(cluster);
        const described = await describeCluster(aws, cluster);
        const hop = { policy: { ...policy, timing }, described, from, target: to };
        const { findings } = await judgeCluster({ ...hop, ...settings, aws, account, kubernetes, onTransient: 'throw' });
        // A retry of the step may find the control plane moved already.
        return report([
          checkExpectedVersion(described.version ?? '', [from, to]),
          ...hopFindings(findings, { to, later, spared, moving, switching, optional: settings.optional }),
          ...(await checkWithIstioctl(kubernetes, deps.istioctl, { cluster, managedBy: policy.managedBy.istio })),
        ]);
      });
    },

    async verifyControlPlane({ cluster, timing, to }) {
      const ports = await deps.clusterPorts(cluster);
      return settle(timing, `verifying the control plane of ${cluster.name} at ${to}`, async () => {
        const look = oneLook(ports);
        const { kubernetes } = look;
        const facts = await inspect(cluster, look);
        return [
          checkStaysUp(facts, to),
          checkExpectedVersion(facts.controlPlane.version, [to]),
          checkClusterHealth(facts),
          await checkServerVersions(kubernetes, to),
          await checkReadyz(kubernetes),
          checkAddOnHealth(facts),
          ...(await checkNodesReady(kubernetes)),
          ...checkFreezeHolds(facts),
          await checkInjectionWebhooks(kubernetes),
        ];
      });
    },

    async validateCluster({ cluster, timing, to, back, skipped = [] }) {
      const ports = await deps.clusterPorts(cluster);
      return settle(timing, `validating ${cluster.name} at ${to}`, async () => {
        const look = oneLook(ports);
        const { kubernetes } = look;
        const facts = await inspect(cluster, look);
        const left = await leftBehind(kubernetes, { to, skipped });
        return [
          ...(back === true ? atOlder(facts, to, left) : [checkStaysUp(facts, to), ...atTarget(facts, to, left)]),
          await checkServerVersions(kubernetes, to),
          await checkReadyz(kubernetes),
          ...(await checkNodesReady(kubernetes)),
          ...(await checkVolumes(kubernetes, skipped)),
          await checkInjectionWebhooks(kubernetes),
        ];
      });
    },

    verifyNodeGroup: async (input) => verifyNodeGroup(deps.aws(input.cluster), (await deps.clusterPorts(input.cluster)).kubernetes, input),

    readClock: async ({ cluster }) => ({ eks: await readEksClock(deps.aws(cluster), cluster) }),

    async readSkew({ cluster }) {
      const aws = deps.aws(cluster);
      const { version } = await describeCluster(aws, cluster);
      const updating = (await runningUpdates(aws, cluster, { kind: 'cluster' })).length > 0;
      const { kubernetes } = await deps.clusterPorts(cluster);
      const nodes: Record<string, number> = {};
      const karpenterNodes: Record<string, number> = {};
      for (const node of await listServed<ClusterNode>(kubernetes, NODES, slimNode)) {
        if (node.metadata.deletionTimestamp !== undefined) continue;
        const minor = kubeletMinor(node) ?? 'unknown';
        nodes[minor] = (nodes[minor] ?? 0) + 1;
        if (node.metadata.labels?.[POOL] !== undefined) karpenterNodes[minor] = (karpenterNodes[minor] ?? 0) + 1;
      }
      return { controlPlane: version ?? 'unknown', updating, nodes, karpenterNodes };
    },
  };
}

/** Pure: the whole cluster at the target, but for what people have left behind. */
export function atTarget(facts: ClusterFacts, to: string, left: LeftBehind = NOTHING_LEFT): Finding[] {
  return [
    checkExpectedVersion(facts.controlPlane.version, [to]),
    checkClusterHealth(facts),
    checkNoUpdate(facts),
    checkNodeGroups(withoutUpdating(facts, left)),
    ...acceptedUpdates(facts, left),
    ...acceptedGroups(facts, to, left),
    checkNodeGroupsAtTarget(withoutGroups(facts, left), to),
    ...acceptedNodes(left, to),
    ...checkNodeVersions(withoutNodes(facts.kubelets, left), to, withoutGroups(facts, left).nodeGroups),
    checkKubelets(facts, to),
    checkKubeProxy(facts, to),
    checkAddOnHealth(withoutUpdating(facts, left)),
    ...checkAddOnsAtTarget(facts, to).map((found) => acceptedVersion(found, left)),
    ...checkKarpenterVersion(facts, to).map((found) => acceptedVersion(found, left)),
    ...checkKarpenterReady(facts),
    ...checkNoFreezeLeft(facts),
    ...checkNoHoldLeft(facts),
    ...checkIstioVersions(facts, to).map((found) => acceptedVersion(found, left)),
    checkVisibility(facts),
  ];
}

/** Pure: the whole cluster after a way back. Nodes that never moved up may be older still, and what keeps them there is not this run's. */
export function atOlder(facts: ClusterFacts, to: string, left: LeftBehind = NOTHING_LEFT): Finding[] {
  const held = new Set(['EKS102', 'K8S104', 'KAR102', 'KAR103']);
  return atTarget(facts, to, left).filter(({ code }) => !held.has(code));
}
