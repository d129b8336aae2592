/** Karpenter's nodes in waves: those of later waves are held, and each wave is watched for a while before the next, with a gate where asked for. */
import { sleep } from '@temporalio/workflow';
import { usualUnitMs } from '../../../domain/plan/durations/expect-plan.ts';
import { capital } from '../../../domain/core/text.ts';
import type { NodeWaves } from '../../../domain/policy/policy.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import {
  afterWaveBake,
  endingWaveBake,
  nextWaveGate,
  waveBakeEnded,
  waveMarksKept,
  waveMarksNotRemoved,
  waveMoved,
  waveReplaced,
  wavesHeld,
  wavesUndo,
  waveTitle,
} from '../../messages/karpenter/drift.ts';
import { bakeAtGate } from '../base/bake-gate.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { usually, type WaveAsked } from '../base/wave-window.ts';
import { paramsOf } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface NodeWave {
  name: string;
  nodeCount: number;
}

export class DriftWaves {
  readonly #phase: Phase;
  #held = false;

  constructor(phase: Phase) {
    this.#phase = phase;
  }

  /** Holds every node that is to be replaced. undefined: this roll has no waves. */
  async hold(): Promise<NodeWave[] | undefined> {
    const { cluster, activities, announcer, input } = this.#phase;
    const { to, waves, pinnedPools: ignorePools, nodePools, byImage, back } = paramsOf(input, 'karpenter-drift');
    if (waves === undefined) return undefined;
    // Remembered first: an abort in the middle must find it.
    this.#held = true;
    const held = await activities.survey.holdWaves.executeWithOptions({ summary: `Hold nodes for waves by ${waves.by}` }, [
      {
        cluster,
        to,
        by: waves.by,
        nodesPerWave: waves.nodes,
        ignorePools,
        ...defined({ onlyPools: back === true ? nodePools : undefined, byImage }),
      },
    ]);
    announcer.note(wavesHeld(waves.by, held.waves));
    return held.waves;
  }

  /** What has to fit into a maintenance window. */
  asked(wave: NodeWave, index: number): WaveAsked {
    return {
      detail: String(index + 1),
      title: this.#title(wave),
      needMs: wave.nodeCount * (usualUnitMs(this.#phase.input.step) ?? usually(this.#phase.timing, 'karpenterNodeMs')),
      undo: wavesUndo(),
    };
  }

  async release(wave: NodeWave): Promise<void> {
    const { cluster, activities } = this.#phase;
    await activities.survey.releaseWave.executeWithOptions({ summary: `Release ${this.#title(wave)}` }, [{ cluster, wave: wave.name }]);
  }

  /** Watches for a while; then asks, where the plan says so. Throws if the answer is no. */
  async settle(wave: NodeWave, next: NodeWave | undefined, index: number): Promise<void> {
    const { timing, input } = this.#phase;
    if (next === undefined) return;
    this.#phase.now(waveMoved(this.#by, wave, next));
    const bakeOver = (): Promise<void> => sleep(timing.waveBakeMs, { summary: `Watch after ${this.#title(wave)}` });
    if (paramsOf(input, 'karpenter-drift').bakeGate === true) await this.#bake(wave, next, index, bakeOver);
    else await bakeOver();
    if (paramsOf(input, 'karpenter-drift').waves?.gate === true) await this.#ask(wave, next, index);
  }

  /** What a health check has to say stands at a gate of its own, and holds the roll meanwhile. */
  async #bake(wave: NodeWave, next: NodeWave, index: number, watch: () => Promise<void>): Promise<void> {
    const phase = this.#phase;
    const asks = paramsOf(phase.input, 'karpenter-drift').waves?.gate === true;
    const isEarly = await bakeAtGate(phase, {
      bakeMs: phase.timing.waveBakeMs,
      watch,
      detail: String(index + 1),
      where: `after ${this.#title(wave)}`,
      afterwards: afterWaveBake(this.#by, next, asks),
      does: endingWaveBake(this.#by, next, asks),
      ...this.#rolled(wave),
    });
    if (isEarly) phase.announcer.note(waveBakeEnded(this.#by, wave));
  }

  #rolled(wave: NodeWave): { seen: GateEvidence; undo: string } {
    return {
      seen: { title: capital(this.#title(wave)), lines: [waveReplaced(wave)] },
      undo: wavesUndo(),
    };
  }

  async #ask(wave: NodeWave, next: NodeWave, index: number): Promise<void> {
    const { gates, input } = this.#phase;
    const state = await gates.ask({
      id: gateId('wave', input.step.id, input.round, String(index + 1)),
      step: input.step.id,
      ...nextWaveGate(this.#by, wave, next),
    });
    if (state.kind === 'decided' && state.decision.choice === 'approve') return;
    throw phaseFailed(
      `Continuing with ${this.#title(next)} was ${state.kind === 'decided' ? 'rejected' : 'not decided in time'}; drift is frozen again`,
    );
  }

  /** Gives back what is still held. `frozen` false: the freeze could not be put back, so the marks are all that keeps these nodes. */
  async releaseAll(frozen: boolean): Promise<void> {
    if (!this.#held) return;
    const phase = this.#phase;
    const what = 'do-not-disrupt on nodes of later waves';
    if (!frozen) return phase.notRestored({ what, why: 'drift could not be frozen' }, waveMarksKept());
    try {
      await phase.activities.owed.releaseWaves.executeWithOptions({ summary: 'Release the nodes of later waves' }, [
        { cluster: phase.cluster },
      ]);
    } catch (error) {
      const why = messageOf(error);
      phase.notRestored({ what, why }, waveMarksNotRemoved(why));
    }
  }

  get #by(): NodeWaves['by'] {
    return paramsOf(this.#phase.input, 'karpenter-drift').waves?.by ?? 'count';
  }

  #title(wave: NodeWave): string {
    return waveTitle(this.#by, wave);
  }
}
