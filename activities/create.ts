/** Puts all activities together. Clients are built once by the worker, never per call. */
import { type ApproverDeps, createApproverActivities } from './run/people/approvers.ts';
import { type AuditDeps, createAuditActivities } from './run/records/audit.ts';
import { readCaller } from './run/people/aws-identity.ts';
import { type CheckDeps, createCheckActivities } from './observe/checks/index.ts';
import type { ClusterClients } from './clients/clusters.ts';
import { callerIdentityEndpoint } from './clients/aws/presigned-identity.ts';
import type { BelayActivities } from './contract/belay-activities.ts';
import { createRollbackPlanActivities } from './run/planning/plan-rollback.ts';
import { createCanaryActivities } from './karpenter/controller/canary-node.ts';
import { createKarpenterHelmActivities } from './karpenter/controller/helm-upgrade.ts';
import { createKarpenterChangeActivities } from './karpenter/controller/verify-change.ts';
import { createGitOpsActivities } from './kubernetes/gitops/await-delivered.ts';
import { createEksActivities } from './eks/index.ts';
import { createHealthActivities } from './observe/health/index.ts';
import { createSideEffectActivities } from './clients/side-effects/compare-again.ts';
import { createHelmRunner, type HelmOptions } from './kubernetes/helm/runner.ts';
import { createCordonActivities } from './kubernetes/objects/cordon-node.ts';
import { createWorkloadActivities } from './kubernetes/objects/scale-workloads.ts';
import { createIstioActivities } from './istio/index.ts';
import { createKarpenterActivities } from './karpenter/index.ts';
import { createOtherNodeActivities } from './eks/other-nodes.ts';
import { createLeftoverActivities } from './run/planning/leftovers.ts';
import { createMigrationActivities } from './karpenter/migration/index.ts';
import { createForecastActivities, type ForecastDeps } from './run/planning/forecast-upgrade.ts';
import { createDeliverActivities, type DeliverDeps } from './run/people/deliver.ts';
import { createNotifyActivities } from './run/people/notify.ts';
import { createPlanningActivities, type PlanningDeps } from './run/planning/planning.ts';
import type { GroupReader, KubernetesDeps, Notifier, PersonReader } from './contract/ports.ts';
import type { AuditStore, RecordStore } from './contract/records.ts';
import { createIstioctl, type IstioctlOptions } from './istio/mesh/istioctl.ts';
import { createReadinessActivities, type ReadinessDeps } from './observe/readiness/index.ts';
import { judgeCluster } from './observe/readiness/judge-cluster.ts';
import { transientByAttempt } from './runtime/see.ts';
import { protectAll } from './run/protection.ts';
import { createRecordActivities } from './run/records/records.ts';
import { createRollbackPointActivities } from './run/planning/rollback-point.ts';
import { createRefreshActivities } from './eks/auto-scaling/index.ts';
import { createClusterStateActivities } from './observe/cluster-state/index.ts';
import { createQueueActivities, type QueueDeps } from './run/watch-queue.ts';
import { createArrivedActivities } from './run/campaign/arrived.ts';
import { createFleetActivities, type FleetDeps } from './run/campaign/fleet.ts';
import { createBackActivities } from './run/campaign/back.ts';
import { createMemberActivities } from './run/campaign/members.ts';
import type { CampaignRuns } from './run/campaign/runs.ts';
import { createSoakActivities } from './run/campaign/soak-health.ts';
import { createProposalActivities, type ProposalDeps } from './run/proposals/proposals.ts';
import { createVersionActivities } from './run/planning/fleet-versions.ts';
import { createWindowActivities, judgeExclusions, type WindowDeps } from './run/windows/index.ts';
import { defined } from '../domain/core/defined.ts';

/** Campaigns: belay.yaml, and runs by Temporal. */
export type CampaignDeps = Pick<FleetDeps, 'campaignOf'> & Pick<ProposalDeps, 'file'> & { runs: CampaignRuns };

export interface ActivityDeps {
  clients: Pick<ClusterClients, 'aws' | 'account' | 'clusterPorts' | 'kubeconfig'>;
  /** From belay.yaml; throws for a cluster that it does not name. */
  policyOf: KubernetesDeps['policyOf'];
  windowsOf: WindowDeps['windowsOf'];
  /** From belay.yaml, as policyOf. */
  readinessOf: CheckDeps['readinessOf'];
  renderReport: ReadinessDeps['renderReport'];
  /** undefined: this process makes none. */
  forecasts?: Pick<ForecastDeps, 'forecaster' | 'renderForecast'>;
  store: RecordStore;
  audit: AuditStore;
  /** Told when an audit record is newer than its run's history. */
  onRestored?: AuditDeps['onRestored'];
  /** undefined: no Slack. */
  notifier?: Notifier;
  /** undefined: nobody beside Slack is told. */
  elsewhere?: DeliverDeps;
  groups?: GroupReader;
  people?: PersonReader;
  /** Whose signatures are believed, by belay.yaml as it is now. */
  publicKeys?: ApproverDeps['publicKeys'];
  /** What lets a run change something; undefined: nothing asks for it. */
  grant?: ApproverDeps['grant'];
  missingSearchAttributes?: PlanningDeps['missingSearchAttributes'];
  takeStart?: ApproverDeps['takeStart'];
  /** Where this worker runs; undefined: it is not asked. */
  pod?: PlanningDeps['pod'];
  /** Who polls a network's queue; undefined: there is no Temporal to ask. */
  isPolled?: QueueDeps['isPolled'];
  /** For who a caller is: of clusters that this worker does not reach, too. Nothing but the address of STS is read from it; absent: `clients`. */
  callers?: Pick<ClusterClients, 'aws'>;
  /** undefined: this process works on no campaigns. */
  campaigns?: CampaignDeps;
  /** How helm is run, where something is managedBy helm; undefined: this worker has none. */
  helm?: Omit<HelmOptions, 'kubeconfig'>;
  /** How istioctl is run; undefined: this worker does not look for it. */
  istioctl?: Omit<IstioctlOptions, 'kubeconfig'>;
}

export function createActivities(deps: ActivityDeps): BelayActivities {
  const { clients, policyOf, readinessOf, renderReport, store, audit, notifier, groups, people, missingSearchAttributes, pod } = deps;
  const helm = deps.helm === undefined ? undefined : createHelmRunner({ ...deps.helm, kubeconfig: clients.kubeconfig });
  const istioctl = deps.istioctl === undefined ? {} : { istioctl: createIstioctl({ ...deps.istioctl, kubeconfig: clients.kubeconfig }) };
  const clusterDeps = { aws: clients.aws, clusterPorts: clients.clusterPorts };
  const kubernetesDeps: KubernetesDeps = { clusterPorts: clients.clusterPorts, policyOf };
  const changeDeps = { ...kubernetesDeps, aws: clients.aws, account: clients.account, ...defined({ helm }) };
  const windowDeps = { aws: clients.aws, windowsOf: deps.windowsOf, store };
  const windows = createWindowActivities(windowDeps);
  const activities: BelayActivities = {
    ...createPlanningActivities({
      ...clusterDeps,
      account: clients.account,
      policyOf,
      campaignOf: (deps.campaigns ?? noCampaigns).campaignOf,
      store,
      windows,
      missingSearchAttributes,
      ...defined({ pod }),
    }),
    ...createRollbackPlanActivities({ ...clusterDeps, account: clients.account, store }),
    ...createRollbackPointActivities({ ...clusterDeps, account: clients.account, store }),
    ...createCheckActivities({ ...clusterDeps, account: clients.account, readinessOf, ...istioctl }),
    ...createReadinessActivities({ judge: judgeWith(clients, readinessOf), renderReport, ...defined({ notifier }) }),
    ...createVersionActivities(clusterDeps),
    ...createForecastActivities({ ...(deps.forecasts ?? noForecasts), store, ...defined({ notifier }) }),
    ...createEksActivities(clusterDeps),
    ...createSideEffectActivities(clusterDeps),
    ...createKarpenterActivities(kubernetesDeps),
    ...createMigrationActivities(kubernetesDeps, { aws: clients.aws, account: clients.account }),
    ...createKarpenterChangeActivities(changeDeps),
    ...createCanaryActivities(changeDeps),
    ...createKarpenterHelmActivities(changeDeps),
    ...createGitOpsActivities(changeDeps),
    ...createWorkloadActivities(kubernetesDeps),
    ...createCordonActivities(kubernetesDeps),
    ...createOtherNodeActivities(kubernetesDeps),
    ...createRefreshActivities({ ...kubernetesDeps, account: clients.account }),
    ...createIstioActivities({ ...kubernetesDeps, ...istioctl, ...defined({ helm }) }),
    ...createLeftoverActivities({ ...kubernetesDeps, account: clients.account, store }),
    ...createNotifyActivities({ notifier }),
    ...createDeliverActivities(deps.elsewhere ?? {}),
    ...createApproverActivities({
      groups,
      people,
      publicKeys: deps.publicKeys,
      grant: deps.grant,
      takeStart: deps.takeStart,
      caller: callerOf(deps.callers ?? clients),
    }),
    ...createRecordActivities({ store }),
    ...windows,
    ...createHealthActivities({ clusterPorts: clients.clusterPorts, judgeWindow: (input) => windows.judgeWindow(input) }),
    ...createClusterStateActivities(kubernetesDeps),
    ...createAuditActivities({ audit, onRestored: deps.onRestored }),
    ...createQueueActivities({ isPolled: deps.isPolled ?? noTemporal }),
    ...createFleetActivities({ aws: clients.aws, store, ...(deps.campaigns ?? noCampaigns) }),
    ...createMemberActivities({ ...windowDeps, windows, ...(deps.campaigns ?? noCampaigns) }),
    ...createArrivedActivities({ aws: clients.aws }),
    ...createBackActivities({ aws: clients.aws, ...(deps.campaigns ?? noCampaigns) }),
    ...createSoakActivities(kubernetesDeps),
    ...createProposalActivities(deps.campaigns ?? noCampaigns),
  };
  return protectAll(activities, {
    freeze: activities,
    exclusion: (cluster, phase) => judgeExclusions(windowDeps, cluster, phase),
    alerts: (input) => activities.judgeAlerts(input),
  });
}

async function noTemporal(): Promise<never> {
  throw new Error('this process has no connection to Temporal');
}

const noForecasts: NonNullable<ActivityDeps['forecasts']> = {
  forecaster: { forecast: () => Promise.reject(new Error('this process makes no forecasts')) },
  renderForecast: () => '',
};

const noBelayYaml = (): never => {
  throw new Error('this process works on no campaigns');
};

const noCampaigns: CampaignDeps = {
  campaignOf: noBelayYaml,
  file: noBelayYaml,
  runs: { find: noTemporal, asks: noTemporal, goesBack: noTemporal, start: noTemporal, campaign: noTemporal, owners: noTemporal },
};

function judgeWith(clients: ActivityDeps['clients'], readinessOf: ActivityDeps['readinessOf']): ReadinessDeps['judge'] {
  return async (cluster, request) => {
    const { kubernetes } = await clients.clusterPorts(cluster);
    const [aws, account] = [clients.aws(cluster), clients.account(cluster)];
    return await judgeCluster({ ...request, ...readinessOf(cluster.name), aws, account, kubernetes, onTransient: transientByAttempt() });
  };
}

function callerOf(clients: Pick<ClusterClients, 'aws'>): ApproverDeps['caller'] {
  return (cluster, claim) =>
    readCaller({ region: cluster.region, endpoint: () => callerIdentityEndpoint(clients.aws(cluster).sts) }, claim);
}
