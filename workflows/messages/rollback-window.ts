/** The seven days in which EKS rolls a control plane back: how long they last, and rollbacks that Belay did not request. */
import { utcMinute } from '../../domain/core/text.ts';
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
    `There is ${left}: until ${utcMinute(closesAt)} EKS can still roll ${cluster} back from ${at} to ${backTo}, once no node is newer than that. ` +
      `\`belay rollback ${cluster} --dry-run\`${orSlash(`rollback ${cluster}`, slash)} shows the way; after that there is none.`,
  );

export const rollbackWindowClosed = (cluster: string, at: string, { backTo }: Pick<Window, 'backTo'>): Note =>
  info(`${cluster} stays at ${at}: the seven days in which EKS rolls a control plane back to ${backTo} are over.`);

/** An update that outlived its run. */
export const updateOutlivedRun = (cluster: string, at: string, { backTo, closesAt }: Window): Note =>
  warning(
    `EKS moved ${cluster} to ${at} after its run had ended. Until ${utcMinute(closesAt)} it can be rolled back to ${backTo}, once no node is newer than that: ` +
      `\`belay rollback ${cluster} --dry-run\` shows the way. To continue instead, start the upgrade to ${at} again.`,
  );

/** Seen after the run had ended. */
export function unrequestedRollbackSeen({ name, region }: ClusterRef, rollback: UnrequestedRollback, slash: boolean): Note {
  const next = rollback.ended
    ? `Nodes and add-ons may be newer than it now: \`belay check ${name}\` shows which; \`belay start ${name}\`${orSlash(`start ${name}`, slash)} upgrades again.`
    : `\`belay rollback ${name}\`${orSlash(`rollback ${name}`, slash)} adopts it, and rolls back in order what has to go back with it; until then nodes and add-ons may end up newer than the control plane.`;
  return warning(
    `${name}: ${unrequestedRollbackText(rollback, 'no run of Belay requested it')} A Terraform apply with the older version does that, even a stale one: stop such applies. ` +
      `${next} ${whoAsked(region)}`,
  );
}

/** Temporal UI. */
export const rollbackWindowOpen = (cluster: string, at: string, { backTo, closesAt }: Window): string =>
  `EKS can roll **${cluster}** back from ${at} to ${backTo} until ${utcMinute(closesAt)}.`;

export const updateStillRuns = (cluster: string, update: string, to: string): string =>
  `EKS update \`${update}\` may still bring **${cluster}** to ${to}, although the run that began it has ended.`;

/** While a run lives: title of the evidence, at the gate before a step. */
export const rollbackEvidenceTitle = (status: 'FAILED' | 'UNKNOWN'): string => `Nobody rolls the control plane back: ${status}`;

export const unrequestedRollbackLines = (rollback: UnrequestedRollback, region: string): string[] => [
  unrequestedRollbackText(rollback),
  whoAsked(region),
];

export const notBegunBecauseOfRollback = (step: string): string => `${step} has not started`;
