/** The way back of single steps: facts of now, and what the last run has recorded of itself. */
import { z } from 'zod';
import { type ClusterFacts, GATEWAY_KINDS } from '../../../domain/facts/facts.ts';
import { type LastRun, paramsIn } from '../../../domain/plan/undo/last-run.ts';
import { planUndo, type UndoOption, undoOptions } from '../../../domain/plan/undo/plan-undo.ts';
import type { KeptRelease, UndoSeen } from '../../../domain/plan/undo/undo-input.ts';
import type { PlanResult } from '../../../domain/plan/model/types.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { isPoint, type ReleasePoint } from '../../../domain/facts/rollback-point.ts';
import { imagesWanted } from '../../../domain/plan/undo/selector-terms.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { readRollbackWindow } from '../../eks/rollback-window.ts';
import { isPastUpgrade } from '../records/learn-durations.ts';
import { readImages } from './node-images.ts';
import { readRelease } from '../../kubernetes/helm/release.ts';
import { releasePlaceOf } from '../../istio/revision/helm-place.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { RecordStore } from '../../contract/records.ts';
import { see } from '../../runtime/see.ts';
import { pointName } from '../records/records.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { lastRun, type RecordedRun } from '../../../domain/run/record/last-run.ts';

/** The last run that has changed something is among so many: runs that were refused leave records, too. */
const RECORDS = 30;

type ReleaseOfMesh = Pick<ReleasePoint, 'namespace' | 'name' | 'istio'>;

/** What the way back of Istio needs of a rollback point. */
const PointOfMesh = z.object({
  format: z.literal(1),
  istioRevisions: z.array(z.object({ revision: z.string(), version: z.string() })),
  istioTags: z.array(z.object({ tag: z.string(), revision: z.string() })),
  meshNamespaces: z.array(z.object({ name: z.string(), mode: z.enum(['revision', 'tag', 'injection-label']), selector: z.string() })),
  istioGateways: z.array(
    z.object({
      kind: z.enum(GATEWAY_KINDS),
      namespace: z.string(),
      name: z.string(),
      by: z.enum(['own-label', 'namespace', 'default', 'image']),
      selector: z.string(),
    }),
  ),
  deliveredCharts: z.array(
    z.object({
      kind: z.enum(['HelmRelease', 'Application']),
      namespace: z.string(),
      name: z.string(),
      chart: z.string(),
      version: z.string(),
    }),
  ),
  releases: z.array(z.object({ namespace: z.string(), name: z.string(), istio: z.string().optional() })),
});

interface Asked {
  store: Pick<RecordStore, 'newest' | 'read'>;
  facts: ClusterFacts;
  policy: UpgradePolicy;
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
}

export async function planUndoOf(asked: Asked, step: string): Promise<PlanResult> {
  return planUndo(asked.facts, await look(asked), step, asked.policy);
}

export async function undoOptionsOf(asked: Asked): Promise<UndoOption[]> {
  return undoOptions(asked.facts, await look(asked), asked.policy);
}

/** Each is asked for one step alone: where it cannot be read, that one is refused. */
async function look(asked: Asked): Promise<UndoSeen> {
  const { store, facts, aws, account, kubernetes } = asked;
  const { cluster } = facts;
  const run = await readLastRun(store, cluster);
  const window = await see('reading what EKS can roll back', () => readRollbackWindow(aws, { cluster }), 'unknown');
  if (run === undefined) return { run };
  const read = await see('reading the rollback point', () => store.read(pointName(cluster, run)), 'unknown');
  const point = read.ok ? read.value : undefined;
  const images = await readImages(account, kubernetes, { ...imagesWanted(run), minor: facts.controlPlane.version });
  return {
    run,
    ...(window.ok ? { back: window.value.back } : {}),
    // Without it the plan's record says what was, but for what only the objects have said.
    ...(isPoint(point) ? { point } : {}),
    images,
    ...(await lookAtMesh(asked, run, point)),
  };
}

/** What the run's rollback point says of the mesh, and what Helm still has of the revisions that are gone since. */
async function lookAtMesh({ facts, policy, kubernetes }: Asked, run: LastRun, read: unknown): Promise<Pick<UndoSeen, 'mesh' | 'kept'>> {
  const canaries = paramsIn(run, ['istio']).flatMap((params) => params.canaries);
  const point = PointOfMesh.safeParse(read);
  if (canaries.length === 0 || !point.success) return {};
  const { releases, ...mesh } = point.data;
  if (policy.managedBy.istio !== 'helm') return { mesh };
  const there = (facts.istio?.revisions ?? []).map(({ revision }) => revision);
  const gone = [...new Set(canaries.map(({ fromRevision }) => fromRevision))].filter((revision) => !there.includes(revision));
  const kept = await Promise.all(gone.map((revision) => readKept(kubernetes, revision, releases)));
  return { mesh, kept: kept.filter((each) => each !== undefined) };
}

/** Under the name that the rollback point has, else under Belay's own: those between were installed by the run. undefined: there is none, or it cannot be read. */
async function readKept(port: KubernetesPort, revision: string, releases: readonly ReleaseOfMesh[]): Promise<KeptRelease | undefined> {
  const release = await see(`reading the Helm release of Istio revision ${revision}`, async () => {
    const { namespace, name } = releases.find(({ istio }) => istio === revision) ?? (await releasePlaceOf(port, revision));
    return await readRelease(port, namespace, name);
  });
  // One that is deployed while its istiod is gone is nothing that Helm would install again.
  if (!release.ok || release.value === undefined || release.value.status === 'deployed') return undefined;
  const { namespace, name, chart } = release.value;
  return { revision, namespace, name, version: chart.version, appVersion: chart.appVersion ?? chart.version };
}

/** What cannot be read is no "there was none". */
async function readLastRun(store: Pick<RecordStore, 'newest'>, cluster: ClusterRef): Promise<LastRun | undefined> {
  try {
    return lastRun((await store.newest(RECORDS, cluster)).filter(isRecordedRun).filter((record) => isOf(record, cluster)));
  } catch (error) {
    throw failureOf('Unavailable', `reading the record of the last run of ${cluster.name}: ${messageOf(error)}`, { cause: error });
  }
}

function isRecordedRun(json: unknown): json is RecordedRun {
  return isPastUpgrade(json) && typeof field(json.report.status, 'startedAt') === 'string';
}

/** Names of clusters may begin alike, so the record itself says whose it is. */
function isOf(record: RecordedRun, { name, account, region }: ClusterRef): boolean {
  const cluster = field(record.report.status, 'cluster');
  return field(cluster, 'name') === name && field(cluster, 'account') === account && field(cluster, 'region') === region;
}
