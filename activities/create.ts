/** Puts all activities together. Clients are built once by the worker, never per call. */
import { createApproverActivities } from './approvers.ts';
import { createCheckActivities } from './checks/index.ts';
import type { ClusterClients } from './clients/clusters.ts';
import type { BelayActivities } from './contract.ts';
import { createEksActivities } from './eks/index.ts';
import { createIstioActivities, createKarpenterActivities, createWorkloadActivities } from './kubernetes/index.ts';
import { createNotifyActivities } from './notify.ts';
import { createPlanningActivities } from './planning.ts';
import type { GroupReader, KubernetesDeps, Notifier, RecordStore } from './ports.ts';
import { createRecordActivities } from './records.ts';

export interface ActivityDeps {
  clients: Pick<ClusterClients, 'aws' | 'clusterPorts'>;
  /** From belay.yaml; throws for a cluster that it does not name. */
  policyOf: KubernetesDeps['policyOf'];
  store: RecordStore;
  /** undefined: no Slack. */
  notifier?: Notifier;
  groups?: GroupReader;
}

export function createActivities(deps: ActivityDeps): BelayActivities {
  const { clients, policyOf, store, notifier, groups } = deps;
  const clusterDeps = { aws: clients.aws, clusterPorts: clients.clusterPorts };
  const kubernetesDeps: KubernetesDeps = { clusterPorts: clients.clusterPorts, policyOf };
  return {
    ...createPlanningActivities({ ...clusterDeps, policyOf }),
    ...createCheckActivities(clusterDeps),
    ...createEksActivities(clusterDeps),
    ...createKarpenterActivities(kubernetesDeps),
    ...createWorkloadActivities(kubernetesDeps),
    ...createIstioActivities(kubernetesDeps),
    ...createNotifyActivities({ notifier }),
    ...createApproverActivities({ groups }),
    ...createRecordActivities({ store }),
  };
}
