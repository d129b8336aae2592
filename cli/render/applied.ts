/** What came of each Upgrade of `belay apply`, as text and as JSON. */
import type { UpgradeRequest } from '../../domain/policy/config/upgrade-file.ts';
import type { Applied } from '../shared/apply-upgrade.ts';
import type { StandOfRun } from '../shared/await-run.ts';
import { renderPlan, renderViolations } from './plan.ts';
import { gateLines } from './status.ts';

/** `failed`: why it could not be found out or done. `stand`: where its run was when waiting ended. */
export interface Outcome {
  request: UpgradeRequest;
  applied?: Applied;
  stand?: StandOfRun;
  failed?: string;
}

/** What went well, with plans, gates and remedies; what did not is the error. '': there is nothing to show. */
export function renderApplied(outcomes: readonly Outcome[]): string {
  return outcomes
    .map((outcome) => linesOf(outcome).join('\n'))
    .filter((text) => text !== '')
    .join('\n\n');
}

function linesOf({ applied, stand }: Outcome): string[] {
  if (applied === undefined) return [];
  if (applied.kind === 'refused') return applied.violations.length > 0 ? [renderViolations(applied.violations)] : [];
  const planned = 'planned' in applied ? [renderPlan(applied.planned), ''] : [];
  const gates = stand?.kind === 'gate' ? (stand.status?.gates ?? []) : [];
  const isWell = stand !== undefined && stand.kind !== 'not-yet' && stand.kind !== 'gone';
  return [...planned, applied.message, ...(isWell ? [stand.message] : []), ...gates.flatMap((gate) => gateLines(gate))];
}

/** One object for each Upgrade, in the order of the files. */
export function appliedJson(outcomes: readonly Outcome[]): unknown[] {
  return outcomes.map(({ request, applied, stand, failed }) => {
    const { name, cluster, target, at } = request;
    const { status } = stand ?? {};
    return {
      name,
      at,
      cluster,
      target,
      result: applied?.kind ?? 'failed',
      message: applied?.message ?? failed,
      ...(applied !== undefined && 'workflowId' in applied ? { workflowId: applied.workflowId, runId: applied.runId } : {}),
      ...(applied !== undefined && 'planned' in applied ? { plan: applied.planned.plan } : {}),
      ...(applied?.kind === 'refused' ? { violations: applied.violations } : {}),
      ...(stand === undefined ? {} : { waited: { for: stand.kind, message: stand.message } }),
      ...(status === undefined ? {} : { state: status.state, headline: status.headline, gates: status.gates.map(gateJson) }),
    };
  });
}

const gateJson = ({ id, title, choices, expiresAt }: { id: string; title: string; choices: string[]; expiresAt: string }) => ({
  id,
  title,
  choices,
  expiresAt,
});
