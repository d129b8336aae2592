/** Istio by canary revisions: the new one beside the old, namespaces in waves with a gate after each, the old one retired behind a gate of its own. */
import { CancellationScope } from '@temporalio/workflow';
import { usualUnitMs } from '../../../domain/plan/durations/expect-plan.ts';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { agentsStay, everythingRuns, installingRevision, lookingForRevision, mergeRevision } from '../../messages/istio/revisions.ts';
import { movedWavesStay, waveTitle } from '../../messages/istio/waves.ts';
import { Phase } from '../base/phase.ts';
import { moveNodeAgents } from './node-agents.ts';
import { settleBack } from './rollback.ts';
import { deliverRevision, type GitOpsWay } from './gitops-revision.ts';
import { forget, retire, retiredBefore } from './retire-revision.ts';
import { CanaryWaves } from './waves.ts';
import { usually, type WaveAsked, WaveWindow } from '../base/wave-window.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export async function istio(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const params = paramsOf(input, 'istio');
    const { canaries, managedBy, delivery } = params;
    const way = delivery === undefined ? undefined : { delivery, managedBy };
    const kept: string[] = [];
    const window = new WaveWindow(phase);
    for (const [position, canary] of canaries.entries()) {
      const waves = new CanaryWaves(phase, canary, params);
      try {
        const { agentsBefore, agentsAfter } = canary;
        const gone = input.round > 1 && (await retiredBefore(phase, canary));
        if (agentsBefore !== undefined && !gone) {
          await moveNodeAgents(phase, { changes: agentsBefore, name: `before-${canary.toRevision}`, managedBy, way });
        }
        if (gone) await forget(phase, canary.waves.flat(), canary.gateways);
        else {
          const open = await waves.open(canaries.slice(position));
          // On a way back the older istiod has to be there before the newer one goes, whatever is left to move.
          const version = open.length === 0 && canary.back === undefined ? canary.toRevision : await install(phase, canary, managedBy, way);
          for (const wave of open) {
            if (window.asks) {
              // Told along with what was decided about the wave before.
              waves.announce(wave);
              await window.pass(askedFor(phase, canary, wave.index));
            }
            await waves.move(wave);
          }
          phase.announcer.note(everythingRuns(version, (canary.gateways ?? []).length > 0));
        }
        if (canary.back !== undefined && !gone) await settleBack(phase, canary, managedBy, way);
        if (canary.back?.keeps === true) continue;
        const retired = gone || (await retire(phase, canary, managedBy, way));
        if (!retired) kept.push(canary.fromRevision);
        if (agentsAfter === undefined) continue;
        if (retired) await moveNodeAgents(phase, { changes: agentsAfter, name: canary.toRevision, managedBy, way });
        else sayAgentsStay(phase, canary, position < canaries.length - 1);
      } catch (error) {
        // Waves that people approved stay where they are: nothing of them is owed.
        if (waves.approved.length + waves.gateways.approved.length > 0)
          await CancellationScope.nonCancellable(() => forget(phase, waves.approved, waves.gateways.approved)).catch(() => undefined);
        throw error;
      }
    }
    const last = canaries.at(-1);
    const still = kept.length === 0 ? '' : `; kept: ${kept.join(', ')}`;
    return {
      summary: `Istio at revision ${last?.toRevision ?? 'unchanged'}${still}`,
      evidence: [
        {
          title: 'Istio',
          lines: [[canaries[0]?.fromRevision, ...canaries.map((c) => c.toRevision)].join(' → ')],
          verdict: still === '' ? 'clear' : 'attention',
        },
      ],
    };
  });
}

function askedFor({ timing, input }: Phase, { fromRevision, toRevision, waves }: IstioCanary, index: number): WaveAsked {
  return {
    detail: `${toRevision}.${index + 1}`,
    title: waveTitle(index, waves.length, toRevision),
    needMs: usualUnitMs(input.step) ?? usually(timing, 'istioWaveMs') + timing.waveBakeMs,
    undo: movedWavesStay({ fromRevision, toRevision }),
  };
}

/** They may not be ahead of an istiod that still runs. */
function sayAgentsStay(phase: Phase, { fromRevision, agentsAfter = [] }: IstioCanary, more: boolean): void {
  const note = agentsStay(agentsAfter, fromRevision);
  if (more) throw phaseFailed(`The next Istio would be two minors ahead. ${note.text}`);
  phase.announcer.note(note);
}

async function install(phase: Phase, canary: IstioCanary, managedBy: string, way: GitOpsWay | undefined): Promise<string> {
  const { toRevision, toMinor, toVersion } = canary;
  let delivered = true;
  if (canary.back !== undefined && canary.back.release === undefined) {
    phase.now(lookingForRevision(toRevision));
  } else if (managedBy === 'helm') {
    phase.now(installingRevision(canary));
    await phase.activities.survey.installIstioRevision.executeWithOptions({ summary: `helm: install revision ${toRevision}` }, [
      { cluster: phase.cluster, canary, chart: phase.input.policy.istio.chart, token: phase.token('helm-install', toRevision) },
    ]);
  } else if (way === undefined || !(await deliverRevision(phase, canary, way))) {
    delivered = false;
    phase.ask(mergeRevision(canary, toVersion ?? toMinor, managedBy));
  }
  const ready = await phase.activities.watch.awaitIstioRevision.executeWithOptions({ summary: `Wait for istiod ${toRevision}` }, [
    { ...phase.target, revision: toRevision, minor: toMinor, delivered },
  ]);
  if (ready.pinned === true) {
    throw phaseFailed(
      `Installing Istio revision ${toRevision}: its chart is there, and ${ready.lack ?? 'istiod runs another version'}: a value of it pins the image ` +
        '(pilot.tag, pilot.image or global.tag, also from valuesFrom or value files); take it out, then retry',
    );
  }
  if (ready.timedOut) throw phaseFailed(`Waiting for Istio revision ${toRevision}: ${ready.lack ?? 'istiod is not available'}`);
  return ready.version;
}
