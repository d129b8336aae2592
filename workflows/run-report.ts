/** What a run says at its end: outcome, decisions, what it leaves behind; and the record of it. */
import type { ClusterRef } from '../domain/facts.ts';
import type { GateState } from '../domain/gate.ts';
import type { UpgradePlan } from '../domain/plan/types.ts';
import type { UpgradeReport } from '../domain/status.ts';
import type { PhaseActivities } from './activity-proxies.ts';
import { messageOf } from './root-cause.ts';
import type { UpgradeProgress } from './upgrade-state.ts';

export function makeReport(
  { status, notRestored, childGates }: UpgradeProgress,
  of: { outcome: UpgradeReport['outcome']; gates: readonly GateState[]; freezeProblem: string | undefined },
): UpgradeReport {
  const leftBehind = notRestored.map((item) => ({ ...item, kept: false }));
  if (status.freeze.state === 'kept') leftBehind.push({ what: 'Karpenter drift freeze', why: status.freeze.note ?? '', kept: true });
  if (of.freezeProblem !== undefined) leftBehind.push({ what: 'Karpenter drift freeze', why: of.freezeProblem, kept: false });
  return {
    status: { ...status, gates: [] },
    outcome: of.outcome,
    decisions: [...of.gates, ...childGates].sort((a, b) => a.gate.openedAt.localeCompare(b.gate.openedAt)),
    leftBehind,
  };
}

/** A record that cannot be written is part of the report. */
export async function writeRecord(
  activities: PhaseActivities,
  record: { cluster: ClusterRef; report: UpgradeReport; plan: UpgradePlan | undefined },
): Promise<void> {
  try {
    await activities.quick.writeRecord.executeWithOptions({ summary: 'Write the record of this run' }, [record]);
  } catch (error) {
    record.report.leftBehind.push({ what: 'record of this run', why: messageOf(error), kept: false });
  }
}
