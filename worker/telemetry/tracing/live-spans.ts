/** Activities of runs, and starts of runs, as spans: told when they are over, by the process in which they were. What belongs to no run has no span. */
import type { Context } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { failureType } from '../../../activities/runtime/translate-errors.ts';
import { phaseOf } from '../../../domain/core/phases.ts';
import { defined } from '../../../domain/core/defined.ts';
import { clusterOf, RUN_HEADER, runOf } from '../../../workflows/contract/ids.ts';
import { type Emit, type LiveResult, type SpanAttributes, type TraceSpan, traceOf } from './span.ts';

/** Whoever may start workflows may call them anything. */
const STEP = /^[a-z-]+@1\.\d{2}$/;

/** Says what has ended: its times are measured between making this and calling it, whatever becomes of the clock meanwhile. */
type Stopwatch = () => Pick<TraceSpan, 'startMs' | 'endMs'>;

function stopwatch(): Stopwatch {
  const startMs = Date.now();
  const from = performance.now();
  return () => ({ startMs, endMs: startMs + (performance.now() - from) });
}

/** Outside of what translates errors, so that a result is one of the known failures. */
export function spansOfActivities(emit: Emit): (context: Pick<Context, 'info'>) => ActivityInterceptors {
  return ({ info: { workflowExecution, activityType, attempt } }) => ({
    inbound: {
      async execute(input, next) {
        const stop = stopwatch();
        const told = (result: LiveResult): void => {
          const header = input.headers[RUN_HEADER];
          const runId: unknown = header === undefined ? undefined : defaultPayloadConverter.fromPayload(header);
          const of =
            workflowExecution === undefined || typeof runId !== 'string' ? undefined : placeOf(workflowExecution.workflowId, runId);
          if (of === undefined) return;
          const { traceId, parentId, attributes } = of;
          const name = `RunActivity:${activityType}`;
          emit({ traceId, parentId, name, ...stop(), attributes: { ...attributes, attempt, result }, isFailed: isFailure(result) });
        };
        return await ended(() => next(input), told);
      },
    },
  });
}

/** Starts of upgrades. One that was refused has no run, and so no trace. */
export function spansOfStarts(emit: Emit): WorkflowClientInterceptor {
  return {
    async startWithDetails(input, next) {
      const stop = stopwatch();
      const output = await next(input);
      const { workflowId } = input.options;
      const of = workflowId === runOf(workflowId) ? placeOf(workflowId, output.runId) : undefined;
      if (of !== undefined) {
        const { traceId, parentId, attributes } = of;
        emit({ traceId, parentId, name: `StartWorkflow:${input.workflowType}`, ...stop(), attributes: { ...attributes, result: 'ok' } });
      }
      return output;
    },
  };
}

/** Where in a run's trace something of that workflow belongs: below its step, else below the run. undefined: of no run. */
function placeOf(workflowId: string, run: string): { traceId: string; parentId: string; attributes: SpanAttributes } | undefined {
  const ref = clusterOf(workflowId);
  if (ref === undefined) return undefined;
  const upgrade = runOf(workflowId);
  const step = workflowId.slice(upgrade.length + 1).split('/')[0] ?? '';
  const phase = STEP.test(step) ? phaseOf(step) : undefined;
  const { traceId, runId, stepId } = traceOf({ workflowId: upgrade, runId: run });
  const { account, region, name: cluster } = ref;
  return {
    traceId,
    parentId: phase === undefined ? runId : stepId(step),
    attributes: { account, region, cluster, run, ...(phase === undefined ? {} : defined({ step, phase })) },
  };
}

async function ended<T>(work: () => Promise<T>, told: (result: LiveResult) => void): Promise<T> {
  let result: LiveResult = 'ok';
  try {
    return await work();
  } catch (error) {
    result = error instanceof CancelledFailure ? 'Cancelled' : (failureType(error) ?? 'Unknown');
    throw error;
  } finally {
    try {
      told(result);
    } catch {
      // Whatever the activity answered stands.
    }
  }
}

const isFailure = (result: LiveResult): boolean => result !== 'ok' && result !== 'Cancelled';
