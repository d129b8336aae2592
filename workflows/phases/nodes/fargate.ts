/** Pods on Fargate: their owners are restarted one namespace after the other; what no rollout replaces is a question for people. */
import type { Unmoved } from '../../../activities/contract/other-nodes.ts';
import { count, someOf } from '../../../domain/core/text.ts';
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
      phase.now(`Restarting what owns ${count(podCount, 'pod')} of namespace ${name} on Fargate.`);
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
  const { namespace, to } = which;
  const { survey, watch } = phase.activities;
  const { restarted, interrupted, unmoved } = await survey.restartFargate.executeWithOptions(
    { summary: `Restart what runs on Fargate in ${namespace}` },
    [{ cluster: phase.cluster, ...which }],
  );
  if (restarted === 0) return unmoved;
  const away = interrupted.length === 0 ? '' : ` ${someOf(interrupted)} stops before its next pod starts.`;
  phase.announcer.note(`Fargate, namespace ${namespace}: ${count(restarted, 'workload')} restarted.${away}`);
  const seen = await watch.awaitFargate.executeWithOptions({ summary: `Wait for the pods of ${namespace} on Fargate` }, [
    { ...phase.target, namespace, to },
  ]);
  if (seen.timedOut) {
    throw phaseFailed(`Moving pods of ${namespace} on Fargate to ${to}: ${seen.wrong[0] ?? 'not done in time'}`, [
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
    title: `No rollout moves ${unmoved.length === 1 ? 'this' : 'these'} on Fargate: what now?`,
    next: `Belay deletes none of them. They keep an old kubelet until somebody has them created again; it may lag three minors behind ${to}.`,
    evidence: [{ title: 'Not moved', lines: unmoved.slice(0, 5).map(({ workload, why }) => `${workload}: ${why}`) }],
    undo: 'Nothing is changed by either choice.',
    choices: [
      { id: 'leave', label: 'Leave them', does: 'Continues; validation names them as nodes that are not at the target.' },
      { id: 'look-again', label: 'Look again', style: 'primary', does: 'Looks once more, after you have had them created again.' },
    ],
  });
  if (state.kind !== 'decided') throw phaseFailed(`Moving pods on Fargate to ${to}: ${listed(unmoved)} remain, and nobody decided in time`);
  const { choice } = state.decision;
  phase.now(choice === 'leave' ? `${listed(unmoved)} on Fargate stay as they are.` : 'Looking at the pods on Fargate again.');
  return choice === 'leave' ? 'leave' : 'look-again';
}

function listed(unmoved: readonly Unmoved[]): string {
  return someOf(unmoved.map(({ workload }) => workload));
}
