/** Before nodes are replaced: node classes that do not follow the control plane are edited, and Karpenter has found images for all. Undone if you choose so. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { actorName } from '../../../domain/gates/actor.ts';
import type { GateState } from '../../../domain/gates/gate.ts';
import type { AmiMove } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import {
  amiChangeArrived,
  amiMoved,
  amisNotRestored,
  amisRestored,
  keepAmisGate,
  leftAtOldAmis,
  lookingForAmis,
  moveAmi,
  newAmisKept,
  noAmis,
  noAmisGate,
  noAmisWhy,
  nodesOfPools,
} from '../../messages/karpenter/ami-changes.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

interface Follows {
  nodeClass: string;
  nodePools: string[];
}

export class AmiMoves {
  readonly #phase: Phase;
  readonly #own: AmiMove[];
  readonly #asked: AmiMove[];
  readonly #follows: Follows[];
  readonly #to: string;
  #made = false;
  #gates = 0;

  /** `follows`: classes for which Karpenter has to have found images of `to`, with their pools. */
  constructor(phase: Phase, { moves = [], follows = [], to }: { to: string; moves?: AmiMove[]; follows?: Follows[] }) {
    this.#phase = phase;
    this.#own = moves.filter(({ owner }) => owner === undefined);
    this.#asked = moves.filter(({ owner }) => owner !== undefined);
    this.#follows = follows;
    this.#to = to;
  }

  /** Pools that keep their images because people chose so: their nodes are not waited for. `late`: edits that people agreed to since the plan, instead of its own. */
  async make(late: readonly AmiMove[]): Promise<string[]> {
    for (const [moves, isOwn] of [
      [this.#own, true],
      [this.#asked, false],
    ] as const) {
      const others = moves.filter(({ nodeClass }) => !late.some((each) => each.nodeClass === nodeClass));
      moves.splice(0, moves.length, ...others, ...late.filter(({ owner }) => (owner === undefined) === isOwn));
    }
    await this.#edit();
    await this.#ask();
    return this.#follows.length === 0 ? [] : await this.#untilFound();
  }

  async #edit(): Promise<void> {
    if (this.#own.length === 0) return;
    const { activities, cluster, announcer } = this.#phase;
    const names = this.#own.map(({ nodeClass }) => nodeClass).join(', ');
    // Also when the call fails halfway: what was written has to be found again.
    this.#made = true;
    await activities.quick.moveAmis.executeWithOptions({ summary: `Choose AMIs of ${this.#to} on ${names}` }, [
      { cluster, moves: this.#own },
    ]);
    for (const move of this.#own) announcer.note(amiMoved(move));
  }

  async #ask(): Promise<void> {
    if (this.#asked.length === 0) return;
    const phase = this.#phase;
    for (const move of this.#asked) phase.ask(moveAmi(move));
    const names = this.#asked.map(({ nodeClass }) => nodeClass).join(', ');
    const { left } = await phase.activities.watch.awaitAmiMoves.executeWithOptions({ summary: `Wait for the merge of ${names}` }, [
      { ...phase.target, moves: this.#asked },
    ]);
    if (left.length > 0) throw phaseFailed(`Waiting for the AMIs of ${left.join(', ')}: nobody has changed the node class`);
    phase.announcer.note(amiChangeArrived(this.#asked.map(({ nodeClass }) => nodeClass)));
  }

  async #untilFound(): Promise<string[]> {
    const phase = this.#phase;
    const left: string[] = [];
    for (;;) {
      const follows = this.#follows.filter(({ nodePools }) => !nodePools.some((pool) => left.includes(pool)));
      const { stale } = await phase.activities.watch.awaitAmis.executeWithOptions({ summary: `Has Karpenter found AMIs of ${this.#to}?` }, [
        { ...phase.target, to: this.#to, follows },
      ]);
      if (stale.length === 0) return left;
      const state = await phase.gates.ask({ ...this.#nextGate(), ...noAmisGate(stale, this.#to) });
      if (state.kind !== 'decided')
        throw phaseFailed(`${noAmis(stale, this.#to)} (${noAmisWhy(stale).join('; ')}), and nobody decided in time`);
      if (state.decision.choice === 'leave') {
        const { actor, reason = '' } = state.decision;
        const nodePools = stale.flatMap((each) => each.nodePools);
        left.push(...nodePools);
        phase.skip({ what: nodesOfPools(nodePools), by: actorName(actor), reason, nodePools });
      }
      phase.now(state.decision.choice === 'leave' ? leftAtOldAmis(left) : lookingForAmis());
    }
  }

  #nextGate(): { id: string; step: string } {
    this.#gates += 1;
    const { step, round } = this.#phase.input;
    return { id: gateId('amis', step.id, (round - 1) * 100 + this.#gates), step: step.id };
  }

  /** Half of the nodes may run the new images: a gate asks whether the next ones still do. Only of edits that Belay made. */
  async offerUndo(error: unknown): Promise<void> {
    if (!this.#made) return;
    const phase = this.#phase;
    const state = await this.#askToKeep(messageOf(error));
    if (state.kind !== 'decided' || state.decision.choice !== 'put-back') return;
    // An abort must not leave some classes at the new images and others not.
    const { undone, failed } = await CancellationScope.nonCancellable(() =>
      phase.activities.owed.undoAmiMoves.executeWithOptions({ summary: 'Put the AMIs back' }, [
        { cluster: phase.cluster, moves: this.#own },
      ]),
    );
    if (undone.length > 0) phase.announcer.note(amisRestored(undone));
    for (const { nodeClass, why } of failed) {
      phase.notRestored({ what: `AMIs of EC2NodeClass ${nodeClass}`, why }, amisNotRestored(nodeClass, why));
    }
  }

  /** Throws where the run is aborted meanwhile: then they stay. */
  async #askToKeep(problem: string): Promise<GateState> {
    try {
      return await this.#phase.gates.ask({ ...this.#nextGate(), ...keepAmisGate(problem, this.#own) });
    } catch (error) {
      if (isCancellation(error)) this.sayKept();
      throw error;
    }
  }

  /** Cancelled in the middle: nobody can be asked any more. */
  sayKept(): void {
    if (!this.#made) return;
    this.#phase.announcer.note(newAmisKept(this.#own.map(({ nodeClass }) => nodeClass)));
  }

  /** All nodes run the new images: the way back is an edit like any other. */
  async forget(): Promise<void> {
    if (!this.#made) return;
    const { activities, cluster } = this.#phase;
    await activities.owed.forgetAmiMoves.executeWithOptions({ summary: `Forget the AMIs before ${this.#to}` }, [
      { cluster, moves: this.#own },
    ]);
  }
}
