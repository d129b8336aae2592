/** Self-managed nodes: Belay refreshes their groups where it may, asks for the others, and watches kubelets until all are new or somebody decides to leave them. */
import { CancellationScope } from '@temporalio/workflow';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { someOf } from '../../../domain/core/text.ts';
import {
  awaitingSelfManaged,
  leaveSelfManagedGate,
  replaceGroup,
  replaceSelfManaged,
  selfManagedEnded,
} from '../../messages/nodes/self-managed.ts';
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
    const { isThere } =
      asked.length === 0 ? await see(phase, whereto, `Are self-managed nodes at ${to}?`, phase.timing.waveBakeMs) : { isThere: false };
    if (isThere) return [`self-managed nodes are at ${to}`, ...told].join('; ');
    for (const { name, why } of asked) phase.announcer.note(replaceGroup(name, to, why));
  } else for (const { name } of groups) phase.announcer.note(replaceGroup(name, to, undefined));
  if (groups.length === 0) phase.announcer.note(replaceSelfManaged(nodeCount, to));
  phase.now(awaitingSelfManaged(nodeCount, to));
  return await watchOrLeave(phase, whereto, nodeCount);
}

/** One group after the other. `asked`: those that somebody else has to replace, and why; `told`: what is not as the plan had it. */
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

/** Their kubelets, as the API server sees them; also those of nodes that are in no group. `withinMs`: default: as long as an owner has who is asked. */
async function see(phase: Phase, whereto: Whereto, summary: string, withinMs?: number): Promise<{ isThere: boolean; left: string[] }> {
  const timing = withinMs === undefined ? phase.timing : { ...phase.timing, askTimeoutMs: withinMs };
  const input = { ...phase.target, timing, ...whereto };
  const { timedOut, left } = await phase.activities.watch.awaitSelfManaged.executeWithOptions({ summary }, [input]);
  return { isThere: !timedOut, left };
}

/** The gate closes by itself when the last node is replaced. */
async function watchOrLeave(phase: Phase, whereto: Whereto, nodeCount: number): Promise<string> {
  const { to, back } = whereto;
  const { step, round } = phase.input;
  const scope = new CancellationScope();
  let isThere = false;
  let problem: unknown;
  // People may give the gate more time: its deadline ends the watching, and not the time of one watch.
  const watch = async (): Promise<void> => {
    while (!isThere) ({ isThere } = await see(phase, whereto, `Wait for self-managed nodes at ${to}`));
  };
  const watching = scope.run(watch).catch((error: unknown) => void (problem = error));
  const ended = (): string | undefined => {
    if (problem !== undefined) return selfManagedEnded('unknown', to);
    return isThere ? selfManagedEnded('replaced', to) : undefined;
  };
  const state = await phase.gates.ask(
    {
      id: gateId('blocked', step.id, round, 'self-managed'),
      step: step.id,
      ...leaveSelfManagedGate({ nodeCount, to, back: back === true }),
      deadlineMs: phase.timing.askTimeoutMs,
    },
    ended,
  );
  if (state.kind !== 'decided' && problem !== undefined) throw problem;
  scope.cancel();
  await watching;
  if (state.kind === 'decided') return 'self-managed nodes stay as they are';
  const last = isThere ? { isThere, left: [] } : await see(phase, whereto, 'Which self-managed nodes are left?', 1);
  if (last.isThere) return `self-managed nodes are at ${to}`;
  throw phaseFailed(`Waiting for self-managed nodes at ${to}: ${someOf(last.left)} remain, and nobody decided in time`);
}
