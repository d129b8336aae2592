/** Pods on Fargate: their owners are restarted one namespace after the other; a gate asks about what no rollout replaces. */
import type { Unmoved } from '../../../activities/contract/other-nodes.ts';
import { someOf } from '../../../domain/core/text.ts';
import { checkingFargateAgain, fargateGate, leftOnFargate, restartedOnFargate, restartingOnFargate } from '../../messages/nodes/nodes.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

/** Returns what is true afterwards, as a sentence without its full stop. */
export async function moveFargate(phase: Phase, to: string): Promise<string> {
  // One timestamp per round, made here: a retry restarts nothing twice.
  const restartedAt = new Date().toISOString();
  for (let look = 1; ; look += 1) {
    const namespaces = await readOld(phase, to);
    const unmoved: Unmoved[] = [];
    for (const { name, podCount } of namespaces) {
      phase.now(restartingOnFargate(name, podCount));
      unmoved.push(...(await moveNamespace(phase, { namespace: name, to, restartedAt })));
    }
    if (unmoved.length === 0) return `pods on Fargate run on kubelets of ${to}`;
    if ((await askAbout(phase, unmoved, to, look)) === 'leave')
      return `pods on Fargate run on kubelets of ${to}, but for ${listed(unmoved)}`;
  }
}

async function readOld(phase: Phase, to: string): Promise<{ name: string; podCount: number }[]> {
  const { namespaces } = await phase.activities.quick.readFargate.executeWithOptions({ summary: 'Which pods on Fargate are old?' }, [
    { cluster: phase.cluster, to },
  ]);
  return namespaces;
}

async function moveNamespace(phase: Phase, which: { namespace: string; to: string; restartedAt: string }): Promise<Unmoved[]> {
  const { namespace } = which;
  const { survey, watch } = phase.activities;
  const { restarted, interrupted, unmoved } = await survey.restartFargate.executeWithOptions(
    { summary: `Restart what runs on Fargate in ${namespace}` },
    [{ cluster: phase.cluster, ...which }],
  );
  if (restarted === 0) return unmoved;
  phase.announcer.note(restartedOnFargate(namespace, restarted, interrupted));
  const seen = await watch.awaitFargate.executeWithOptions({ summary: `Wait for the pods of ${namespace} on Fargate` }, [
    { ...phase.target, ...which },
  ]);
  if (seen.timedOut) {
    throw phaseFailed(`Moving pods of ${namespace} on Fargate to ${which.to}: ${seen.wrong[0] ?? 'not done in time'}`, [
      { title: `Pods of ${namespace} on Fargate`, lines: seen.wrong.slice(0, 5) },
    ]);
  }
  return unmoved;
}

async function askAbout(phase: Phase, unmoved: readonly Unmoved[], to: string, look: number): Promise<'look-again' | 'leave'> {
  const { step, round } = phase.input;
  const state = await phase.gates.ask({
    // Rounds of the step do not meet those of its looks.
    id: gateId('blocked', step.id, (round - 1) * 100 + look, 'fargate'),
    step: step.id,
    ...fargateGate(unmoved, to),
  });
  if (state.kind !== 'decided') throw phaseFailed(`Moving pods on Fargate to ${to}: ${listed(unmoved)} remain, and nobody decided in time`);
  const { choice } = state.decision;
  phase.now(choice === 'leave' ? leftOnFargate(unmoved) : checkingFargateAgain());
  return choice === 'leave' ? 'leave' : 'look-again';
}

function listed(unmoved: readonly Unmoved[]): string {
  return someOf(unmoved.map(({ workload }) => workload));
}
