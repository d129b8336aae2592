/** What of a wave only a deletion moves: people are asked before anything is deleted, and what was rolled goes back with its wave. */
import { count, objectTitle } from '../../../domain/core/text.ts';
import type { Phase } from '../base/phase.ts';
import { shown } from './wave-gates.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { NakedPod, OnDeleteSet, RestartResult } from '../../../activities/contract/istio-objects.ts';
import type { GateRequest } from '../../gates/gate-request.ts';

interface Place {
  /** Of the gate. */
  id: string;
  label: string;
  from: string;
  to: string;
}

type ByHand = NonNullable<RestartResult['byHand']>;

export class RolledByHand {
  readonly #phase: Phase;
  /** Sets whose pods were deleted, in all waves. */
  readonly #sets: OnDeleteSet[] = [];

  constructor(phase: Phase) {
    this.#phase = phase;
  }

  /** Says what the restarts of a wave did not reach, and asks where only a deletion would. Returns what stays as it is. */
  async settle(results: readonly RestartResult[], place: Place): Promise<string[]> {
    const { announcer } = this.#phase;
    const skipped = results.flatMap((result) => result.skipped.map(({ workload, why }) => `${workload} (${why})`));
    const notes = results.flatMap((result) => result.notes ?? []);
    if (skipped.length > 0) announcer.note(`Not restarted in ${place.label}: ${listed(skipped)}.`, { level: 'warning' });
    if (notes.length > 0) announcer.note(`Look at ${place.label}: ${listed(notes)}.`, { level: 'warning' });
    const sets = results.flatMap(({ byHand }) => byHand?.sets ?? []);
    const pods = results.flatMap(({ byHand }) => byHand?.pods ?? []);
    return sets.length + pods.length === 0 ? [] : await this.#ask({ sets, pods }, place);
  }

  /** Returns what stays at its old proxy, in words. Nobody's decision is no permission: then all of it stays. */
  async #ask(byHand: ByHand, place: Place): Promise<string[]> {
    const { label, to } = place;
    const { sets, pods } = byHand;
    const state = await this.#phase.gates.ask(question(byHand, this.#phase.input.step.id, place));
    const choice = state.kind === 'decided' ? state.decision.choice : 'leave';
    const doomed = choice === 'roll-and-delete' ? pods : [];
    const rolled = choice === 'leave' ? [] : sets;
    if (rolled.length + doomed.length > 0) {
      // Before the first deletion: what was begun has to go back as well.
      this.#sets.push(...rolled);
      await this.#roll(rolled, doomed, to, `Delete pods of ${label} one by one`);
    }
    const left = [
      ...sets.filter((set) => !rolled.includes(set)).map(objectTitle),
      ...pods.filter((pod) => !doomed.includes(pod)).map(podTitle),
    ];
    return left.length === 0 ? [] : [`${shown(left)}: at the old proxy still`];
  }

  /** The same way back, for the namespaces that go back. */
  async back(namespaces: readonly string[], to: string): Promise<void> {
    const sets = this.#setsIn(namespaces);
    if (sets.length > 0) await this.#roll(sets, [], to, `Delete pods of ${shown(sets.map(objectTitle))} one by one`);
  }

  /** What verifying those namespaces has to look at besides. */
  seenIn(namespaces: readonly string[]): { rolled?: OnDeleteSet[] } {
    const rolled = this.#setsIn(namespaces);
    return rolled.length === 0 ? {} : { rolled };
  }

  #setsIn(namespaces: readonly string[]): OnDeleteSet[] {
    return this.#sets.filter(({ namespace }) => namespaces.includes(namespace));
  }

  async #roll(sets: OnDeleteSet[], pods: NakedPod[], revision: string, summary: string): Promise<void> {
    const { activities, target } = this.#phase;
    this.#phase.now(`${summary}: ${shown([...sets.map(objectTitle), ...pods.map(podTitle)])}.`);
    const done = await activities.watch.rollByHand.executeWithOptions({ summary }, [{ ...target, sets, pods, revision }]);
    if (done.stuck !== undefined) throw phaseFailed(`${summary}: ${done.stuck}; no further pod was deleted`);
  }
}

function question({ sets, pods }: ByHand, step: string, { id, label, from, to }: Place): GateRequest {
  const kept = `They keep the proxy of ${from}, which cannot be retired before they have gone.`;
  return {
    id,
    step,
    title: `Istio ${label}: ${count(sets.length + pods.length, 'workload')} that only a deletion moves`,
    next: `Nothing of it is deleted unasked. ${kept}`,
    evidence: [
      ...(sets.length === 0 ? [] : [{ title: 'Update strategy OnDelete', lines: [shown(sets.map(objectTitle))] }]),
      ...(pods.length === 0 ? [] : [{ title: 'Pods without a controller: nothing brings them back', lines: [shown(pods.map(podTitle))] }]),
    ],
    undo: `Sets go back with their wave, pod by pod.${pods.length === 0 ? '' : ' A pod without a controller cannot be brought back.'}`,
    choices: [
      ...(sets.length === 0
        ? []
        : [
            {
              id: 'roll' as const,
              label: 'Roll the sets',
              style: 'primary' as const,
              does: `Deletes the pods of ${shown(sets.map(objectTitle))} one by one, each when all others are Ready; they come back on ${to}.`,
            },
          ]),
      ...(pods.length === 0
        ? []
        : [
            {
              id: 'roll-and-delete' as const,
              label: sets.length === 0 ? 'Delete the pods' : 'Roll, and delete the pods',
              style: 'danger' as const,
              needsReason: true,
              does: `Deletes ${shown(pods.map(podTitle))} for good${sets.length === 0 ? '' : ', after rolling the sets'}: whoever made them has to make them again.`,
            },
          ]),
      { id: 'leave', label: 'Leave them', does: kept },
    ],
  };
}

/** The first five: each is a sentence of its own. */
const listed = (all: readonly string[]): string => `${all.slice(0, 5).join('; ')}${all.length > 5 ? ` and ${all.length - 5} more` : ''}`;

const podTitle = ({ namespace, name }: NakedPod): string => `Pod ${namespace}/${name}`;
