/** Self-managed nodes: Belay refreshes their groups where it may, people are asked for the others, and kubelets are watched until they are through, or people leave them. */
import { CancellationScope } from '@temporalio/workflow';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { count, someOf } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { withAutoscalerPaused } from './autoscaler-pause.ts';
import { refreshGroup } from './instance-refresh.ts';
import { withSpareIstiods } from './spare-istiod.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export type SelfManaged = NonNullable<Extract<StepParams, { phase: 'other-nodes' }>['selfManaged']>;

/** `back`: to an older minor, before the control plane. */
interface Whereto {
  to: string;
  back?: true;
}

/** Returns what is true afterwards, as a sentence without its full stop. */
export async function moveSelfManaged(phase: Phase, whereto: Whereto, of: SelfManaged): Promise<string> {
  const { to } = whereto;
  const { nodeCount, groups, refresh } = of;
  if (refresh !== undefined) {
    const { asked, told } = await withSpareIstiods(phase, refresh.spareIstiod, () =>
      withAutoscalerPaused(phase, refresh.autoscaler, () => refreshAll(phase, whereto, groups, refresh.minHealthyPercent)),
    );
    if (asked.length === 0 && (await isThrough(phase, whereto))) return [`self-managed nodes are at ${to}`, ...told].join('; ');
    for (const { name, why } of asked) askFor(phase, name, to, why);
  } else for (const { name } of groups) askFor(phase, name, to);
  if (groups.length === 0) phase.announcer.note(`Please replace the ${count(nodeCount, 'self-managed node')} by nodes of ${to}.`);
  phase.now(`Waiting until ${count(nodeCount, 'self-managed node')} are replaced by nodes of ${to}.`);
  return await watchOrLeave(phase, whereto, nodeCount);
}

/** One group after the other. `asked`: those that people have to move, and why; `told`: what is not as the plan had it. */
async function refreshAll(
  phase: Phase,
  whereto: Whereto,
  groups: SelfManaged['groups'],
  minHealthyPercent: number,
): Promise<{ asked: { name: string; why: string }[]; told: string[] }> {
  const asked: { name: string; why: string }[] = [];
  const told: string[] = [];
  for (const { name } of groups) {
    const ended = await refreshGroup(phase, { group: name, ...whereto, minHealthyPercent });
    if (ended.kind === 'ask') asked.push({ name, why: ended.why });
    if (ended.kind === 'left') told.push(ended.told);
  }
  return { asked, told };
}

/** Their kubelets, as the API server sees them; also those of nodes that are in no group. */
async function isThrough(phase: Phase, whereto: Whereto): Promise<boolean> {
  const timing = { ...phase.timing, askTimeoutMs: phase.timing.waveBakeMs };
  const { timedOut } = await phase.activities.watch.awaitSelfManaged.executeWithOptions(
    { summary: `Are self-managed nodes at ${whereto.to}?` },
    [{ ...phase.target, timing, ...whereto }],
  );
  return !timedOut;
}

/** With the commands: the newest AMI, a version of the launch template with it, the refresh. */
function askFor(phase: Phase, group: string, to: string, why?: string): void {
  phase.announcer.note(
    [
      `Please replace the instances of Auto Scaling group ${group} by nodes of ${to}${why === undefined ? '' : ` (Belay does not: ${why})`}. An instance refresh asks no PodDisruptionBudget: drain by a lifecycle hook, or node by node, and pause a Cluster Autoscaler meanwhile.`,
      `AMI: \`aws ssm get-parameter --name /aws/service/eks/optimized-ami/${to}/amazon-linux-2023/x86_64/standard/recommended/image_id\` (or that of your own image).`,
      'Template: `aws ec2 create-launch-template-version --launch-template-id ID --source-version VERSION --launch-template-data \'{"ImageId":"AMI"}\'`.',
      `Refresh: \`aws autoscaling start-instance-refresh --auto-scaling-group-name ${group} --desired-configuration '{"LaunchTemplate":{"LaunchTemplateId":"ID","Version":"NEW"}}'\`.`,
    ].join('\n'),
    { ask: { component: 'self-managed', name: group, version: to, managedBy: 'manual' } },
  );
}

/** The gate closes by itself when the last node is through. */
async function watchOrLeave(phase: Phase, whereto: Whereto, nodeCount: number): Promise<string> {
  const { to, back } = whereto;
  const { step, round } = phase.input;
  const scope = new CancellationScope();
  const summary = `Wait for self-managed nodes at ${to}`;
  let seen: { timedOut: boolean; left: string[] } | undefined;
  let problem: unknown;
  const watching = scope
    .run(() => phase.activities.watch.awaitSelfManaged.executeWithOptions({ summary }, [{ ...phase.target, ...whereto }]))
    .then((result) => void (seen = result))
    .catch((error: unknown) => void (problem = error));
  const ended = (): string | undefined => {
    if (problem !== undefined) return 'they cannot be watched';
    if (seen !== undefined) return seen.timedOut ? 'they were not replaced in time' : `all of them are at ${to}`;
    return undefined;
  };
  const state = await phase.gates.ask(
    {
      id: gateId('blocked', step.id, round, 'self-managed'),
      step: step.id,
      title: `Waiting for ${count(nodeCount, 'self-managed node')}: go on without ${nodeCount === 1 ? 'it' : 'them'}?`,
      next: `Nothing has to be pressed: this closes when every self-managed node is Ready at ${to}.`,
      evidence: [],
      undo: 'Nothing is changed by it.',
      choices: [
        {
          id: 'leave',
          label: 'Leave them',
          does:
            back === true
              ? 'Continues; a kubelet that is newer than the control plane would be stops the step of the control plane.'
              : 'Continues; they keep an old kubelet, which may lag three minors behind, and validation names them.',
        },
      ],
      deadlineMs: phase.timing.askTimeoutMs,
    },
    ended,
  );
  if (state.kind === 'decided') {
    scope.cancel();
    await watching;
    return 'self-managed nodes stay as they are';
  }
  if (problem !== undefined) throw problem;
  if (seen?.timedOut === false) return `self-managed nodes are at ${to}`;
  throw phaseFailed(`Waiting for self-managed nodes at ${to}: ${someOf(seen?.left ?? [])} remain, and nobody decided in time`);
}
