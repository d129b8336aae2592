/** A wave by its namespaces' labels: where they are declared in Git, who keeps them is asked; a label that falls back is said at once. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { someOf } from '../../../domain/core/text.ts';
import { keepLabels, labelNamespaces, labelsReverted } from '../../messages/istio/labels.ts';
import type { Phase } from '../base/phase.ts';
import { uninjectedIn } from './wave-gates.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { HeldLabels, RestartResult } from '../../../activities/contract/istio-objects.ts';

export interface Reverted {
  /** Absent: all labels are as they were moved. */
  reverted?: { namespace: string; now: string }[];
}

/** Labels that fall back more often than this have an owner whom nobody has found. */
const REVERTS = 3;

export class WaveLabels {
  readonly #phase: Phase;
  readonly #canary: IstioCanary;
  readonly #managedBy: string;

  constructor(phase: Phase, canary: IstioCanary, managedBy: string) {
    this.#phase = phase;
    this.#canary = canary;
    this.#managedBy = managedBy;
  }

  /** Once labels that others keep say so in the cluster, only the restart is left to do. */
  async move(namespaces: string[], restartedAt: string, label: string): Promise<RestartResult> {
    const { cluster, activities } = this.#phase;
    const { toRevision: revision } = this.#canary;
    const move = () =>
      activities.survey.moveNamespaces.executeWithOptions({ summary: `Move ${label}` }, [
        { cluster, namespaces, revision, restartedAt, ...uninjectedIn(this.#canary) },
      ]);
    const moved = await move();
    if (moved.heldLabels === undefined) return moved;
    await this.#askForThem(moved.heldLabels);
    return await move();
  }

  /** Looks until nothing falls back any more: what has is asked for, moved and looked at again. */
  async keepWhile<Seen extends Reverted>(label: string, look: () => Promise<Seen>): Promise<Seen> {
    for (let reverts = 0; ; reverts += 1) {
      const seen = await look();
      if (seen.reverted === undefined) return seen;
      if (reverts === REVERTS) throw phaseFailed(`Verifying ${label}: its labels are reverted again and again; find out by whom`);
      await this.#askToKeep(seen.reverted);
      const names = seen.reverted.map(({ namespace }) => namespace);
      await this.move(names, new Date().toISOString(), label);
    }
  }

  async #askForThem(held: readonly HeldLabels[]): Promise<void> {
    const { toRevision: revision } = this.#canary;
    const names = held.map(({ namespace }) => namespace);
    const keepers = [...new Set(held.map(({ by }) => by))];
    this.#phase.ask(labelNamespaces(names, revision, { keepers, managedBy: this.#managedBy }));
    await this.#untilMoved(names);
  }

  /** New pods there would get the old revision. */
  async #askToKeep(reverted: NonNullable<Reverted['reverted']>): Promise<void> {
    const { toRevision: revision, fromRevision } = this.#canary;
    const names = reverted.map(({ namespace }) => namespace);
    this.#phase.announcer.note(labelsReverted(reverted, fromRevision));
    this.#phase.ask(keepLabels(names, revision, this.#managedBy));
    await this.#untilMoved(names);
  }

  async #untilMoved(namespaces: string[]): Promise<void> {
    const { toRevision: revision } = this.#canary;
    const { moved, left } = await this.#phase.activities.watch.awaitNamespaceLabels.executeWithOptions(
      { summary: `Wait until the labels of ${someOf(namespaces)} say ${revision}` },
      [{ ...this.#phase.target, namespaces, revision }],
    );
    if (!moved) throw phaseFailed(`Waiting for the labels of ${someOf(left)}: they do not say istio.io/rev=${revision}`);
  }
}
