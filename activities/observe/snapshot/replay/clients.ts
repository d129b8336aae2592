/** The clients of one cluster as a snapshot answers for it: what inspection, readiness and the planner are given in place of those that ask. */
import { type ClusterRef, differencesOf } from '../../../../domain/core/cluster-ref.ts';
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { ClusterClients } from '../../../clients/clusters.ts';
import { isRecord } from '../../../../domain/core/unknown.ts';
import { askingFor } from '../../../clients/aws/eks-name.ts';
import { noChanges, notHeld } from './failures.ts';
import { type Answer, answersOf } from './calls.ts';
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
  const { name } = snapshot.header.cluster;
  const recorded = answersOf(snapshot);
  /** The one cluster of the snapshot, as who asks calls it: its calls were recorded under the key that it had then. */
  let key = name;
  const answer: Answer = (service, operation, input) =>
    recorded(service, operation, service === 'eks' && isRecord(input) ? askingFor(input, key, name) : input);
  const aws = replayedAws(snapshot, answer);
  const account = replayedAccount(answer);
  const ports = { kubernetes: replayedKubernetes(snapshot), ...(prometheus ? { prometheus: replayedPrometheus(snapshot) } : {}) };
  const own = <T>(cluster: ClusterRef, given: T): T => {
    refuseOther(snapshot, cluster);
    key = cluster.name;
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

function refuseOther({ header }: Snapshot, asked: ClusterRef): void {
  const { cluster } = header;
  const { name, account, region } = asked;
  if (differencesOf(cluster, asked).length > 0)
    throw notHeld(`cluster ${name} of account ${account} in ${region}: it is one of ${cluster.name}`);
}
