/**
 * Replays the live history of every open run on this release's workflow code. Temporal's documentation advises it before a release
 * (https://docs.temporal.io/develop/typescript/best-practices/testing-suite#replay); a run that does not replay would stand still, its task failing again and again.
 */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { DeterminismViolationError } from '@temporalio/workflow';
import { type ReplayWorkerOptions, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { messageOf } from '../../domain/core/unknown.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { READ_AGAIN } from '../../workflows/contract/read-again.ts';
import type { DeploymentVersion } from '../../client/calls/worker-deployments.ts';
import { type History, startedBy, whyUnreadable } from './history.ts';
import { pinnedSteps } from './pinned-steps.ts';
import type { CodecKey } from '../crypto/codec/keys.ts';
import { IS_OPEN } from '../../client/calls/open.ts';

export interface ReplayedRun {
  workflowId: string;
  runId: string;
  /** Workflow type. */
  type: string;
  startedAt: string;
  /** Build id of the worker that did its first task; absent where no history tells it. */
  startedBy?: string;
  /** `unknown` is never taken for `replays`. `stays`: a step that does not replay, and is pinned to another version of workers. */
  verdict: 'replays' | 'breaks' | 'unknown' | 'stays';
  /** Of what does not replay. */
  why?: string;
}

export interface ReplayRuns {
  client: Client;
  workflowBundle: WorkflowBundleWithSourceMap;
  /** As the worker has it: histories may be encrypted. */
  dataConverter: DataConverter;
  keys: readonly CodecKey[];
  /** Of this release's workers, where they have one: what is pinned to it does not stay with others. */
  version?: DeploymentVersion | undefined;
  /** Tests have queues of their own. */
  taskQueue?: string;
}

/** Those that would break first. Throws where open runs cannot be listed. */
export async function replayOpenRuns(options: ReplayRuns): Promise<ReplayedRun[]> {
  const { client, taskQueue = TASK_QUEUE } = options;
  const waiting: WorkflowExecutionInfo[] = [];
  const query = `${IS_OPEN} AND TaskQueue = '${taskQueue}'`;
  for await (const run of client.workflow.list({ query })) waiting.push(run);
  const judged = new Map<string, ReplayedRun>();
  // What ends a replay worker ends it for all histories: the one at which it ended is unknown, and those behind it get another.
  while (judged.size < waiting.length) {
    const left = waiting.filter(({ runId }) => !judged.has(runId));
    await replay(left, options, judged);
  }
  const stays = await pinnedElsewhere(options, taskQueue);
  const order = ['breaks', 'unknown', 'stays', 'replays'];
  return [...judged.values()]
    .map(stays)
    .toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || a.workflowId.localeCompare(b.workflowId));
}

/** A step that is pinned to workers of another version is run by none of this release: that it would not replay here stops nobody. */
async function pinnedElsewhere({ client, version }: ReplayRuns, taskQueue: string): Promise<(run: ReplayedRun) => ReplayedRun> {
  const own = version === undefined ? undefined : `${version.deploymentName}:${version.buildId}`;
  const steps = await pinnedSteps(client, client.options.namespace, taskQueue);
  const pinned = new Map(steps.map((step) => [step.runId, step.version]));
  return (run) => {
    const to = pinned.get(run.runId);
    if (to === undefined || to === own || run.verdict === 'replays') return run;
    return {
      ...run,
      verdict: 'stays',
      why: `pinned to ${to}: keep its workers until this step ends. On this release: ${run.why ?? 'unknown'}`,
    };
  };
}

/** Judges at least the first one. */
async function replay(runs: readonly WorkflowExecutionInfo[], options: ReplayRuns, judged: Map<string, ReplayedRun>): Promise<void> {
  const { client, workflowBundle, dataConverter, keys } = options;
  const now: { replayed?: { run: WorkflowExecutionInfo; history: History } } = {};
  const judge = (run: WorkflowExecutionInfo, history: History | undefined, verdict: Verdict): void =>
    void judged.set(run.runId, { ...nameOf(run), ...startedBy(history), ...verdict });
  async function* histories(): AsyncGenerator<{ workflowId: string; history: History }> {
    for (const run of runs) {
      const { workflowId, runId } = run;
      try {
        const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
        const unreadable = await whyUnreadable(history, keys);
        if (unreadable === undefined) {
          now.replayed = { run, history };
          yield { workflowId, history };
        } else judge(run, history, { verdict: 'unknown', why: unreadable });
      } catch (error) {
        judge(run, undefined, { verdict: 'unknown', why: `its history cannot be read: ${firstLine(messageOf(error))}` });
      }
    }
  }
  // Payloads are bound to their namespace, which the SDK's type leaves out.
  const worker: ReplayWorkerOptions & { namespace: string } = { workflowBundle, dataConverter, namespace: client.options.namespace };
  const judgeReplayed = (verdict: Verdict): void => {
    if (now.replayed !== undefined) judge(now.replayed.run, now.replayed.history, verdict);
    delete now.replayed;
  };
  let ended = 'the replay worker stopped';
  try {
    for await (const { error } of Worker.runReplayHistories(worker, histories())) judgeReplayed(verdictOf(error));
  } catch (error) {
    if (now.replayed === undefined) throw error;
    ended = messageOf(error);
  }
  judgeReplayed({ verdict: 'unknown', why: `its replay ended early: ${firstLine(ended)}` });
}

const nameOf = ({ workflowId, runId, type, startTime }: WorkflowExecutionInfo): Omit<ReplayedRun, 'verdict'> => ({
  workflowId,
  runId,
  type,
  startedAt: startTime.toISOString(),
});

type Verdict = Pick<ReplayedRun, 'verdict' | 'why'>;

/** By the SDK's own texts (`evictionReasonToReplayError` of @temporalio/worker): a task that fails in replay would fail live; faults of the SDK say nothing of the run. */
const TASK_FAILED = /^Replay failed due workflow task failure/;
/** Of workflows/runtime: a payload that this machine's keys do not open. */
const UNREAD = /reading from Temporal: /;

function verdictOf(error: Error | undefined): Verdict {
  if (error === undefined) return { verdict: 'replays' };
  // Its last events wait for a task: all that tasks have done was replayed.
  if (error.message.includes(READ_AGAIN)) return { verdict: 'replays' };
  const why = detailsOf(error.message);
  if (UNREAD.test(error.message)) return { verdict: 'unknown', why };
  const breaks = error instanceof DeterminismViolationError || TASK_FAILED.test(error.message);
  return { verdict: breaks ? 'breaks' : 'unknown', why };
}

/** What the SDK puts behind its own sentence; of a failure as the core prints it, the message. */
function detailsOf(message: string): string {
  const details = message.split('Details: ').slice(1).join('Details: ') || message;
  return firstLine((/message: "((?:[^"\\]|\\.)*)"/.exec(details)?.[1] ?? details).replaceAll(/\\+(?=["'])/g, ''));
}

const firstLine = (text: string): string => text.split('\n')[0]?.slice(0, 300) ?? '';
