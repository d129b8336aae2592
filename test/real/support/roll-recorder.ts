/** Follows which NodeClaims a real Karpenter begins to replace, and what held it back at that moment. */
import { isTrue } from '../../../rehearsal/controllers/conditions.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';
import { isFrozen } from './recorder.ts';

/** Karpenter decides with what its watches have brought: a change of the budgets takes a moment to arrive. */
const ARRIVES_MS = 2_000;
const HOLD = 'karpenter.sh/do-not-disrupt';

interface Start {
  claim: string;
  /** The pool's budgets allowed nothing, and had for a while. */
  frozen: boolean;
  /** The node was kept for a later wave. */
  held: boolean;
}

export class RollRecorder {
  /** In order. Karpenter says so by the condition DisruptionReason, before it launches anything. */
  readonly started: Start[] = [];
  readonly before: readonly string[];
  mostAtOnceCount = 0;
  readonly #stage: Stage;
  #frozenSinceMs: number | undefined;
  readonly #stop: () => void;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.before = stage.built.world.store.list('nodeclaims').map(({ metadata }) => metadata.name);
    this.#stop = stage.built.world.store.watch(({ plural, object, type }) => {
      if (plural === 'nodepools') this.#note(object);
      if (plural === 'nodeclaims' && type !== 'DELETED') this.#see(object);
    });
  }

  /** Those of the beginning that are gone. */
  get gone(): string[] {
    const there = new Set(this.#stage.built.world.store.list('nodeclaims').map(({ metadata }) => metadata.name));
    return this.before.filter((name) => !there.has(name));
  }

  /** What counts a pool's nodes against its budgets. */
  get underWay(): number {
    return this.#stage.built.world.store.list('nodeclaims').filter(isDisrupted).length;
  }

  close(): void {
    this.#stop();
  }

  #note(pool: KubeObject): void {
    if (pool.metadata.name !== 'default') return;
    this.#frozenSinceMs = isFrozen(pool.spec?.disruption?.budgets ?? []) ? (this.#frozenSinceMs ?? performance.now()) : undefined;
  }

  #see(claim: KubeObject): void {
    const { name } = claim.metadata;
    if (!isDisrupted(claim) || this.started.some((start) => start.claim === name)) return;
    const node = this.#stage.built.world.store.get('nodes', String(claim.status?.nodeName));
    const frozen = this.#frozenSinceMs !== undefined && performance.now() - this.#frozenSinceMs > ARRIVES_MS;
    this.started.push({ claim: name, frozen, held: node?.metadata.annotations?.[HOLD] !== undefined });
    this.mostAtOnceCount = Math.max(this.mostAtOnceCount, this.underWay);
  }
}

const isDisrupted = (claim: KubeObject): boolean => isTrue(claim, 'DisruptionReason');
