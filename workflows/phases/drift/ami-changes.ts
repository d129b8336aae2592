/** Before nodes are replaced: node classes that do not follow the control plane are edited, and Karpenter has found images for all. Undone when people say so. */
import { selectionWords } from '../../../domain/plan/karpenter/ami-changes.ts';
import type { AmiMove } from '../../../domain/plan/model/changes.ts';
import { count } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { GateRequest } from '../../gates/gate-request.ts';

interface Follows {
  nodeClass: string;
  nodePools: string[];
}

interface Stale {
  nodeClass: string;
  nodePools: string[];
  why: string;
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
    for (const { nodeClass, before, terms, why } of this.#own) {
      announcer.note(
        `EC2NodeClass ${nodeClass}: ${before} → ${selectionWords(terms)} (${why}). The terms before stand in its annotation belay.dev/ami-move-before.`,
      );
    }
  }

  async #ask(): Promise<void> {
    if (this.#asked.length === 0) return;
    const phase = this.#phase;
    for (const { nodeClass, before, terms, amiFamily, why, owner = 'manual' } of this.#asked) {
      const lines = [
        ...(amiFamily === undefined ? [] : [amiFamily === null ? 'no amiFamily' : `amiFamily: ${amiFamily}`]),
        `amiSelectorTerms: [${terms.map(inYaml).join(', ')}]`,
      ];
      phase.ask(
        { component: 'node-class', name: nodeClass, version: selectionWords(terms), managedBy: owner },
        `Please change EC2NodeClass ${nodeClass} where ${owner} takes it from: under spec ${lines.join(' and ')}, instead of ${before}, because ${why}. ` +
          `Drift is frozen: no node is replaced before Belay paces it. Belay watches the class and continues by itself.`,
      );
    }
    const names = this.#asked.map(({ nodeClass }) => nodeClass).join(', ');
    const { left } = await phase.activities.watch.awaitAmiMoves.executeWithOptions({ summary: `Wait for the merge of ${names}` }, [
      { ...phase.target, moves: this.#asked },
    ]);
    if (left.length > 0) throw phaseFailed(`Waiting for the AMIs of ${left.join(', ')}: nobody has changed the node class`);
    phase.announcer.note(`The change of EC2NodeClass ${names} has arrived in the cluster.`);
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
      const state = await phase.gates.ask(this.#staleGate(stale));
      if (state.kind !== 'decided')
        throw phaseFailed(`${headline(stale, this.#to)} (${whys(stale).join('; ')}), and nobody decided in time`);
      if (state.decision.choice === 'leave') left.push(...stale.flatMap(({ nodePools }) => nodePools));
      phase.now(state.decision.choice === 'leave' ? `Nodes of ${left.join(', ')} stay as they are.` : 'Looking again for AMIs.');
    }
  }

  #nextGate(): string {
    this.#gates += 1;
    return gateId('amis', this.#phase.input.step.id, (this.#phase.input.round - 1) * 100 + this.#gates);
  }

  #staleGate(stale: Stale[]): GateRequest {
    const pools = stale.flatMap(({ nodePools }) => nodePools).join(', ');
    return {
      id: this.#nextGate(),
      step: this.#phase.input.step.id,
      title: `${headline(stale, this.#to)}: what now?`,
      next: `Pin the class to a release with images for ${this.#to}, then Belay looks again. Drift is still frozen.`,
      evidence: [{ title: 'What Karpenter has found', lines: whys(stale) }],
      undo: 'Nothing has been replaced yet.',
      choices: [
        {
          id: 'look-again',
          label: 'Look again',
          style: 'primary',
          does: 'Asks Karpenter’s node classes once more; asks again where nothing has changed.',
        },
        {
          id: 'leave',
          label: 'Leave these nodes',
          style: 'danger',
          needsReason: true,
          does: `Replaces the others; nodes of ${pools} stay at the old version, and validation will name them.`,
        },
      ],
    };
  }

  /** Half of the nodes may run the new images: people choose whether the next ones still do. Only of edits that Belay made. */
  async offerUndo(error: unknown): Promise<void> {
    if (!this.#made) return;
    const phase = this.#phase;
    const { cluster } = phase;
    const state = await phase.gates.ask(this.#undoGate(messageOf(error)));
    if (state.kind !== 'decided' || state.decision.choice !== 'put-back') return;
    const { undone, failed } = await phase.activities.owed.undoAmiMoves.executeWithOptions({ summary: 'Put the AMIs back' }, [
      { cluster, moves: this.#own },
    ]);
    if (undone.length > 0)
      phase.announcer.note(`AMIs are as before on ${undone.join(', ')}. Nodes that run the new ones stay until drift is let go.`);
    for (const { nodeClass, why } of failed) {
      phase.notRestored(
        { what: `AMIs of EC2NodeClass ${nodeClass}`, why },
        `the AMIs of EC2NodeClass ${nodeClass} could not be put back: ${why}`,
      );
    }
  }

  #undoGate(why: string): GateRequest {
    const edits = this.#own.map(({ nodeClass, before, terms }) => `${nodeClass}: ${before} → ${selectionWords(terms)}`);
    return {
      id: this.#nextGate(),
      step: this.#phase.input.step.id,
      title: 'Replacing nodes has stopped: keep the new AMIs?',
      next: 'The new AMIs stay chosen. Drift is frozen; what to do with the step is asked next.',
      evidence: [
        { title: 'What happened', lines: [why] },
        { title: 'What Belay has edited', lines: edits },
      ],
      undo: 'Putting the AMIs back changes no running node: drift is frozen.',
      choices: [
        { id: 'keep-amis', label: 'Keep the new AMIs', style: 'primary', does: 'Leaves the node classes as they are.' },
        {
          id: 'put-back',
          label: 'Put the old AMIs back',
          style: 'danger',
          needsReason: true,
          does: `New nodes start as before this step; those that run the new AMIs are replaced when drift is let go.`,
        },
      ],
    };
  }

  /** Cancelled in the middle: nobody can be asked any more. */
  sayKept(): void {
    if (!this.#made) return;
    const names = this.#own.map(({ nodeClass }) => nodeClass).join(', ');
    this.#phase.announcer.note(
      `The new AMIs stay chosen on EC2NodeClass ${names}; the terms before stand in annotation belay.dev/ami-move-before.`,
      {
        level: 'warning',
      },
    );
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

const inYaml = ({ alias, id }: AmiMove['terms'][number]): string => (alias === undefined ? `{id: ${id}}` : `{alias: ${alias}}`);
const headline = (stale: readonly Stale[], to: string): string => `${count(stale.length, 'EC2NodeClass')} without AMIs for ${to}`;
const whys = (stale: readonly Stale[]): string[] => stale.map(({ nodeClass, why }) => `EC2NodeClass ${nodeClass}: ${why}`);
