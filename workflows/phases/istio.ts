/** Istio by canary revisions: the new one beside the old, namespaces in waves with a gate after each, the old one retired behind a gate of its own. */
import { CancellationScope } from '@temporalio/workflow';
import type { WaveBefore } from '../../activities/contract.ts';
import type { IstioCanary } from '../../domain/plan/types.ts';
import { CHOICES } from '../gates.ts';
import { gateId } from '../ids.ts';
import { paramsOf, Phase, phaseFailed, type PhaseInput, type PhaseResult } from '../phase.ts';
import { retire } from './istio-retire.ts';

export async function istio(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { canaries, managedBy, moveBy } = paramsOf(input, 'istio');
    const kept: string[] = [];
    for (const [position, canary] of canaries.entries()) {
      const waves = await open(
        phase,
        canary,
        canaries.slice(position).map((c) => c.toRevision),
      );
      const version = waves.length === 0 ? canary.toRevision : await install(phase, canary, managedBy);
      for (const { index, namespaces } of waves) {
        await moveWave(phase, canary, { index, namespaces, byTag: moveBy === 'tag' });
      }
      if (!(await retire(phase, canary, managedBy))) kept.push(canary.fromRevision);
      phase.announcer.note(`Istio: every namespace runs ${version}.`);
    }
    const last = canaries.at(-1);
    const still = kept.length === 0 ? '' : `; kept: ${kept.join(', ')}`;
    return {
      summary: `Istio at revision ${last?.toRevision ?? 'unchanged'}${still}`,
      evidence: [{ title: 'Istio', lines: canaries.map((c) => `${c.fromRevision} → ${c.toRevision}`) }],
    };
  });
}

/** The waves that still have to move: after a Retry those that an earlier round moved (or a later canary already has) stay as they are. */
async function open(phase: Phase, canary: IstioCanary, ahead: string[]): Promise<{ index: number; namespaces: string[] }[]> {
  const waves = canary.waves.map((namespaces, index) => ({ index, namespaces }));
  if (phase.input.round === 1) return waves;
  const { before } = await phase.activities.quick.readWave.executeWithOptions({ summary: 'Which namespaces have moved already?' }, [
    { cluster: phase.cluster, namespaces: canary.waves.flat() },
  ]);
  const moved = new Set(before.filter((b) => b.rev !== null && ahead.includes(b.rev)).map((b) => b.namespace));
  return waves.filter((wave) => !wave.namespaces.every((namespace) => moved.has(namespace)));
}

async function install(phase: Phase, canary: IstioCanary, managedBy: string): Promise<string> {
  const { toRevision, toMinor, toVersion } = canary;
  if (managedBy === 'helm') {
    phase.now(`Installing Istio revision ${toRevision} beside ${canary.fromRevision}.`);
    await phase.activities.survey.installIstioRevision.executeWithOptions({ summary: `helm: install revision ${toRevision}` }, [
      { cluster: phase.cluster, canary, chart: phase.input.policy.istio.chart, token: phase.token('helm-install', toRevision) },
    ]);
  } else {
    phase.ask(
      { component: 'istio', name: toRevision, version: toVersion ?? toMinor, managedBy },
      `Please merge Istio revision ${toRevision} (${toVersion ?? toMinor}, istio-base first, defaultRevision unchanged) beside ${canary.fromRevision}. ` +
        'Belay goes on by itself when istiod of that revision is available.',
    );
  }
  const ready = await phase.activities.watch.awaitIstioRevision.executeWithOptions({ summary: `Wait for istiod ${toRevision}` }, [
    { ...phase.target, revision: toRevision, minor: toMinor },
  ]);
  if (ready.timedOut)
    throw phaseFailed(`Waiting for Istio revision ${toRevision}: istiod is not available, or its webhook has no CA bundle`);
  return ready.version;
}

async function moveWave(phase: Phase, canary: IstioCanary, wave: { index: number; namespaces: string[]; byTag: boolean }): Promise<void> {
  const { namespaces, index } = wave;
  const total = canary.waves.length;
  const label = `wave ${index + 1} of ${total} to ${canary.toRevision}`;
  phase.now(`Moving ${label}: ${shown(namespaces)}.`);
  const { before } = await phase.activities.quick.readWave.executeWithOptions({ summary: `Remember the labels of ${label}` }, [
    { cluster: phase.cluster, namespaces },
  ]);
  // One timestamp per move, made here: a retry restarts nothing twice.
  const restartedAt = new Date().toISOString();
  let decided: string;
  try {
    await move(phase, canary, wave, restartedAt, label);
    const podCount = await proxies(phase, canary, namespaces, label);
    decided = await askAfter(phase, canary, wave, podCount);
  } catch (error) {
    await CancellationScope.nonCancellable(() => back(phase, canary, before, wave, `${label} did not end well`));
    throw error;
  }
  if (decided === 'approve') return;
  await back(phase, canary, before, wave, decided === 'reject' ? 'people rejected it' : 'nobody decided in time');
  throw phaseFailed(
    `Istio ${label} was ${decided === 'reject' ? 'rejected' : 'not decided in time'} and moved back to ${canary.fromRevision}`,
  );
}

async function move(
  phase: Phase,
  canary: IstioCanary,
  wave: { namespaces: string[]; byTag: boolean },
  restartedAt: string,
  label: string,
): Promise<void> {
  const { namespaces } = wave;
  const tags = wave.byTag ? (canary.tags ?? []) : [];
  const skipped: { workload: string; why: string }[] = [];
  for (const tag of tags) {
    const moved = await phase.activities.survey.moveTag.executeWithOptions({ summary: `Tag ${tag} → ${canary.toRevision}` }, [
      { cluster: phase.cluster, tag, revision: canary.toRevision, namespaces, restartedAt },
    ]);
    skipped.push(...moved.skipped);
  }
  if (tags.length === 0) {
    const moved = await phase.activities.survey.moveNamespaces.executeWithOptions({ summary: `Move ${label}` }, [
      { cluster: phase.cluster, namespaces, revision: canary.toRevision, restartedAt },
    ]);
    skipped.push(...moved.skipped);
  }
  if (skipped.length > 0) {
    const shown = skipped.slice(0, 5).map((s) => `${s.workload} (${s.why})`);
    phase.announcer.note(`Not restarted in ${label}: ${shown.join('; ')}${skipped.length > 5 ? ` and ${skipped.length - 5} more` : ''}.`, {
      level: 'warning',
    });
  }
}

async function proxies(phase: Phase, canary: IstioCanary, namespaces: string[], label: string): Promise<number> {
  const seen = await phase.activities.watch.awaitProxies.executeWithOptions({ summary: `Verify and watch proxies of ${label}` }, [
    { ...phase.target, namespaces, revision: canary.toRevision, minor: canary.toMinor, watchMs: phase.timing.waveBakeMs },
  ]);
  if (!seen.ok)
    throw phaseFailed(
      `Verifying ${label}: ${seen.wrong.length === 0 ? 'rollouts did not finish in time' : seen.wrong.slice(0, 3).join('; ')}`,
    );
  return seen.podCount;
}

async function askAfter(
  phase: Phase,
  canary: IstioCanary,
  wave: { index: number; namespaces: string[] },
  podCount: number,
): Promise<string> {
  const next = canary.waves[wave.index + 1];
  const state = await phase.gates.ask({
    id: gateId('wave', phase.input.step.id, phase.input.round, `${canary.toRevision}.${wave.index + 1}`),
    step: phase.input.step.id,
    title: `Istio ${canary.toRevision}: wave ${wave.index + 1} of ${canary.waves.length} is through`,
    next:
      next === undefined
        ? `Checks whether ${canary.fromRevision} can be retired.`
        : `Moves ${next.length} more namespaces: ${shown(next)}.`,
    evidence: [
      { title: shown(wave.namespaces), lines: [`${podCount} pods verified on ${canary.toRevision} by annotation and proxy image`] },
    ],
    undo: `Reject moves this wave back to ${canary.fromRevision} (a rolling restart). Later, waves can be moved back until ${canary.fromRevision} is retired.`,
    choices: [
      { ...CHOICES.approve, does: next === undefined ? 'Ends the waves of this revision.' : 'Moves the next wave.' },
      { ...CHOICES.reject, does: `Moves this wave back to ${canary.fromRevision}; earlier waves stay.` },
    ],
  });
  return state.kind === 'decided' ? state.decision.choice : 'expired';
}

const shown = (names: readonly string[]): string =>
  names.length > 6 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : names.join(', ');

async function back(
  phase: Phase,
  canary: IstioCanary,
  before: WaveBefore[],
  wave: { index: number; byTag: boolean },
  why: string,
): Promise<void> {
  phase.now(`Moving ${shown(before.map((b) => b.namespace))} back to ${canary.fromRevision}, because ${why}.`);
  const tag = wave.byTag && wave.index === 0 ? canary.tags?.[0] : undefined;
  await phase.activities.survey.moveBack.executeWithOptions({ summary: `Move the wave back to ${canary.fromRevision}` }, [
    {
      cluster: phase.cluster,
      before,
      tag: tag === undefined ? undefined : { tag, revision: canary.fromRevision },
      restartedAt: new Date().toISOString(),
    },
  ]);
  phase.announcer.note(`Istio: ${shown(before.map((b) => b.namespace))} moved back to ${canary.fromRevision}, because ${why}.`, {
    level: 'warning',
  });
}
