/** "Abort, and go back": ends a run whose control plane has moved, and shows the way back, which is a run of its own. */
import type { GateChoice } from '../../domain/gates/gate.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';

export const GO_BACK = 'abort-and-rollback';

/** None where there is no way back: before the control plane has moved, and once EKS no longer takes it back. `moving`: it moves just now. */
export function goBackChoices({ takeBack }: Pick<UpgradeStatus, 'takeBack'>, nowMs: number, moving = false): GateChoice[] {
  if (!moving && (takeBack === undefined || Date.parse(takeBack.until) <= nowMs)) return [];
  const how = moving ? ' as Abort does, once EKS has moved the control plane' : ' as Abort does';
  return [
    {
      id: GO_BACK,
      label: 'Abort, and go back',
      style: 'danger',
      does: `Ends the upgrade${how}. Then the thread offers to plan the way back, a run of its own that asks before each step.`,
    },
  ];
}

/** The reason of the abort, with what comes next. */
export function goBackReason(reason: string, { cluster }: Pick<UpgradeStatus, 'cluster'>): string {
  return `${reason.replace(/\.$/, '')}. The way back: belay rollback ${cluster.name}`;
}
