/** EKS Auto Mode during a rollback: EKS rolls its nodes back first, and an abort cancels that until the control plane itself moves. */
import { count, duration } from '../../../domain/core/text.ts';
import { alarm, info, type Note, warning } from '../note.ts';

interface Rollback {
  updateId: string;
  from: string;
  to: string;
}

export const rollingBackWithNodes = ({ updateId, from, to }: Rollback): string =>
  `EKS update \`${updateId}\` rolls back the Auto Mode nodes, then the control plane, ${from} → ${to}. An abort cancels it while nodes are rolling back.`;

/** `leftCount`: nodes that are still newer. `limitMs`: what EKS gives its nodes. */
export function nodesRollingBack({ updateId, to }: Omit<Rollback, 'from'>, leftCount: number, limitMs: number): string {
  const left = leftCount === 0 ? 'no Auto Mode node is newer now' : `${count(leftCount, 'Auto Mode node')} to go`;
  return `EKS update \`${updateId}\` rolls nodes back to ${to} first (at most ${duration(limitMs)}): ${left}. An abort still cancels it.`;
}

export const nodesRolledBack = ({ from, to }: Omit<Rollback, 'updateId'>): Note =>
  info(`The Auto Mode nodes are rolled back: EKS now rolls the control plane back ${from} → ${to}, which can no longer be stopped.`);

export const cancellingRollback = (updateId: string): string => `Cancelling EKS update \`${updateId}\`, which is rolling nodes back.`;

export const rollbackTooLateToCancel = ({ updateId, from, to }: Rollback): Note =>
  warning(
    `EKS can no longer cancel update \`${updateId}\`: the control plane is rolling back ${from} → ${to}. Belay watches it to its end.`,
  );

/** `nodes` by minor; undefined: they could not be read. */
export function rollbackCancelled({ updateId, from }: Omit<Rollback, 'to'>, nodes: Readonly<Record<string, number>> | undefined): Note {
  const now =
    nodes === undefined
      ? 'Could not read how many nodes are rolled back.'
      : `Nodes now: ${Object.entries(nodes)
          .map(([minor, nodeCount]) => `${nodeCount} at ${minor}`)
          .toSorted()
          .join(', ')}.`;
  return info(
    `EKS update \`${updateId}\` is cancelled: the control plane stays at ${from}. ${now} Nodes that were rolled back run fine under ${from}; Auto Mode upgrades them again by itself.`,
  );
}

export const rollbackNotCancelled = (updateId: string, { eksName, region, why }: { eksName: string; region: string; why: string }): Note =>
  alarm(
    `ALARM: EKS update ${updateId} could not be cancelled: ${why}. EKS continues with it. While nodes are still rolling back, this cancels it: aws eks cancel-update --name ${eksName} --region ${region} --update-id ${updateId}`,
  );
