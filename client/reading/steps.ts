/** Steps of runs as Temporal's visibility lists them: each is an execution of its own, with the times of its begin and its end. No worker is asked. */
import type { Client } from '@temporalio/client';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { parseStepId, type PhaseId } from '../../domain/core/phases.ts';
import { clusterOf, runOf } from '../../workflows/contract/ids.ts';
import { PHASE_WORKFLOWS } from '../../workflows/contract/phase-workflows.ts';
import { translate, within } from '../calls/temporal-calls.ts';
import { IS_OPEN } from '../calls/open.ts';

const LIST_LIMIT_MS = 10_000;
const MINOR = /^1\.\d{2}$/;

export interface StepRun {
  cluster: ClusterRef;
  phase: PhaseId;
  /** "control-plane@1.34" */
  step: string;
  /** Epoch, ms, by Temporal's clock. */
  startMs: number;
  /** Absent: it runs. */
  end?: { atMs: number; how: 'completed' | 'failed' | 'ended' };
}

/** Those that run, and those that have ended since. What is no step of Belay's is left out. Throws UpgradesError. */
export async function listSteps(client: Client, since: Date): Promise<StepRun[]> {
  const types = [...new Set(Object.values(PHASE_WORKFLOWS))].map((type) => `'${type}'`).join(', ');
  const query = `WorkflowType IN (${types}) AND (${IS_OPEN} OR CloseTime >= '${since.toISOString()}')`;
  try {
    return await within(client, LIST_LIMIT_MS, async () => {
      const steps: StepRun[] = [];
      for await (const { workflowId, status, startTime, closeTime } of client.workflow.list({ query })) {
        const step = stepIn(workflowId);
        if (step === undefined) continue;
        const how = status.name === 'COMPLETED' ? 'completed' : status.name === 'FAILED' ? 'failed' : 'ended';
        const end = status.name === 'RUNNING' || closeTime === undefined ? {} : { end: { atMs: closeTime.getTime(), how } as const };
        steps.push({ ...step, startMs: startTime.getTime(), ...end });
      }
      return steps;
    });
  } catch (error) {
    throw translate(client, error);
  }
}

/** Whoever may start workflows may call them anything. */
function stepIn(workflowId: string): Pick<StepRun, 'cluster' | 'phase' | 'step'> | undefined {
  const cluster = clusterOf(workflowId);
  const step = workflowId.slice(runOf(workflowId).length + 1);
  if (cluster === undefined) return undefined;
  try {
    const { phase, minor } = parseStepId(step);
    return MINOR.test(minor) ? { cluster, phase, step } : undefined;
  } catch {
    return undefined;
  }
}
