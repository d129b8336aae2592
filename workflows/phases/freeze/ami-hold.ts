/** Node classes that the plan pins to the images in use, as soon as the freeze stands: let go with the roll, or when a freeze goes without one. */
import { CancellationScope } from '@temporalio/workflow';
import type { AmiMove } from '../../../domain/plan/model/changes.ts';
import { amisNotReleased, amisReleased, nodeClassesPinned, pinNodeClass, unpinNodeClass } from '../../messages/karpenter/node-classes.ts';
import type { Phase } from '../base/phase.ts';
import { paramsOf } from '../../contract/phase.ts';
import { asPhaseFailure, phaseFailed } from '../../runtime/phase-failure.ts';

const namesOf = (moves: readonly AmiMove[]): string => moves.map(({ nodeClass }) => nodeClass).join(', ');

export class AmiHold {
  readonly #phase: Phase;
  readonly #own: AmiMove[];
  readonly #asked: AmiMove[];
  /** Of a way back. */
  readonly #back: { from: string; to: string } | undefined;
  #made = false;
  #askedFor = false;

  constructor(phase: Phase) {
    const { holds = [], back } = paramsOf(phase.input, 'freeze-drift');
    this.#phase = phase;
    this.#back = back;
    this.#own = holds.filter(({ owner }) => owner === undefined);
    this.#asked = holds.filter(({ owner }) => owner !== undefined);
  }

  get any(): boolean {
    return this.#own.length + this.#asked.length > 0;
  }

  /** What else stays while a freeze is kept; empty: nothing. */
  get words(): string {
    return this.#made || this.#askedFor
      ? ` EC2NodeClass ${namesOf([...this.#own, ...this.#asked])} stays pinned to ${this.#what} as well.`
      : '';
  }

  get #what(): string {
    return this.#back === undefined ? 'the images in use' : `images of ${this.#back.to}`;
  }

  async make(): Promise<void> {
    const { activities, cluster, announcer } = this.#phase;
    if (this.#own.length > 0) {
      // Also when the call fails halfway: what was written has to be found again.
      this.#made = true;
      const nodeClasses = this.#own.map(({ nodeClass }) => nodeClass);
      const images = this.#back === undefined ? {} : { images: imagesOf(this.#own) };
      const { held, refused } = await CancellationScope.nonCancellable(() =>
        activities.quick.holdAmis.executeWithOptions({ summary: `Pin ${namesOf(this.#own)} to ${this.#what}` }, [
          { cluster, nodeClasses, ...images },
        ]),
      );
      if (refused.length > 0) throw phaseFailed(`Holding AMIs: ${refused.map(({ nodeClass, why }) => `${nodeClass}: ${why}`).join('; ')}`);
      announcer.note(
        nodeClassesPinned(held, { to: this.#what, until: this.#back === undefined ? 'nodes are replaced' : 'the control plane is back' }),
      );
    }
    if (this.#asked.length > 0) await this.#ask();
  }

  async #ask(): Promise<void> {
    const phase = this.#phase;
    this.#askedFor = true;
    for (const move of this.#asked) phase.ask(pinNodeClass(move, this.#back?.to));
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
      // What an upgrade has held before stays held.
      const only = this.#back === undefined ? {} : { nodeClasses: this.#own.map(({ nodeClass }) => nodeClass) };
      const result = await phase.activities.owed.releaseAmis.executeWithOptions({ summary: `Release the AMIs of ${namesOf(this.#own)}` }, [
        { cluster: phase.cluster, ...only },
      ]);
      failed = result.failed;
      if (result.released.length > 0) phase.announcer.note(amisReleased(result.released));
    } catch (error) {
      failed = [{ nodeClass: namesOf(this.#own), why: asPhaseFailure('releasing', error).message }];
    }
    for (const { nodeClass, why } of failed)
      phase.notRestored({ what: `AMIs of EC2NodeClass ${nodeClass}`, why }, amisNotReleased(nodeClass, why));
  }

  #askBack(): void {
    for (const move of this.#asked) this.#phase.ask(unpinNodeClass(move));
  }
}

function imagesOf(moves: readonly AmiMove[]): Record<string, { ids: string[]; amiFamily?: string }> {
  const images = moves.map(({ nodeClass, terms, amiFamily }): [string, { ids: string[]; amiFamily?: string }] => [
    nodeClass,
    { ids: terms.flatMap(({ id }) => id ?? []), ...(typeof amiFamily === 'string' ? { amiFamily } : {}) },
  ]);
  return Object.fromEntries(images);
}
