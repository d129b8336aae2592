/** Karpenter's nodes in waves: those of later waves are held, and each wave is watched for a while before the next, with a gate where asked for. */
import { sleep } from '@temporalio/workflow';
import { usualUnitMs } from '../../../domain/plan/durations/expect-plan.ts';
import { capital, count } from '../../../domain/core/text.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import { bakeAtGate } from '../base/bake-gate.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { usually, type WaveAsked } from '../base/wave-window.ts';
import { paramsOf } from '../../contract/phase.ts';
import { CHOICES } from '../../gates/choices.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export interface NodeWave {
  name: string;
  nodeCount: number;
}

const WORD = { zone: 'zone', nodepool: 'NodePool', count: 'wave' } as const;

export class DriftWaves {
  readonly #phase: Phase;
  #held = false;

  constructor(phase: Phase) {
    this.#phase = phase;
  }

  /** Holds every node that is to be replaced. undefined: this roll has no waves. */
  async hold(): Promise<NodeWave[] | undefined> {
    const { cluster, activities, announcer, input } = this.#phase;
    const { to, waves, pinnedPools: ignorePools, byImage } = paramsOf(input, 'karpenter-drift');
    if (waves === undefined) return undefined;
    // Remembered first: an abort in the middle must find it.
    this.#held = true;
    const held = await activities.survey.holdWaves.executeWithOptions({ summary: `Hold nodes for waves by ${waves.by}` }, [
      { cluster, to, by: waves.by, nodesPerWave: waves.nodes, ignorePools, ...(byImage === undefined ? {} : { byImage }) },
    ]);
    const list = held.waves.map((wave) => `${wave.name} (${count(wave.nodeCount, 'node')})`).join(', then ');
    announcer.note(
      `Nodes roll in ${count(held.waves.length, 'wave')} by ${waves.by}: ${list || 'none is old'}. Those of later waves are held.`,
    );
    return held.waves;
  }

  /** What has to fit into a maintenance window. */
  asked(wave: NodeWave, index: number): WaveAsked {
    return {
      detail: String(index + 1),
      title: this.#title(wave),
      needMs: wave.nodeCount * (usualUnitMs(this.#phase.input.step) ?? usually(this.#phase.timing, 'karpenterNodeMs')),
      undo: 'Nodes that are replaced stay; those of later waves are held until their turn.',
    };
  }

  async release(wave: NodeWave): Promise<void> {
    const { cluster, activities } = this.#phase;
    await activities.survey.releaseWave.executeWithOptions({ summary: `Release ${this.#title(wave)}` }, [{ cluster, wave: wave.name }]);
  }

  /** Watches for a while; then people decide, where they want to. Throws where they say no. */
  async settle(wave: NodeWave, next: NodeWave | undefined, index: number): Promise<void> {
    const { timing, input } = this.#phase;
    if (next === undefined) return;
    this.#phase.now(`${capital(this.#title(wave))} is through (${count(wave.nodeCount, 'node')}). Watching before ${this.#title(next)}.`);
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
      afterwards: asks ? `when people are asked about ${this.#title(next)}` : `with ${this.#title(next)}`,
      does: asks ? `Asks about ${this.#title(next)} now.` : `Continues with ${this.#title(next)} now.`,
      ...this.#rolled(wave),
    });
    if (isEarly) phase.announcer.note(`The bake after ${this.#title(wave)} ended early, as decided.`);
  }

  #rolled(wave: NodeWave): { seen: GateEvidence; undo: string } {
    return {
      seen: { title: capital(this.#title(wave)), lines: [`${count(wave.nodeCount, 'node')} replaced`] },
      undo: 'Nodes that are replaced stay; those of later waves are held until their turn.',
    };
  }

  async #ask(wave: NodeWave, next: NodeWave, index: number): Promise<void> {
    const { gates, input } = this.#phase;
    const { seen, undo } = this.#rolled(wave);
    const state = await gates.ask({
      id: gateId('wave', input.step.id, input.round, String(index + 1)),
      step: input.step.id,
      title: `${capital(this.#title(wave))} is through: go on with ${this.#title(next)}?`,
      next: `Karpenter replaces ${count(next.nodeCount, 'node')} of ${this.#title(next)}.`,
      evidence: [seen],
      undo,
      choices: [
        { ...CHOICES.approve, does: `Releases ${this.#title(next)}.` },
        { ...CHOICES.reject, does: 'Stops the roll: drift is frozen again, and people decide what becomes of the step.' },
      ],
    });
    if (state.kind === 'decided' && state.decision.choice === 'approve') return;
    throw phaseFailed(
      `Going on with ${this.#title(next)} was ${state.kind === 'decided' ? 'rejected' : 'not decided in time'}; drift is frozen again`,
    );
  }

  /** Gives back what is still held. `frozen` false: the freeze could not be put back, so the marks are all that keeps these nodes. */
  async releaseAll(frozen: boolean): Promise<void> {
    if (!this.#held) return;
    const phase = this.#phase;
    const what = 'do-not-disrupt on nodes of later waves';
    if (!frozen) return phase.notRestored({ what, why: 'drift could not be frozen' }, `${what} stays, because drift could not be frozen`);
    try {
      await phase.activities.owed.releaseWave.executeWithOptions({ summary: 'Release the nodes of later waves' }, [
        { cluster: phase.cluster },
      ]);
    } catch (error) {
      const why = messageOf(error);
      phase.notRestored({ what, why }, `${what} could not be removed: ${why}. They carry annotation belay.dev/roll-wave.`);
    }
  }

  #title({ name }: NodeWave): string {
    const by = paramsOf(this.#phase.input, 'karpenter-drift').waves?.by ?? 'count';
    return `${WORD[by]} ${name}`;
  }
}
