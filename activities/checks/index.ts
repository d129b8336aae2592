/** The check activities: before a hop, after the control plane moved, at the end, and the small reads in between. */
import type { ClusterFacts, ClusterRef } from '../../domain/facts.ts';
import type { Finding } from '../../domain/findings.ts';
import type { ClusterDeps } from '../clients/clusters.ts';
import type { CheckActivities } from '../contract.ts';
import { describeCluster } from '../eks/api.ts';
import { runningUpdates } from '../eks/find-update.ts';
import { inspectCluster } from '../inspect/inspect-cluster.ts';
import { heartbeating } from '../kubernetes/heartbeating.ts';
import { POOL } from '../kubernetes/karpenter/pools.ts';
import { listServed, slimNode } from '../kubernetes/lists.ts';
import { kubeletMinor } from '../kubernetes/versions.ts';
import type { ClusterNode } from '../kubernetes/shapes.ts';
import { failureOf } from '../translate-errors.ts';
import { report } from './catalogue.ts';
import {
  checkAddOnCompatibility,
  checkAddOnHealth,
  checkAmazonLinux2,
  checkClusterHealth,
  checkNodeGroups,
  checkNoUpdate,
  checkTarget,
  checkVisibility,
} from './cluster.ts';
import { checkExpectedVersion, checkReadyz, checkServerVersions } from './control-plane.ts';
import { checkDisruptionBudgets } from './disruption.ts';
import { checkInsights } from './insights.ts';
import { checkExpiry, checkFreezeHolds, checkKarpenterReady, checkNoFreezeLeft, checkNoHoldLeft } from './karpenter.ts';
import { checkNodesReady, checkNodeVersions } from './nodes.ts';
import { settle } from './settle.ts';
import { checkIstioVersions, checkKarpenterVersion, checkKubelets, checkKubeProxy } from './skew.ts';
import { checkVolumes } from './volumes.ts';
import { checkWebhooks } from './webhooks.ts';
import { checkWorkloads } from './workloads.ts';
import { checkAddOnsAtTarget, checkNodeGroupsAtTarget } from './target.ts';

export function createCheckActivities(deps: ClusterDeps): CheckActivities {
  const inspect = async (ref: ClusterRef): Promise<ClusterFacts> =>
    inspectCluster({ aws: deps.aws(ref), ports: await deps.clusterPorts(ref), ref, weather: 'throw' });

  return {
    async runPreChecks({ cluster, timing, from, to }) {
      return heartbeating(`checking ${cluster.name} for ${to}`, async () => {
        const { kubernetes } = await deps.clusterPorts(cluster);
        const insights = await checkInsights({ aws: deps.aws(cluster), ref: cluster, timing }, to);
        const facts = await inspect(cluster);
        const budgets = await checkDisruptionBudgets(kubernetes);
        const workloads = await checkWorkloads(kubernetes);
        return report([...beforeHop(facts, from, to), ...insights, ...budgets, await checkWebhooks(kubernetes), ...workloads]);
      });
    },

    async verifyControlPlane({ cluster, timing, to }) {
      const { kubernetes } = await deps.clusterPorts(cluster);
      return settle(timing, `verifying the control plane of ${cluster.name} at ${to}`, async () => {
        const facts = await inspect(cluster);
        return [
          checkExpectedVersion(facts, [to]),
          checkClusterHealth(facts),
          await checkServerVersions(kubernetes, to),
          await checkReadyz(kubernetes),
          checkAddOnHealth(facts),
          ...(await checkNodesReady(kubernetes)),
          ...checkFreezeHolds(facts),
        ];
      });
    },

    async validateCluster({ cluster, timing, to }) {
      const { kubernetes } = await deps.clusterPorts(cluster);
      return settle(timing, `validating ${cluster.name} at ${to}`, async () => {
        const facts = await inspect(cluster);
        return [
          ...atTarget(facts, to),
          await checkServerVersions(kubernetes, to),
          await checkReadyz(kubernetes),
          ...(await checkNodesReady(kubernetes)),
          await checkVolumes(kubernetes),
        ];
      });
    },

    async readClock({ cluster }) {
      const aws = deps.aws(cluster);
      await describeCluster(aws, cluster);
      const eks = aws.eksDate();
      if (eks === undefined) throw failureOf('Unavailable', `reading EKS's clock: the answer for ${cluster.name} has no Date`);
      return { eks };
    },

    async readSkew({ cluster }) {
      const aws = deps.aws(cluster);
      const { version } = await describeCluster(aws, cluster);
      const updating = (await runningUpdates(aws, cluster, { kind: 'cluster' })).length > 0;
      const { kubernetes } = await deps.clusterPorts(cluster);
      const nodes: Record<string, number> = {};
      const karpenterNodes: Record<string, number> = {};
      for (const node of await listServed<ClusterNode>(kubernetes, { apiVersion: 'v1', plural: 'nodes' }, slimNode)) {
        if (node.metadata.deletionTimestamp !== undefined) continue;
        const minor = kubeletMinor(node) ?? 'unknown';
        nodes[minor] = (nodes[minor] ?? 0) + 1;
        if (node.metadata.labels?.[POOL] !== undefined) karpenterNodes[minor] = (karpenterNodes[minor] ?? 0) + 1;
      }
      return { controlPlane: version ?? 'unknown', updating, nodes, karpenterNodes };
    },
  };
}

/** Pure: everything about one hop that facts can tell. */
export function beforeHop(facts: ClusterFacts, from: string, to: string): Finding[] {
  return [
    // A retry of the step may find the control plane moved already.
    checkExpectedVersion(facts, [from, to]),
    checkClusterHealth(facts),
    checkNoUpdate(facts),
    ...checkTarget(facts, to),
    checkNodeGroups(facts),
    checkAmazonLinux2(facts, to),
    ...checkAddOnCompatibility(facts, from, to),
    checkAddOnHealth(facts),
    checkKubelets(facts, to),
    checkKubeProxy(facts, from, to),
    ...checkKarpenterVersion(facts, [from, to]),
    ...checkKarpenterReady(facts),
    ...checkExpiry(facts),
    ...checkIstioVersions(facts, [from, to]),
    checkVisibility(facts),
  ];
}

/** Pure: the whole cluster at the target. */
export function atTarget(facts: ClusterFacts, to: string): Finding[] {
  return [
    checkExpectedVersion(facts, [to]),
    checkClusterHealth(facts),
    checkNoUpdate(facts),
    checkNodeGroups(facts),
    checkNodeGroupsAtTarget(facts, to),
    ...checkNodeVersions(facts.kubelets, to),
    checkKubelets(facts, to),
    checkKubeProxy(facts, to, to),
    checkAddOnHealth(facts),
    ...checkAddOnsAtTarget(facts, to),
    ...checkKarpenterVersion(facts, [to]),
    ...checkKarpenterReady(facts),
    ...checkNoFreezeLeft(facts),
    ...checkNoHoldLeft(facts),
    ...checkIstioVersions(facts, [to]),
    checkVisibility(facts),
  ];
}
