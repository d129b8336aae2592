/**
 * What stands beside open runs, for metrics: guards of freezes, clocks of rollback windows, and what Slack has not taken. Each is an execution that
 * Temporal's server describes without a worker: its activities under way, their heartbeats, and the results in its history.
 */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type proto from '@temporalio/proto';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { field } from '../../domain/core/unknown.ts';
import { clusterOf, runOf } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { PHASE_WORKFLOWS } from '../../workflows/contract/phase-workflows.ts';
import { activityScheduledAt, decoded, type Execution, isoOf, newestResult } from './event-times.ts';
import { isNotFound, translate, within } from '../calls/temporal-calls.ts';
import { IS_OPEN, isOpenStatus } from '../calls/open.ts';

const LIST_LIMIT_MS = 10_000;
const DESCRIBE_LIMIT_MS = 5_000;
/** A thousand executions are described in seconds, and others still get their turn. */
const AT_ONCE = 8;

const FREEZE = PHASE_WORKFLOWS['freeze-drift'];
/** Whatever tells people something by an activity of its own. */
const TELLING = [
  WORKFLOWS.upgrade,
  WORKFLOWS.reconcile,
  WORKFLOWS.check,
  WORKFLOWS.forecast,
  WORKFLOWS.rollbackWindow,
  'tellLater',
  FREEZE,
];

export interface GuardedFreeze {
  cluster: ClusterRef;
  /** ISO 8601: when its guard began. A guard that takes a freeze over from another run's begins anew. */
  since: string;
  /** When the guard last saw the NodePools, as it says itself; undefined before its first look and where that cannot be read. */
  lookedAt?: string;
}

export interface OpenWindow {
  cluster: ClusterRef;
  /** The version that the control plane is at. */
  at: string;
  /** ISO 8601, by EKS's clock. */
  closesAt: string;
}

export interface Undelivered {
  /** Deliveries under way or tried again; each has up to five messages of one run, and what waits behind it is not counted. */
  count: number;
  /** ISO 8601: since when the oldest of them has been. */
  since?: string;
}

export interface Guards {
  freezes: GuardedFreeze[];
  windows: OpenWindow[];
  undelivered: Undelivered;
}

type Pending = proto.temporal.api.workflow.v1.IPendingActivityInfo;

/** Reads on each call; remembers what a history has said. Throws UpgradesError. */
export function createGuards(client: Client): () => Promise<Guards> {
  let known = new Map<string, unknown>();
  return async () => {
    try {
      const seen: typeof known = new Map();
      /** Read once for each key. */
      const once = async <T>(key: string, read: () => Promise<T>): Promise<T> => {
        const value = known.has(key) ? (known.get(key) as T) : await read();
        seen.set(key, value);
        return value;
      };
      const guards: Guards = { freezes: [], windows: [], undelivered: { count: 0 } };
      await eachOf(await running(client), async ({ workflowId, runId, type }) => {
        const execution = { workflowId, runId };
        const described = await describe(client, execution);
        if (described === undefined) return;
        const pending = described.raw.pendingActivities ?? [];
        if (type === FREEZE) addFreeze(guards, execution, described, await lookOf(client, execution, pending));
        if (type === WORKFLOWS.rollbackWindow) {
          const read = (): Promise<unknown> => newestResult(client, execution, 'readRollbackWindow').catch(() => undefined);
          addWindow(guards, workflowId, await once(`${runId} ${described.historyLength}`, read));
        }
        for (const publish of pending.filter(({ activityType }) => ['publish', 'deliverEvents'].includes(activityType?.name ?? ''))) {
          const { activityId, attempt, scheduledTime } = publish;
          const firstTry = (): Promise<string | undefined> => activityScheduledAt(client, execution, activityId ?? '');
          const since = (attempt ?? 1) > 1 ? await once(`${runId} ${activityId}`, firstTry) : isoOf(scheduledTime);
          guards.undelivered = sum(guards.undelivered, since);
        }
      });
      known = seen;
      return guards;
    } catch (error) {
      throw translate(client, error);
    }
  };
}

const sum = ({ count, since }: Undelivered, next: string | undefined): Undelivered => ({
  count: count + 1,
  since: [since, next].filter((iso) => iso !== undefined).toSorted()[0],
});

async function running(client: Client): Promise<(Execution & { type: string })[]> {
  const query = `${IS_OPEN} AND WorkflowType IN (${TELLING.map((type) => `'${type}'`).join(', ')})`;
  return await within(client, LIST_LIMIT_MS, async () => {
    const found: (Execution & { type: string })[] = [];
    for await (const { workflowId, runId, type } of client.workflow.list({ query })) found.push({ workflowId, runId, type });
    return found;
  });
}

/** undefined: it has ended since it was listed. */
async function describe(client: Client, { workflowId, runId }: Execution): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const described = await within(client, DESCRIBE_LIMIT_MS, () => client.workflow.getHandle(workflowId, runId).describe());
    return isOpenStatus(described.status.name) ? described : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** What the watcher says in its heartbeats; a heartbeat alone says no more than that its worker is there. */
async function lookOf(client: Client, { workflowId }: Execution, pending: readonly Pending[]): Promise<string | undefined> {
  const watching = pending.find(({ activityType }) => activityType?.name === 'watchFreeze');
  const payload = watching?.heartbeatDetails?.payloads?.[0];
  if (payload === undefined) return undefined;
  const said = await decoded(client, payload, { workflowId, activityId: watching?.activityId ?? '' }).catch(() => undefined);
  return dateIn(field(field(said, 'details'), 'lookedAt'));
}

function addFreeze({ freezes }: Guards, { workflowId }: Execution, { startTime }: WorkflowExecutionDescription, lookedAt?: string): void {
  const cluster = clusterOf(workflowId);
  if (cluster !== undefined) freezes.push({ cluster, since: startTime.toISOString(), ...(lookedAt === undefined ? {} : { lookedAt }) });
}

/** What readRollbackWindow gives: activities/contract/eks. */
function addWindow({ windows }: Guards, workflowId: string, result: unknown): void {
  const cluster = clusterOf(runOf(workflowId).replace(/^eks-rollback-window\//, 'eks-upgrade/'));
  const back = field(result, 'back');
  const closesAt = dateIn(field(field(back, 'window'), 'closesAt'));
  const at = field(field(back, 'window'), 'at');
  if (cluster !== undefined && field(back, 'kind') === 'open' && closesAt !== undefined && typeof at === 'string')
    windows.push({ cluster, at, closesAt });
}

const dateIn = (value: unknown): string | undefined => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined);

/** A few at a time. */
async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
