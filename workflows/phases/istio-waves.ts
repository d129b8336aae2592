/** A wave of namespaces to a new Istio revision: moved by label or by tag, verified by what runs, decided by people, moved back where it must. */
import { CancellationScope } from '@temporalio/workflow';
import type { HeldPointer, WaveBefore } from '../../activities/contract.ts';
import type { IstioCanary } from '../../domain/plan/types.ts';
import { CHOICES } from '../gates.ts';
import { gateId } from '../ids.ts';
import { asPhaseFailure, paramsOf, type Phase, phaseFailed } from '../phase.ts';

export interface Wave {
  index: number;
  namespaces: string[];
}

/** The waves of one canary. A tag is one switch for all namespaces that select it: they move on one after the other, and back together. */
export class CanaryWaves {
  readonly #phase: Phase;
  readonly #canary: IstioCanary;
  /** undefined: every namespace is moved by its label. */
  readonly #tags: readonly string[];
  /** Namespaces that are on the new revision by a tag. */
  readonly #tagged: WaveBefore[] = [];
  /** Namespaces whose wave people approved. */
  readonly approved: string[] = [];

  constructor(phase: Phase, canary: IstioCanary, byTag: boolean) {
    this.#phase = phase;
    this.#canary = canary;
    this.#tags = byTag ? (canary.tags ?? []) : [];
  }

  /** The waves that still have to move: after a Retry those that an earlier round moved (or a later canary already has) stay as they are. */
  async open(ahead: readonly IstioCanary[]): Promise<Wave[]> {
    const waves = this.#canary.waves.map((namespaces, index) => ({ index, namespaces }));
    if (this.#phase.input.round === 1) return waves;
    const before = await this.#read('Which namespaces have moved already?', this.#canary.waves.flat());
    const revisions = ahead.map((canary) => canary.toRevision);
    const moved = new Set(before.filter((b) => b.rev !== null && revisions.includes(b.rev)).map((b) => b.namespace));
    const open: Wave[] = [];
    for (const wave of waves) {
      const own = before.filter((b) => wave.namespaces.includes(b.namespace));
      // A tag's label says nothing about what its pods run.
      const runs = own.some((b) => this.#tagOf(b) !== undefined) && (await this.#runsOneOf(ahead, wave));
      if (runs) this.#tagged.push(...own.filter((b) => this.#tagOf(b) !== undefined));
      else if (!wave.namespaces.every((namespace) => moved.has(namespace))) open.push(wave);
    }
    return open;
  }

  async move(wave: Wave): Promise<void> {
    const phase = this.#phase;
    const { fromRevision, toRevision, waves } = this.#canary;
    const label = `wave ${wave.index + 1} of ${waves.length} to ${toRevision}`;
    phase.now(`Moving ${label}: ${shown(wave.namespaces)}.`);
    const before = await this.#read(`Remember the labels of ${label}`, wave.namespaces);
    // One timestamp per move, made here: a retry restarts nothing twice.
    const restartedAt = new Date().toISOString();
    let decided: string;
    try {
      await this.#moveAll(wave, before, restartedAt, label);
      const podCount = await this.#verify(wave.namespaces, label);
      decided = await this.#askAfter(wave, podCount);
    } catch (error) {
      await CancellationScope.nonCancellable(() => this.#back(wave, before, `${label} did not end well`));
      throw error;
    }
    if (decided === 'approve') {
      this.#tagged.push(...before.filter((b) => this.#tagOf(b) !== undefined));
      this.approved.push(...wave.namespaces);
      return;
    }
    await this.#back(wave, before, decided === 'reject' ? 'people rejected it' : 'nobody decided in time');
    throw phaseFailed(`Istio ${label} was ${decided === 'reject' ? 'rejected' : 'not decided in time'} and moved back to ${fromRevision}`);
  }

  async #read(summary: string, namespaces: string[]): Promise<WaveBefore[]> {
    const { quick } = this.#phase.activities;
    return (await quick.readWave.executeWithOptions({ summary }, [{ cluster: this.#phase.cluster, namespaces }])).before;
  }

  /** The tag of this canary that the namespace selects; undefined: it is moved by its own label. */
  #tagOf({ injection, rev }: WaveBefore): string | undefined {
    const selected = injection === null ? rev : injection === 'enabled' ? 'default' : null;
    return this.#tags.find((tag) => tag === selected);
  }

  /** With the last wave every tag goes, also those that only pods select. */
  #tagsOf(wave: Wave, namespaces: readonly WaveBefore[]): string[] {
    const last = wave.index === this.#canary.waves.length - 1;
    return this.#tags.filter((tag) => last || namespaces.some((b) => this.#tagOf(b) === tag));
  }

  async #moveAll(wave: Wave, before: WaveBefore[], restartedAt: string, label: string): Promise<void> {
    const { cluster, activities, announcer } = this.#phase;
    const { toRevision: revision } = this.#canary;
    const skipped: { workload: string; why: string }[] = [];
    for (const tag of this.#tagsOf(wave, before)) {
      const namespaces = before.filter((b) => this.#tagOf(b) === tag).map((b) => b.namespace);
      const move = () =>
        activities.survey.moveTag.executeWithOptions({ summary: `Tag ${tag} → ${revision}` }, [
          { cluster, tag, revision, namespaces, restartedAt },
        ]);
      let moved = await move();
      if (moved.held !== undefined) {
        await this.#askForTag(tag, moved.held);
        moved = await move();
      }
      skipped.push(...moved.skipped);
    }
    // Those that are gone meanwhile are in the wave and not among the labels that were read: the activity says so.
    const namespaces = wave.namespaces.filter((name) => !before.some((b) => b.namespace === name && this.#tagOf(b) !== undefined));
    if (namespaces.length > 0) {
      const moved = await activities.survey.moveNamespaces.executeWithOptions({ summary: `Move ${label}` }, [
        { cluster, namespaces, revision, restartedAt },
      ]);
      skipped.push(...moved.skipped);
    }
    if (skipped.length === 0) return;
    const some = skipped.slice(0, 5).map((s) => `${s.workload} (${s.why})`);
    const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : '';
    announcer.note(`Not restarted in ${label}: ${some.join('; ')}${more}.`, { level: 'warning' });
  }

  /** Its owner would put a patch back. Once it has moved the tag there, only the restart is left to do. */
  async #askForTag(tag: string, { what, by }: HeldPointer): Promise<void> {
    const { activities, target, input } = this.#phase;
    const { toRevision: revision } = this.#canary;
    const managedBy = paramsOf(input, 'istio').managedBy;
    this.#phase.ask(
      { component: 'istio-tag', name: tag, version: revision, managedBy },
      `Please point ${what} at ${revision} where it is declared: it belongs to ${by}, which would put a patch back. ` +
        `\`istioctl tag generate ${tag} --revision ${revision} --overwrite\` prints it. Belay goes on when it points there.`,
    );
    const { moved } = await activities.watch.awaitIstioPointers.executeWithOptions(
      { summary: `Wait until tag ${tag} points at ${revision}` },
      [{ ...target, tags: [tag], validator: false, revision }],
    );
    if (!moved) throw phaseFailed(`Waiting for tag ${tag}: it does not point at ${revision}`);
  }

  async #verify(namespaces: string[], label: string): Promise<number> {
    const { activities, target, timing } = this.#phase;
    const { toRevision: revision, toMinor: minor } = this.#canary;
    const seen = await activities.watch.awaitProxies.executeWithOptions({ summary: `Verify and watch proxies of ${label}` }, [
      { ...target, namespaces, revision, minor, watchMs: timing.waveBakeMs },
    ]);
    if (seen.ok) return seen.podCount;
    throw phaseFailed(
      `Verifying ${label}: ${seen.wrong.length === 0 ? 'rollouts did not finish in time' : seen.wrong.slice(0, 3).join('; ')}`,
    );
  }

  /** One look, without waiting. A wave without pods shows nothing. */
  async #runsOneOf(canaries: readonly IstioCanary[], { namespaces }: Wave): Promise<boolean> {
    const { activities, cluster, timing } = this.#phase;
    for (const { toRevision: revision, toMinor: minor } of canaries) {
      const seen = await activities.watch.awaitProxies.executeWithOptions(
        { summary: `Does ${shown(namespaces)} run ${revision} already?` },
        [{ cluster, timing: { ...timing, rolloutTimeoutMs: 1 }, namespaces, revision, minor }],
      );
      if (seen.ok && seen.podCount > 0) return true;
    }
    return false;
  }

  async #askAfter(wave: Wave, podCount: number): Promise<string> {
    const { input, gates } = this.#phase;
    const { fromRevision, toRevision, waves } = this.#canary;
    const next = waves[wave.index + 1];
    const withTags =
      this.#tags.length > 0 ? `; namespaces that select tag ${this.#tags.join(' or ')} go back together, those of earlier waves too` : '';
    const state = await gates.ask({
      id: gateId('wave', input.step.id, input.round, `${toRevision}.${wave.index + 1}`),
      step: input.step.id,
      title: `Istio ${toRevision}: wave ${wave.index + 1} of ${waves.length} is through: go on?`,
      next: next === undefined ? `Checks whether ${fromRevision} can be retired.` : `Moves ${next.length} more namespaces: ${shown(next)}.`,
      evidence: [{ title: shown(wave.namespaces), lines: [`${podCount} pods verified on ${toRevision} by annotation and proxy image`] }],
      undo: `Reject moves this wave back to ${fromRevision} (a rolling restart)${withTags}. Later, waves can be moved back until ${fromRevision} is retired.`,
      choices: [
        { ...CHOICES.approve, does: next === undefined ? 'Ends the waves of this revision.' : 'Moves the next wave.' },
        { ...CHOICES.reject, does: `Moves this wave back to ${fromRevision}${withTags === '' ? '; earlier waves stay' : withTags}.` },
      ],
    });
    return state.kind === 'decided' ? state.decision.choice : 'expired';
  }

  /** What could not be moved back is said loudly; the phase fails for the reason that it failed for. */
  async #back(wave: Wave, before: WaveBefore[], why: string): Promise<void> {
    const { cluster, activities, announcer } = this.#phase;
    const { fromRevision } = this.#canary;
    const all = [...this.#tagged, ...before];
    const names = all.map((b) => b.namespace);
    this.#phase.now(`Moving ${shown(names)} back to ${fromRevision}, because ${why}.`);
    const tags = this.#tagsOf(wave, all).map((tag) => ({ tag, revision: fromRevision }));
    try {
      const { held = [] } = await activities.survey.moveBack.executeWithOptions({ summary: `Move the wave back to ${fromRevision}` }, [
        { cluster, before: all, ...(tags.length === 0 ? {} : { tags }), restartedAt: new Date().toISOString() },
      ]);
      for (const { what, by } of held) {
        this.#phase.notRestored(
          { what, why: `it belongs to ${by}` },
          `${what} belongs to ${by} and was not moved back: point it at ${fromRevision} there, then restart the workloads that select it.`,
        );
      }
      if (held.length > 0) return;
    } catch (error) {
      const what = `Istio revision of ${shown(names)}`;
      const problem = asPhaseFailure('moving back', error).message;
      this.#phase.notRestored(
        { what, why: problem },
        `${what} could not be moved back to ${fromRevision}: ${problem}. Their labels before stand in annotation belay.dev/istio-before.`,
      );
      return;
    }
    announcer.note(`Istio: ${shown(names)} moved back to ${fromRevision}, because ${why}.`, { level: 'warning' });
  }
}

const shown = (names: readonly string[]): string =>
  names.length > 6 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : names.join(', ');
