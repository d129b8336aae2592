/** What of a wave only a deletion moves: asked for before anything is deleted, and what was rolled goes back with its wave. */
import { objectTitle } from '../../../domain/core/text.ts';
import { deletingPods, deletionGate, keptAtOldProxy, lookAtWave, notRestarted } from '../../messages/istio/revisions.ts';
import type { Phase } from '../base/phase.ts';
import { shown } from './wave-gates.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { NakedPod, OnDeleteSet, RestartResult } from '../../../activities/contract/istio-objects.ts';

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
    if (skipped.length > 0) announcer.note(notRestarted(place.label, skipped));
    if (notes.length > 0) announcer.note(lookAtWave(place.label, notes));
    const sets = results.flatMap(({ byHand }) => byHand?.sets ?? []);
    const pods = results.flatMap(({ byHand }) => byHand?.pods ?? []);
    return sets.length + pods.length === 0 ? [] : await this.#ask({ sets, pods }, place);
  }

  /** Returns what stays at its old proxy, in words. Nobody's decision is no permission: then all of it stays. */
  async #ask({ sets, pods }: ByHand, place: Place): Promise<string[]> {
    const { label, to } = place;
    const titles = { sets: sets.map(objectTitle), pods: pods.map(podTitle) };
    const state = await this.#phase.gates.ask({ ...deletionGate(titles, place), id: place.id, step: this.#phase.input.step.id });
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
    return left.length === 0 ? [] : [keptAtOldProxy(left)];
  }

  /** The same way back, for the namespaces that go back. */
  async back(namespaces: readonly string[], to: string): Promise<void> {
    const sets = this.#setsIn(namespaces);
    if (sets.length === 0) return;
    const { activities, target } = this.#phase;
    const summary = `Delete pods of ${shown(sets.map(objectTitle))} one by one`;
    await this.#done(summary, sets, [], () =>
      activities.keep.rollBackByHand.executeWithOptions({ summary }, [{ ...target, sets, revision: to }]),
    );
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
    const roll = () => activities.keep.rollByHand.executeWithOptions({ summary }, [{ ...target, sets, pods, revision }]);
    await this.#done(summary, sets, pods, roll);
  }

  async #done(summary: string, sets: OnDeleteSet[], pods: NakedPod[], roll: () => Promise<{ stuck?: string }>): Promise<void> {
    this.#phase.now(deletingPods(summary, { sets: sets.map(objectTitle), pods: pods.map(podTitle) }));
    const { stuck } = await roll();
    if (stuck !== undefined) throw phaseFailed(`${summary}: ${stuck}; no further pod was deleted`);
  }
}

const podTitle = ({ namespace, name }: NakedPod): string => `Pod ${namespace}/${name}`;
