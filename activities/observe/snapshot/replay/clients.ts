/** The clients of one cluster as a snapshot answers for it: what inspection, readiness and the planner are given in place of those that ask. */
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { ClusterClients } from '../../../clients/clusters.ts';
import { noChanges, notHeld } from './failures.ts';
import { answersOf } from './calls.ts';
import { replayedAccount } from './account.ts';
import { replayedAws } from './aws.ts';
import { replayedKubernetes } from './kubernetes.ts';
import { replayedPrometheus } from './prometheus.ts';

export interface Replay {
  /** belay.yaml has a Prometheus for the cluster: what a snapshot does not hold of it is not the same as that there is none. */
  prometheus?: boolean;
}

/** Nothing is sent, and no credentials are looked for. Another cluster than the snapshot's is not known. */
export function replayedClients(snapshot: Snapshot, { prometheus = false }: Replay = {}): ClusterClients {
  const answer = answersOf(snapshot);
  const aws = replayedAws(snapshot, answer);
  const account = replayedAccount(answer);
  const ports = { kubernetes: replayedKubernetes(snapshot), ...(prometheus ? { prometheus: replayedPrometheus(snapshot) } : {}) };
  const own = <T>(cluster: ClusterRef, given: T): T => {
    refuseOther(snapshot, cluster);
    return given;
  };
  return {
    aws: (cluster) => own(cluster, aws),
    account: (cluster) => own(cluster, account),
    clusterPorts: async (cluster) => own(cluster, ports),
    kubeconfig: () => Promise.reject(noChanges('running helm')),
    close: async () => aws.close(),
  };
}

function refuseOther({ header }: Snapshot, { name, account, region }: ClusterRef): void {
  const { cluster } = header;
  if (cluster.name !== name || cluster.account !== account || cluster.region !== region)
    throw notHeld(`cluster ${name} of account ${account} in ${region}: it is one of ${cluster.name}`);
}
