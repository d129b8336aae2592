/** The revision tags of a canary: which namespaces each moves, and the move itself, by Belay or by who owns the tag. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import { moveTag } from '../../messages/istio/labels.ts';
import type { Phase } from '../base/phase.ts';
import { paramsOf } from '../../contract/phase.ts';
import { uninjectedIn, type Wave } from './wave-gates.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { HeldPointer, RestartResult, WaveBefore } from '../../../activities/contract/istio-objects.ts';

type MoveBy = Extract<StepParams, { phase: 'istio' }>['moveBy'];

export class CanaryTags {
  readonly #phase: Phase;
  readonly #canary: IstioCanary;
  /** None: every namespace is moved by its label. */
  readonly all: readonly string[];

  constructor(phase: Phase, canary: IstioCanary, moveBy: MoveBy) {
    this.#phase = phase;
    this.#canary = canary;
    this.all = moveBy === 'tag' ? (canary.tags ?? []) : [];
  }

  /** The tag that the namespace selects; undefined: it is moved by its own label. */
  of({ injection, rev }: WaveBefore): string | undefined {
    const selected = injection === null ? rev : injection === 'enabled' ? 'default' : null;
    return this.all.find((tag) => tag === selected);
  }

  /** Those that go with a wave: with the last one every tag, also those that only pods select. */
  with(wave: Wave, namespaces: readonly WaveBefore[]): string[] {
    const last = wave.index === this.#canary.waves.length - 1;
    const restarted = (this.#canary.gateways ?? []).filter((each) => each.wave === wave.index && each.how === 'restart');
    return this.all.filter((tag) => last || namespaces.some((b) => this.of(b) === tag) || restarted.some((each) => each.tag === tag));
  }

  /** Points the tag at the new revision and restarts the namespaces' workloads; who owns it is asked first where a patch would be put back. */
  async move(tag: string, namespaces: string[], restartedAt: string): Promise<RestartResult> {
    const { cluster, activities } = this.#phase;
    const { toRevision: revision } = this.#canary;
    const move = () =>
      activities.survey.moveTag.executeWithOptions({ summary: `Tag ${tag} → ${revision}` }, [
        { cluster, tag, revision, namespaces, restartedAt, ...uninjectedIn(this.#canary) },
      ]);
    const moved = await move();
    if (moved.held === undefined) return moved;
    await this.#askFor(tag, moved.held);
    return await move();
  }

  /** Its owner would put a patch back. Once it has moved the tag there, only the restart is left to do. */
  async #askFor(tag: string, { what, by }: HeldPointer): Promise<void> {
    const { activities, target, input } = this.#phase;
    const { toRevision: revision } = this.#canary;
    const managedBy = paramsOf(input, 'istio').managedBy;
    this.#phase.ask(moveTag(tag, revision, { what, by, managedBy }));
    const { moved } = await activities.watch.awaitIstioPointers.executeWithOptions(
      { summary: `Wait until tag ${tag} points at ${revision}` },
      [{ ...target, tags: [tag], validator: false, revision }],
    );
    if (!moved) throw phaseFailed(`Waiting for tag ${tag}: it does not point at ${revision}`);
  }
}
