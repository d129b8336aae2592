/** A wave of namespaces to a new Istio revision: moved by label or by tag, verified by what runs, decided by people, moved back where it must. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import type { StepParams } from '../../../domain/plan/model/step-params.ts';
import type { TrafficReading } from '../../../domain/health/mesh/wave-health.ts';
import { gateId } from '../../contract/ids.ts';
import {
  heldNotMovedBack,
  movingWave,
  movingWaveBack,
  waveMovedBack,
  waveNotMovedBack,
  type WaveSeen,
} from '../../messages/istio/waves.ts';
import { namespacesLeftMesh } from '../../messages/istio/labels.ts';
import type { Phase } from '../base/phase.ts';
import { isRelabelled } from './rollback.ts';
import { RolledByHand } from './manual-restarts.ts';
import { CanaryGateways } from './gateways.ts';
import { verifyBack } from './verify-rollback.ts';
import { verifyWave } from './verify-wave.ts';
import { decideWave, type Outcome } from './decide-wave.ts';
import { contentsOf, shown, uninjectedIn, type Wave } from './wave-gates.ts';
import { WaveLabels } from './wave-labels.ts';
import { isOutside, WaveReads } from './wave-reads.ts';
import { CanaryTags } from './wave-tags.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { asPhaseFailure, phaseFailed } from '../../runtime/phase-failure.ts';
import type { GatewayBefore, RestartResult, WaveBaseline, WaveBefore } from '../../../activities/contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

type IstioParams = Extract<StepParams, { phase: 'istio' }>;

/** What goes back. `all`: people undo every wave. */
interface Back {
  before: WaveBefore[];
  gateways: GatewayBefore[];
  all?: boolean;
}

/** The waves of one canary. A tag is one switch for all namespaces that select it: they move on one after the other, and back together. */
export class CanaryWaves {
  readonly #phase: Phase;
  readonly #canary: IstioCanary;
  readonly #tags: CanaryTags;
  /** Namespaces that are on the new revision by a tag. */
  readonly #tagged: WaveBefore[] = [];
  /** Namespaces of waves that people approved, as they were before. */
  readonly #moved: WaveBefore[] = [];
  readonly #byHand: RolledByHand;
  readonly #labels: WaveLabels;
  readonly gateways: CanaryGateways;
  readonly #reads: WaveReads;
  /** Namespaces whose wave people approved. */
  readonly approved: string[] = [];

  constructor(phase: Phase, canary: IstioCanary, { moveBy, judgedBy, managedBy }: Pick<IstioParams, 'moveBy' | 'judgedBy' | 'managedBy'>) {
    this.#labels = new WaveLabels(phase, canary, managedBy);
    this.#phase = phase;
    this.#canary = canary;
    this.#tags = new CanaryTags(phase, canary, moveBy);
    this.#byHand = new RolledByHand(phase);
    this.gateways = new CanaryGateways(phase, canary);
    this.#reads = new WaveReads(phase, canary, { judgedBy, gateways: this.gateways });
  }

  /** The waves that still have to move: after a Retry those that an earlier round moved (or a later canary already has) stay as they are. */
  async open(ahead: readonly IstioCanary[]): Promise<Wave[]> {
    const waves = this.#canary.waves.map((namespaces, index) => ({ index, namespaces }));
    if (this.#phase.input.round === 1) return waves;
    const before = await this.#reads.read('Which namespaces have moved already?', this.#canary.waves.flat());
    const revisions = ahead.map((canary) => canary.toRevision);
    const moved = new Set(before.filter((b) => b.rev !== null && revisions.includes(b.rev)).map((b) => b.namespace));
    const open: Wave[] = [];
    for (const wave of waves) {
      const own = before.filter((b) => wave.namespaces.includes(b.namespace));
      // A tag's label says nothing about what its pods run.
      const gateways = this.gateways.of(wave.index).length === 0 ? [] : await this.gateways.read(wave.index);
      const inDoubt = own.some((b) => this.#tags.of(b) !== undefined || isRelabelled(this.#canary, b)) || gateways.length > 0;
      const runs = inDoubt && (await this.#reads.runsOneOf(ahead, wave, gateways));
      if (runs) {
        this.#tagged.push(...own.filter((b) => this.#tags.of(b) !== undefined));
        this.gateways.keep(gateways);
      } else if (gateways.length > 0) open.push(wave);
      else if (!wave.namespaces.every((namespace) => moved.has(namespace))) open.push(wave);
    }
    return open;
  }

  announce(wave: Wave): void {
    this.#phase.now(movingWave(this.#label(wave), contentsOf(this.#canary, wave.index)));
  }

  #label({ index }: Wave): string {
    const { toRevision, waves } = this.#canary;
    return `wave ${index + 1} of ${waves.length} to ${toRevision}`;
  }

  async move(planned: Wave): Promise<void> {
    const label = this.#label(planned);
    this.announce(planned);
    const holdsGateways = this.gateways.of(planned.index).length > 0;
    if (holdsGateways) await this.gateways.ask(planned.index, label);
    const { before: seen, gateways, traffic } = await this.#reads.look(planned, label, holdsGateways);
    const left = seen.filter(isOutside).map(({ namespace }) => namespace);
    if (left.length > 0) this.#phase.announcer.note(namespacesLeftMesh(left, label));
    const before = seen.filter((each) => !isOutside(each));
    const wave = { ...planned, namespaces: planned.namespaces.filter((name) => !left.includes(name)) };
    // One timestamp per move, made here: a retry restarts nothing twice.
    const restartedAt = new Date().toISOString();
    let decided: Outcome;
    try {
      const kept = await this.#moveAll(wave, before, restartedAt, label);
      const verified = await this.#verifyKept(wave, before, label, traffic, gateways);
      decided = await decideWave(
        this.#phase,
        { canary: this.#canary, wave, seen: { ...verified, left: kept }, earlier: this.approved, tags: this.#tags.all },
        label,
      );
    } catch (error) {
      const stopped = isCancellation(error);
      await CancellationScope.nonCancellable(() =>
        this.#back(wave, { before, gateways }, `${label} did not end well`, stopped ? 'unverified' : 'verified'),
      );
      throw error;
    }
    if (decided.kind === 'goes-on') {
      this.#tagged.push(...before.filter((b) => this.#tags.of(b) !== undefined));
      this.#moved.push(...before);
      this.approved.push(...wave.namespaces);
      this.gateways.keep(gateways);
      return;
    }
    const all = decided.kind === 'undo-all' ? [...this.#moved, ...before] : before;
    const back = { before: all, gateways, all: decided.kind === 'undo-all' };
    const isBack = await CancellationScope.nonCancellable(() =>
      this.#back(wave, back, decided.why, 'verified', decided.kind === 'undo-for-traffic' ? traffic?.before : undefined),
    );
    const { fromRevision } = this.#canary;
    if (isBack) throw phaseFailed(`Istio ${label} ${decided.was} and moved back to ${fromRevision}`);
    throw phaseFailed(`Istio ${label} ${decided.toBe ?? decided.was}, but could not be moved back to ${fromRevision}`);
  }

  async #moveAll(wave: Wave, before: WaveBefore[], restartedAt: string, label: string): Promise<string[]> {
    const { toRevision: revision } = this.#canary;
    const results: RestartResult[] = [];
    for (const tag of this.#tags.with(wave, before)) {
      const namespaces = before.filter((b) => this.#tags.of(b) === tag).map((b) => b.namespace);
      results.push(await this.#tags.move(tag, namespaces, restartedAt));
    }
    // Those that are gone meanwhile are in the wave and not among the labels that were read: the activity says so.
    const namespaces = wave.namespaces.filter((name) => !before.some((b) => b.namespace === name && this.#tags.of(b) !== undefined));
    if (namespaces.length > 0) results.push(await this.#labels.move(namespaces, restartedAt, label));
    const gateways = this.gateways.of(wave.index).filter(({ how }) => how !== 'follows');
    if (gateways.length > 0) results.push(await this.gateways.move(gateways, restartedAt, label));
    const { step, round } = this.#phase.input;
    const id = gateId('wave', step.id, round, `${revision}.${wave.index + 1}.pods`);
    return await this.#byHand.settle(results, { id, label, from: this.#canary.fromRevision, to: revision });
  }

  async #verifyKept(
    wave: Wave,
    before: WaveBefore[],
    label: string,
    traffic: WaveBaseline | undefined,
    gateways: GatewayBefore[],
  ): Promise<WaveSeen> {
    const labelled = before.filter((b) => this.#tags.of(b) === undefined).map((b) => b.namespace);
    const rolled = this.#byHand.seenIn([...wave.namespaces, ...gateways.map(({ namespace }) => namespace)]);
    const wanted = {
      namespaces: wave.namespaces,
      ...rolled,
      ...(gateways.length === 0 ? {} : { gateways }),
      ...(labelled.length === 0 ? {} : { labelled }),
    };
    let look = 0;
    return await this.#labels.keepWhile(label, () => {
      look += 1;
      return verifyWave(this.#phase, this.#canary, { index: wave.index, label, look, wanted, traffic });
    });
  }

  /** False where something holds pods on the new revision. That is said loudly; the phase fails for the reason that it failed for. `traffic`: how it was before the move. */
  async #back(wave: Wave, own: Back, why: string, verified: 'verified' | 'unverified', traffic?: TrafficReading): Promise<boolean> {
    const isBack = await this.#tryBack(wave, own, why, verified, traffic);
    if (isBack) return true;
    // They are to go back after all, so what they were before is not forgotten.
    const tried = new Set([...this.#tagged, ...own.before].map(({ namespace }) => namespace));
    this.approved.splice(0, Infinity, ...this.approved.filter((namespace) => !tried.has(namespace)));
    if (own.all === true) this.gateways.approved.length = 0;
    return false;
  }

  async #tryBack(wave: Wave, own: Back, why: string, verified: 'verified' | 'unverified', traffic?: TrafficReading): Promise<boolean> {
    const { cluster, activities, announcer } = this.#phase;
    const { fromRevision } = this.#canary;
    const all = [...new Map([...this.#tagged, ...own.before].map((b) => [b.namespace, b])).values()];
    const names = all.map((b) => b.namespace);
    const backTags = this.#tags.with(wave, all);
    let gateways = this.gateways.back(own.gateways, backTags, own.all === true);
    const whatOf = (): string[] => [
      ...names,
      ...gateways.filter(({ how }) => how !== 'follows').map(({ namespace, name }) => `${namespace}/${name}`),
    ];
    const what = whatOf();
    this.#phase.now(movingWaveBack({ names: what, to: fromRevision, why }));
    const tags = backTags.map((tag) => ({ tag, revision: fromRevision }));
    try {
      const { held = [] } = await activities.survey.moveBack.executeWithOptions({ summary: `Move the wave back to ${fromRevision}` }, [
        {
          cluster,
          before: all,
          ...(tags.length === 0 ? {} : { tags }),
          ...(gateways.length === 0 ? {} : { gateways }),
          restartedAt: new Date().toISOString(),
          ...uninjectedIn(this.#canary),
        },
      ]);
      for (const { what: pointer, by } of held) {
        const left = { what: pointer, why: `it belongs to ${by}` };
        this.#phase.notRestored(left, heldNotMovedBack(pointer, { by, to: fromRevision }), { saysHow: true });
      }
      await this.#byHand.back(names, fromRevision);
      // A tag or labels that stay hold their pods on the new revision; a gateway that its owners keep stays there by itself.
      const titles = gateways.map(objectTitle);
      if (held.some((each) => !titles.includes(each.what))) return false;
      gateways = gateways.filter((gateway) => !held.some((each) => each.what === objectTitle(gateway)));
      if (held.length > 0 && whatOf().length === 0) return false;
    } catch (error) {
      const problem = asPhaseFailure('moving back', error).message;
      const left = { what: `Istio revision of ${shown(what)}`, why: problem };
      this.#phase.notRestored(left, waveNotMovedBack(what, { to: fromRevision, problem }));
      return false;
    }
    const proof =
      verified === 'verified'
        ? await verifyBack(this.#phase, this.#canary, names, {
            ...this.#byHand.seenIn(names),
            ...(gateways.length === 0 ? {} : { gateways }),
            ...defined({ before: traffic }),
          })
        : undefined;
    announcer.note(waveMovedBack({ names: whatOf(), to: fromRevision, why }, proof));
    return true;
  }
}
