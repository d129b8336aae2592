/**
 * Open runs and gates as Temporal itself keeps them, for metrics: visibility says what is open, history since when a gate is. No worker is asked, so
 * this answers while none runs; no workflow's memory counts, so a replay changes nothing.
 */
import type { Client } from '@temporalio/client';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { clusterOf, type GateKind, gateKind, runOf } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import type { VisibilityStatus } from '../calls/contract.ts';
import { attributeSetAt } from './event-times.ts';
import { fromVisibility } from './status.ts';
import { missingAttributeOf, translate, within } from '../calls/temporal-calls.ts';
import { IS_OPEN } from '../calls/open.ts';

/** Of a thousand runs; nobody waits for it. */
const LIST_LIMIT_MS = 10_000;

export interface OpenGateOfRun {
  kind: GateKind;
  /** ISO 8601; undefined where its history does not say. */
  openedAt?: string;
}

export interface OpenRun {
  cluster: ClusterRef;
  runId: string;
  target?: string;
  /** As the search attribute has it: a phase, `planning` or `reconcile`; anything from whoever may write to Temporal. */
  phase?: string;
  /** Since when it has been in that phase, ISO 8601: a step that is tried again begins anew. undefined where its history does not say. */
  phaseSince?: string;
  /** Its own and those of its steps. */
  gates: OpenGateOfRun[];
}

/** Whoever may write to Temporal may name anything a gate. */
const kindOf = (gate: string | undefined): GateKind | undefined => {
  try {
    return gate === undefined ? undefined : gateKind(gate);
  } catch {
    return undefined;
  }
};

/** Reads on each call; remembers since when gates are open, which is asked once for each. Throws UpgradesError. */
export function createCensus(client: Client): () => Promise<OpenRun[]> {
  let known = new Map<string, string | undefined>();
  const gatesOf = async (open: readonly VisibilityStatus[], seen: typeof known): Promise<OpenGateOfRun[]> => {
    const gates: OpenGateOfRun[] = [];
    for (const { workflowId, runId, waitingFor } of open) {
      const kind = kindOf(waitingFor);
      if (kind === undefined || waitingFor === undefined) continue;
      const key = `${workflowId} ${runId} ${waitingFor}`;
      const openedAt = known.has(key) ? known.get(key) : await attributeSetAt(client, { workflowId, runId }, 'BelayWaitingFor', waitingFor);
      seen.set(key, openedAt);
      gates.push({ kind, openedAt });
    }
    return gates;
  };
  /** Read anew when a gate opens or closes, since a step may have begun anew behind it. */
  const phaseSince = async (
    { workflowId, runId, phase, waitingFor = '' }: VisibilityStatus,
    seen: typeof known,
  ): Promise<string | undefined> => {
    if (phase === undefined) return undefined;
    const key = `${workflowId} ${runId} in ${phase} at ${waitingFor}`;
    const since = known.has(key) ? known.get(key) : await attributeSetAt(client, { workflowId, runId }, 'BelayPhase', phase);
    seen.set(key, since);
    return since;
  };
  return async () => {
    try {
      const runs = await list(client, `WorkflowType IN ('${WORKFLOWS.upgrade}', '${WORKFLOWS.reconcile}')`);
      const waiting = runs.length === 0 ? [] : await waitingSteps(client);
      const seen: typeof known = new Map();
      const census: OpenRun[] = [];
      for (const run of runs) {
        const cluster = clusterOf(run.workflowId);
        if (cluster === undefined) continue;
        const steps = waiting.filter((step) => runOf(step.workflowId) === run.workflowId && step.workflowId !== run.workflowId);
        const { runId, target, phase } = run;
        const since = await phaseSince(run, seen);
        census.push({ cluster, runId, target, phase, phaseSince: since, gates: await gatesOf([run, ...steps], seen) });
      }
      known = seen;
      return census;
    } catch (error) {
      throw translate(client, error);
    }
  };
}

/** A namespace without the attribute has no gates to show. */
async function waitingSteps(client: Client): Promise<VisibilityStatus[]> {
  try {
    return await list(client, 'BelayWaitingFor IS NOT NULL');
  } catch (error) {
    if (missingAttributeOf(error) === undefined) throw error;
    return [];
  }
}

async function list(client: Client, filter: string): Promise<VisibilityStatus[]> {
  return await within(client, LIST_LIMIT_MS, async () => {
    const found: VisibilityStatus[] = [];
    for await (const info of client.workflow.list({ query: `${IS_OPEN} AND ${filter}` })) found.push(fromVisibility(info));
    return found;
  });
}
