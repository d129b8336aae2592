/** Retires an Istio revision: only when nothing uses it, behind a gate of its own, the default tag and validator moved first. */
import { sleep } from '@temporalio/workflow';
import { verdictOf } from '../../../domain/core/findings.ts';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import { findingsEvidence } from '../../reporting/finding-evidence.ts';
import {
  bakingBeforeRetirement,
  bothRun,
  checkingRetirement,
  removeRevisionByHand,
  removingRevision,
  retirementTitle,
  retireBakeEnded,
  retirementUndo,
  retireGate,
  revisionKept,
  webhooksSwept,
} from '../../messages/istio/revisions.ts';
import { waveBakeUndo } from '../../messages/bakes.ts';
import { bakeAtGate } from '../base/bake-gate.ts';
import type { Phase } from '../base/phase.ts';
import { moveDefaults } from './default-revision.ts';
import { type GitOpsWay, removeRevision } from './gitops-revision.ts';
import { usually, WaveWindow } from '../base/wave-window.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { GatewayRef } from '../../../activities/contract/istio-objects.ts';

/** Times that the conditions are read again before the gate opens: connections of moved proxies take a while to end. */
const PATIENCE = 6;

/** After a Retry: has an earlier round removed the revision? One look. */
export async function retiredBefore({ activities, cluster, timing }: Phase, { fromRevision: revision }: IstioCanary): Promise<boolean> {
  const { gone } = await activities.keep.awaitIstioRevisionGone.executeWithOptions({ summary: `Is ${revision} gone already?` }, [
    { cluster, timing: { ...timing, askTimeoutMs: 1 }, revision },
  ]);
  return gone;
}

/** false: the old revision is kept, as decided. */
export async function retire(phase: Phase, canary: IstioCanary, managedBy: string, way?: GitOpsWay): Promise<boolean> {
  const { fromRevision } = canary;
  await bake(phase, canary);
  for (let round = 1; ; round += 1) {
    phase.now(checkingRetirement(fromRevision));
    const check = await conditions(phase, canary);
    const ready = verdictOf(check.findings) === 'ready';
    const passed = check.findings.filter((f) => f.status === 'pass').length;
    const state = await phase.gates.ask({
      ...retireGate(fromRevision, ready, {
        conditions: findingsEvidence('Conditions for retiring', check.findings, passed),
        undo: undoOf(canary, managedBy, way),
      }),
      id: gateId('retire', phase.input.step.id, (phase.input.round - 1) * 100 + round, fromRevision),
      step: phase.input.step.id,
    });
    if (state.kind !== 'decided') throw phaseFailed(`Retiring Istio revision ${fromRevision}: nobody decided in time; both revisions run`);
    if (state.decision.choice === 'keep-both') {
      phase.now(revisionKept(fromRevision));
      await forget(phase, canary.waves.flat(), canary.gateways);
      return false;
    }
    if (state.decision.choice === 'look-again') continue;
    const window = new WaveWindow(phase);
    if (window.asks) {
      const [detail, needMs] = [`retire-${fromRevision}.${round}`, usually(phase.timing, 'rolloutMs')];
      await window.pass({ detail, title: retirementTitle(fromRevision), needMs, undo: undoOf(canary, managedBy, way) });
    }
    await remove(phase, canary, managedBy, way);
    await forget(phase, canary.waves.flat(), canary.gateways);
    return true;
  }
}

async function conditions(
  phase: Phase,
  canary: IstioCanary,
): Promise<Awaited<ReturnType<Phase['activities']['survey']['checkRetirement']>>> {
  for (let look = 1; ; look += 1) {
    const check = await phase.activities.survey.checkRetirement.executeWithOptions(
      { summary: `Does anything still use ${canary.fromRevision}?` },
      [{ cluster: phase.cluster, revision: canary.fromRevision, successor: canary.toRevision }],
    );
    if (verdictOf(check.findings) === 'ready' || look === PATIENCE) return check;
    await sleep(Math.max(1, phase.timing.waveBakeMs / PATIENCE), { summary: `Let connections to ${canary.fromRevision} end` });
  }
}

/** Errors that only time shows come out while the old revision is still there to go back to. */
async function bake(phase: Phase, { fromRevision, toRevision, retire: { bakeMs, gate } }: IstioCanary): Promise<void> {
  phase.now(bakingBeforeRetirement({ fromRevision, toRevision }));
  const watch = (): Promise<void> => sleep(bakeMs, { summary: `Bake on ${toRevision} before ${fromRevision} is retired` });
  if (gate !== true) return await watch();
  const baked = { after: 'istio-canary' as const, fromRevision, toRevision };
  const [seen, undo] = [bothRun({ fromRevision, toRevision }), waveBakeUndo(fromRevision)];
  const isEarly = await bakeAtGate(phase, { baked, bakeMs, watch, detail: `retire-${fromRevision}`, seen, undo });
  if (isEarly) phase.announcer.note(retireBakeEnded(fromRevision));
}

function undoOf({ fromRevision }: IstioCanary, managedBy: string, way: GitOpsWay | undefined): string {
  return retirementUndo(fromRevision, way?.delivery.kind ?? (managedBy === 'helm' ? 'helm' : undefined));
}

async function remove(phase: Phase, canary: IstioCanary, managedBy: string, way: GitOpsWay | undefined): Promise<void> {
  const { fromRevision: revision, toRevision: successor } = canary;
  if (managedBy === 'helm') {
    phase.now(removingRevision(revision));
    await phase.activities.survey.retireIstioRevision.executeWithOptions({ summary: `helm: uninstall revision ${revision}` }, [
      { cluster: phase.cluster, revision, successor, token: phase.token('helm-uninstall', revision) },
    ]);
  } else {
    await moveDefaults(phase, canary, managedBy, way);
    if (way === undefined || !(await removeRevision(phase, canary, way))) {
      phase.ask(removeRevisionByHand(revision, successor, managedBy));
    }
  }
  const gone = await phase.activities.keep.awaitIstioRevisionGone.executeWithOptions({ summary: `Wait until ${revision} is gone` }, [
    { ...phase.target, revision, sweep: true, ...(managedBy === 'helm' ? { uninstalled: true } : {}) },
  ]);
  if (!gone.gone) throw phaseFailed(`Retiring Istio revision ${revision}: still there: ${gone.left.slice(0, 5).join(', ')}`);
  if (gone.swept !== undefined) {
    phase.announcer.note(webhooksSwept(revision, gone.swept));
  }
}

/** Takes the before-images of namespaces, tags and gateways away: they stay where they are. */
export async function forget(phase: Phase, namespaces: string[], gateways: readonly GatewayRef[] = []): Promise<void> {
  const refs = gateways.map(({ kind, namespace, name }) => ({ kind, namespace, name }));
  await phase.activities.owed.forgetWaves.executeWithOptions({ summary: 'Remove the before-images of moved namespaces' }, [
    { cluster: phase.cluster, namespaces, ...(refs.length === 0 ? {} : { gateways: refs }) },
  ]);
}
