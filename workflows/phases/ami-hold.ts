/** Node classes that the plan pins to the images in use, as soon as the freeze stands: let go with the roll, or when a freeze goes without one. */
import { CancellationScope } from '@temporalio/workflow';
import { selectionWords } from '../../domain/plan/ami-moves.ts';
import type { AmiMove } from '../../domain/plan/types.ts';
import { asPhaseFailure, paramsOf, type Phase, phaseFailed } from '../phase.ts';

const namesOf = (moves: readonly AmiMove[]): string => moves.map(({ nodeClass }) => nodeClass).join(', ');

export class AmiHold {
  readonly #phase: Phase;
  readonly #own: AmiMove[];
  readonly #asked: AmiMove[];
  #made = false;
  #askedFor = false;

  constructor(phase: Phase) {
    const { holds = [] } = paramsOf(phase.input, 'freeze-drift');
    this.#phase = phase;
    this.#own = holds.filter(({ owner }) => owner === undefined);
    this.#asked = holds.filter(({ owner }) => owner !== undefined);
  }

  get any(): boolean {
    return this.#own.length + this.#asked.length > 0;
  }

  /** What else stays while a freeze is kept; empty: nothing. */
  get words(): string {
    return this.#made || this.#askedFor
      ? ` EC2NodeClass ${namesOf([...this.#own, ...this.#asked])} stays pinned to the images in use as well.`
      : '';
  }

  async make(): Promise<void> {
    const { activities, cluster, announcer } = this.#phase;
    if (this.#own.length > 0) {
      // Also when the call fails halfway: what was written has to be found again.
      this.#made = true;
      const nodeClasses = this.#own.map(({ nodeClass }) => nodeClass);
      const { held, refused } = await CancellationScope.nonCancellable(() =>
        activities.quick.holdAmis.executeWithOptions({ summary: `Pin ${namesOf(this.#own)} to the images in use` }, [
          { cluster, nodeClasses },
        ]),
      );
      if (refused.length > 0) throw phaseFailed(`Holding AMIs: ${refused.map(({ nodeClass, why }) => `${nodeClass}: ${why}`).join('; ')}`);
      announcer.note(
        `EC2NodeClass ${held.join(', ')} ${held.length === 1 ? 'is' : 'are'} pinned to the images in use until nodes are replaced. The aliases stand in annotation belay.dev/ami-before.`,
      );
    }
    if (this.#asked.length > 0) await this.#ask();
  }

  async #ask(): Promise<void> {
    const phase = this.#phase;
    this.#askedFor = true;
    for (const { nodeClass, before, terms, amiFamily, owner = 'manual' } of this.#asked) {
      const lines = [
        ...(amiFamily === undefined ? [] : [`amiFamily: ${amiFamily}`]),
        `amiSelectorTerms: [${terms.map(({ id = '' }) => `{id: ${id}}`).join(', ')}]`,
      ];
      phase.ask(
        { component: 'node-class', name: nodeClass, version: selectionWords(terms), managedBy: owner },
        `Please change EC2NodeClass ${nodeClass} where ${owner} takes it from: under spec ${lines.join(' and ')}, instead of ${before}, so that nodes that are launched before the roll stay at the version from before. ` +
          `No node is replaced for it. Belay asks for the way back before nodes roll.`,
      );
    }
    const { left } = await phase.activities.watch.awaitAmiMoves.executeWithOptions(
      { summary: `Wait for the merge of ${namesOf(this.#asked)}` },
      [{ ...phase.target, moves: this.#asked }],
    );
    if (left.length > 0) throw phaseFailed(`Waiting for the AMIs of ${left.join(', ')}: nobody has changed the node class`);
  }

  /** `rolled`: the roll has let them go. `lifted`: the freeze goes without it. `held`: people chose that AMIs stay held. */
  async settle(how: 'rolled' | 'lifted' | 'held'): Promise<void> {
    if (how === 'held') return;
    if (this.#askedFor && how === 'lifted') this.#askBack();
    if (!this.#made) return;
    const phase = this.#phase;
    let failed: { nodeClass: string; why: string }[];
    try {
      const result = await phase.activities.owed.releaseAmis.executeWithOptions({ summary: `Release the AMIs of ${namesOf(this.#own)}` }, [
        { cluster: phase.cluster },
      ]);
      failed = result.failed;
      if (result.released.length > 0) phase.announcer.note(`AMIs are as before on ${result.released.join(', ')}.`);
    } catch (error) {
      failed = [{ nodeClass: namesOf(this.#own), why: asPhaseFailure('releasing', error).message }];
    }
    for (const { nodeClass, why } of failed)
      phase.notRestored(
        { what: `AMIs of EC2NodeClass ${nodeClass}`, why },
        `the AMIs of EC2NodeClass ${nodeClass} could not be released: ${why}`,
      );
  }

  #askBack(): void {
    for (const { nodeClass, before, owner = 'manual' } of this.#asked) {
      this.#phase.ask(
        { component: 'node-class', name: nodeClass, version: before, managedBy: owner },
        `Please change EC2NodeClass ${nodeClass} back where ${owner} takes it from: amiSelectorTerms: [{alias: ${before}}]. Until then its nodes stay at the images from before; withdraw the change where it has not been merged.`,
      );
    }
  }
}
