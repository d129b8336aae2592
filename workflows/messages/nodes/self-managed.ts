/** Self-managed nodes: groups that Belay refreshes, those that you are asked to replace, and how a refresh goes. */
import type { RefreshableGroup } from '../../../activities/contract/self-managed.ts';
import { agree, count, someOf } from '../../../domain/core/text.ts';
import { CHOICES } from '../choices.ts';
import { alarm, type ChangeRequest, type GateText, info, type Note, warning } from '../note.ts';

export const replaceSelfManaged = (nodeCount: number, to: string): Note =>
  info(`Please replace the ${count(nodeCount, 'self-managed node')} with ${agree(nodeCount, 'a node', 'nodes')} at ${to}.`);

/** With the commands: the newest AMI, a version of the launch template with it, the refresh. `why`: Belay does not do it. */
export const replaceGroup = (group: string, to: string, why: string | undefined): ChangeRequest => ({
  ask: { component: 'self-managed', name: group, version: to, managedBy: 'manual' },
  text: [
    `Please replace the instances of Auto Scaling group ${group} with nodes at ${to}${why === undefined ? '' : ` (Belay does not: ${why})`}. An instance refresh bypasses PodDisruptionBudgets: drain by a lifecycle hook, or node by node, and pause a Cluster Autoscaler meanwhile.`,
    `AMI: \`aws ssm get-parameter --name /aws/service/eks/optimized-ami/${to}/amazon-linux-2023/x86_64/standard/recommended/image_id\` (or that of your own image).`,
    'Template: `aws ec2 create-launch-template-version --launch-template-id ID --source-version VERSION --launch-template-data \'{"ImageId":"AMI"}\'`.',
    `Refresh: \`aws autoscaling start-instance-refresh --auto-scaling-group-name ${group} --desired-configuration '{"LaunchTemplate":{"LaunchTemplateId":"ID","Version":"NEW"}}'\`.`,
  ].join('\n'),
});

/** Why Belay asks for a group that it could refresh. */
export const refreshedByHand = (): string => 'you chose to do it by hand';

export const awaitingSelfManaged = (nodeCount: number, to: string): string =>
  `Waiting for ${count(nodeCount, 'self-managed node')} to be replaced with ${agree(nodeCount, 'a node', 'nodes')} at ${to}.`;

/** `back`: to an older minor, before the control plane. */
export const leaveSelfManagedGate = ({ nodeCount, to, back }: { nodeCount: number; to: string; back: boolean }): GateText => ({
  title: `Waiting for ${count(nodeCount, 'self-managed node')}: continue without ${agree(nodeCount, 'it', 'them')}?`,
  next: `You do not have to press anything: this gate closes once every self-managed node is Ready at ${to}.`,
  evidence: [],
  undo: 'Leaving them changes nothing.',
  choices: [
    {
      id: 'leave',
      label: 'Leave them',
      does: back
        ? 'Continues; a kubelet that would be newer than the control plane stops the control plane step.'
        : 'Continues; they keep their old kubelet, which Kubernetes supports up to three minors behind the control plane, and validation names them.',
    },
  ],
});

/** Why that gate closes by itself. */
export const selfManagedEnded = (how: 'replaced' | 'unknown', to: string): string =>
  ({ replaced: `all of them are at ${to}`, unknown: 'they cannot be watched' })[how];

export const readingGroup = (group: string): string => `Reading Auto Scaling group ${group}.`;

interface Wanted {
  group: string;
  /** Share that stays in service. */
  minHealthyPercent: number;
}

export const refreshGate = (seen: RefreshableGroup, wanted: Wanted): GateText => ({
  title: `Refresh the ${count(seen.size, 'instance')} of ${wanted.group}?`,
  next: refreshEffect(seen, wanted),
  evidence: [{ title: 'The group', lines: groupLines(seen, wanted) }],
  undo: seen.followsLatest
    ? 'It can be stopped where it is. The group follows $Latest: to go back, add a version with the old image and refresh again.'
    : seen.parameter === true
      ? 'It can be stopped where it is. Auto Scaling cannot roll back a refresh whose launch template takes its AMI from an SSM parameter: to go back, refresh again to the old version, which stays.'
      : 'While it runs you can stop it or roll it back with a button; afterwards with a refresh to the old version of the launch template, which stays.',
  choices: [
    CHOICES.approve,
    { id: 'by-hand', label: 'We do it ourselves', does: 'Belay posts the commands, and waits until the nodes are replaced.' },
    { ...CHOICES.lookAgain, does: 'Reads the group and its launch template again.' },
  ],
});

function refreshEffect({ before, after, source, running, followsLatest }: RefreshableGroup, { group, minHealthyPercent }: Wanted): string {
  const version =
    before === after ? `version ${source} of its launch template` : `a new version of its launch template, made from version ${source}`;
  const latest = followsLatest ? ', which every group that follows its $Latest uses from then on' : '';
  const order =
    minHealthyPercent === 100 ? 'a new one is launched before an old one terminates' : `at least ${minHealthyPercent} % stay in service`;
  const adopted = running ? ' A refresh is already running: Belay adopts it if it goes to the same version.' : '';
  return `Auto Scaling replaces the instances of ${group}, using ${version}${latest}: ${order}, and it pauses after the first.${adopted}`;
}

function groupLines(seen: RefreshableGroup, { group, minHealthyPercent }: Wanted): string[] {
  const { before, after, hooks, handler, size, protectedIds = [], standbyIds = [] } = seen;
  const drains =
    hooks.length === 0
      ? 'Drained by Belay: no lifecycle hook does it, so Belay adds one (belay-drain), evicts as PodDisruptionBudgets allow, and removes it at the end. Pods without a controller do not come back'
      : handler
        ? `Drained by whatever completes lifecycle hook ${someOf(hooks)}; an AWS Node Termination Handler runs here`
        : `UNKNOWN what drains the nodes: lifecycle hook ${someOf(hooks)} exists, but no AWS Node Termination Handler runs here. If nothing drains them, pods are killed with their instances, whatever PodDisruptionBudgets say`;
  return [
    `Image now: ${before}`,
    `Image after: ${after}`,
    `${count(size, 'instance')}, at least ${minHealthyPercent} % in service`,
    drains,
    ...(protectedIds.length === 0
      ? []
      : [
          `${someOf(protectedIds)} ${agree(protectedIds.length, 'is', 'are')} protected from scale-in: the refresh waits an hour for you to remove that, then fails. aws autoscaling set-instance-protection --no-protected-from-scale-in --auto-scaling-group-name ${group} --instance-ids ${protectedIds.join(' ')}`,
        ]),
    ...(standbyIds.length === 0
      ? []
      : [
          `${someOf(standbyIds)} ${agree(standbyIds.length, 'is', 'are')} in standby: the refresh waits an hour for you to return ${agree(standbyIds.length, 'it', 'them')} to service, then fails. aws autoscaling exit-standby --auto-scaling-group-name ${group} --instance-ids ${standbyIds.join(' ')}`,
        ]),
  ];
}

interface Refresh {
  group: string;
  templateId: string;
  version: string;
  /** It was running before Belay asked for it. */
  adopted: boolean;
}

export const refreshing = ({ group, templateId, version, adopted }: Refresh): string =>
  `Auto Scaling replaces the instances of ${group}, using version ${version} of ${templateId}${adopted ? ' (adopted: it was already running)' : ''}.`;

export const instancesReplaced = (group: string, percent: number, leftCount: number): string =>
  `${group}: ${percent} % of the instances are replaced, ${leftCount} to go.`;

/** For a gate about a node. */
export const refreshProgress = (group: string, percent: number, leftCount: number): string =>
  `${percent} % of the instances of ${group} are replaced, ${leftCount} to go`;

export const stopRefreshGate = (group: string, canGoBack: boolean): GateText => ({
  title: `The instances of ${group} are being replaced: stop it?`,
  next: 'You do not have to press anything: this gate closes when the refresh ends.',
  evidence: [],
  undo: 'Instances already replaced stay if you stop it, and are replaced with old ones if you roll it back.',
  choices: [
    {
      id: 'stop',
      label: 'Stop here',
      style: 'danger',
      does: 'Cancels the refresh. New and old nodes stay; validation names the old ones.',
    },
    ...(canGoBack
      ? [
          {
            id: 'roll-back' as const,
            label: 'Roll back',
            style: 'danger' as const,
            needsReason: true,
            does: 'Auto Scaling replaces the new instances with old ones.',
          },
        ]
      : []),
  ],
});

/** Why that gate closes by itself. */
export const refreshEnded = (how: 'done' | 'ended' | 'unwatched'): string =>
  ({ done: 'the refresh is done', ended: 'the refresh has ended', unwatched: 'it is no longer watched' })[how];

export const stoppingRefresh = (group: string, how: 'cancel' | 'roll-back'): string =>
  how === 'cancel' ? `The refresh of ${group} is being stopped.` : `The refresh of ${group} is being rolled back.`;

export function refreshNotStopped(group: string, how: 'cancel' | 'roll-back', problem: string): Note {
  const [done, todo, command] =
    how === 'cancel' ? ['stopped', 'stop it', 'cancel-instance-refresh'] : ['rolled back', 'roll it back', 'rollback-instance-refresh'];
  return alarm(
    `ALARM: The instance refresh of ${group} could not be ${done}: ${problem}. It continues until you ${todo}: aws autoscaling ${command} --auto-scaling-group-name ${group}`,
  );
}

export const hookRemoved = (group: string): Note =>
  warning(
    `The refresh of ${group} is stopped and lifecycle hook belay-drain is removed: an instance that was already terminating ends now, drained or not.`,
  );

export const hookNotRemoved = (group: string, problem: string): Note =>
  alarm(
    `ALARM: Lifecycle hook belay-drain of ${group} could not be removed: ${problem}. Until you delete it (aws autoscaling delete-lifecycle-hook --lifecycle-hook-name belay-drain --auto-scaling-group-name ${group}), each instance of the group waits two hours before it terminates.`,
  );
