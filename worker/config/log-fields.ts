/** What a line of a log is about: cluster, step, run and trace, from what the SDK says of the workflow that it belongs to. */
import { defined } from '../../domain/core/defined.ts';
import { traceIdOf } from '../../domain/core/trace-id.ts';
import { clusterOf, runOf } from '../../workflows/contract/ids.ts';

export interface LogFields {
  cluster?: string;
  /** "control-plane@1.34" */
  step?: string;
  /** Run id of the upgrade, also in lines of its steps. */
  run?: string;
  /** As OpenTelemetry names it in logs (https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/). */
  trace_id?: string;
}

/** Short workflows that look at a cluster or outlive its run: `<kind>/<account>/<region>/<name>`. */
const OF_A_CLUSTER = /^eks-(?:plan|check|leftovers|undo-list|rollback-window)\/[^/]*\/[^/]*\/([^/]+)/;

/**
 * `run`: of the upgrade, where somebody knows it; a step's own workflow has a run id of its own, which is nobody's. Empty for what belongs to no cluster.
 */
export function logFieldsOf({ workflowId, runId }: { workflowId: string; runId?: string }, run?: string): LogFields {
  const cluster = clusterOf(workflowId)?.name;
  if (cluster === undefined) return defined({ cluster: OF_A_CLUSTER.exec(workflowId)?.[1] });
  const upgrade = runOf(workflowId);
  const step = workflowId.slice(upgrade.length + 1);
  const known = run ?? (step === '' ? runId : undefined);
  return defined({
    cluster,
    step: step.includes('@') ? step : undefined,
    run: known,
    trace_id: known === undefined ? undefined : traceIdOf({ workflowId: upgrade, firstRunId: known }),
  });
}
