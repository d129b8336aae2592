/** The seven days in which EKS rolls a control plane back: how long they last, and rollbacks that Belay did not request. */
import { capital, utcMinute } from '../../domain/core/text.ts';
import { type RollbackWindow } from '../../domain/facts/rollback-window.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { type UnrequestedRollback, unrequestedRollbackText, whoAsked } from '../../domain/run/unrequested-rollback.ts';
import { info, type Note, warning } from './note.ts';

type Window = Pick<RollbackWindow, 'backTo' | 'closesAt'>;

const orSlash = (command: string, slash: boolean): string => (slash ? ` or \`/eks-upgrade ${command}\`` : '');

/** `at`: the minor that the control plane is at. `left`: "one more day". `slash`, here and below: people have Slack, and its commands. */
export const rollbackWindowCloses = (
  cluster: string,
  at: string,
  { backTo, closesAt }: Window,
  { left, slash }: { left: string; slash: boolean },
): Note =>
  warning(
    `${capital(left)}: EKS can still roll ${cluster} back from ${at} to ${backTo} until ${utcMinute(closesAt)}, once no node is newer than ${backTo}. ` +
      `\`belay rollback ${cluster} --dry-run\`${orSlash(`rollback ${cluster} --dry-run`, slash)} shows the plan. After that time EKS cannot roll it back.`,
  );

export const rollbackWindowClosed = (cluster: string, at: string, { backTo }: Pick<Window, 'backTo'>): Note =>
  info(`${cluster} stays at ${at}: the seven days in which EKS rolls a control plane back to ${backTo} are over.`);

/** An update that outlived its run. */
export const updateOutlivedRun = (cluster: string, at: string, { backTo, closesAt }: Window): Note =>
  warning(
    `EKS moved ${cluster} to ${at} after its run had ended. Until ${utcMinute(closesAt)} it can be rolled back to ${backTo}, once no node is newer than ${backTo}: ` +
      `\`belay rollback ${cluster} --dry-run\` shows the plan. To continue instead, start the upgrade to ${at} again.`,
  );

/** Seen after the run had ended. */
export function unrequestedRollbackSeen({ name, region }: ClusterRef, rollback: UnrequestedRollback, slash: boolean): Note {
  const next = rollback.ended
    ? `Nodes and add-ons may now be newer than the control plane: \`belay check ${name}\` shows which; \`belay start ${name}\`${orSlash(`start ${name}`, slash)} upgrades again.`
    : `\`belay rollback ${name}\`${orSlash(`rollback ${name}`, slash)} adopts it, and rolls back nodes and add-ons in the right order; until then they may end up newer than the control plane.`;
  return warning(
    `${name}: ${unrequestedRollbackText(rollback, 'no run of Belay requested it')} A Terraform apply with the older version, even a stale one, causes this: stop such applies. ` +
      `${next} ${whoAsked(region)}`,
  );
}

/** Temporal UI. */
export const rollbackWindowOpen = (cluster: string, at: string, { backTo, closesAt }: Window): string =>
  `EKS can roll **${cluster}** back from ${at} to ${backTo} until ${utcMinute(closesAt)}.`;

export const updateStillRuns = (cluster: string, update: string, to: string): string =>
  `EKS update \`${update}\` may still move **${cluster}** to ${to}, although the run that started it has ended.`;

/** While a run lives: title of the evidence, at the gate before a step. */
export const rollbackEvidenceTitle = (status: 'FAILED' | 'UNKNOWN'): string =>
  status === 'FAILED'
    ? 'FAILED: the control plane is being, or was, rolled back'
    : 'UNKNOWN: whether the control plane is being rolled back';

export const unrequestedRollbackLines = (rollback: UnrequestedRollback, region: string): string[] => [
  unrequestedRollbackText(rollback),
  whoAsked(region),
];

export const notBegunBecauseOfRollback = (step: string): string => `${step} has not started`;
