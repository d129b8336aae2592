/** Nodes that cannot be replaced or drained, asked about beside the roll: one gate for all of them, withdrawn when nothing holds them any more. */
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { count } from '../../../domain/core/text.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import type { BlockedNodes } from './blocked-nodes.ts';
import { blockedOf } from './blocked-of.ts';
import {
  blockedNodesChanged,
  blockedNodesDecided,
  blockedNodesGate,
  noLongerBlocked,
  rollContinues,
} from '../../messages/nodes/blocked-nodes.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export class HeldNodes {
  readonly #phase: Phase;
  readonly #nodes: BlockedNodes;
  /** Whoever waits for the world looks again. */
  readonly #onChange: () => void;
  #asked: readonly string[] = [];
  /** Why the open gate is not needed any more. */
  #withdrawn: string | undefined;
  #gate: Promise<void> = Promise.resolve();
  #isOpen = false;
  /** When people are asked once more about what they have decided. */
  #againAtMs: number | undefined;
  #failure: unknown;
  #changes = 0;
  readonly #scope = new CancellationScope({ cancellable: true });

  constructor(phase: Phase, nodes: BlockedNodes, onChange: () => void) {
    this.#phase = phase;
    this.#nodes = nodes;
    this.#onChange = onChange;
  }

  /** Names of those that a gate is open for, or that people have decided about: only a change of them is news. */
  get asked(): string[] {
    return [...this.#asked];
  }

  /** How long until they are asked once more. */
  get againMs(): number | undefined {
    return this.#againAtMs === undefined ? undefined : Math.max(1, this.#againAtMs - Date.now());
  }

  /** What went wrong at a gate or with what was chosen there. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The time has come: what is still held is news again. */
  askAgain(): void {
    this.#asked = [];
    this.#againAtMs = undefined;
  }

  /** Would they be asked about anew? */
  isNews(nodes: readonly BlockedNode[]): boolean {
    return namesOf(nodes).join() !== this.#asked.join();
  }

  /**
   * `progress`: "3 nodes replaced, 2 to go", as it is when it is asked for: the roll goes on beside the gate. Resolves at once, or, where all of this is
   * known, when something has changed.
   */
  async hear(nodes: readonly [BlockedNode, ...BlockedNode[]], progress: () => string): Promise<void> {
    const names = namesOf(nodes);
    if (!this.isNews(nodes)) {
      const changes = this.#changes;
      const againMs = this.againMs;
      const isChanged = (): boolean => this.#changes !== changes;
      if (againMs === undefined) return await condition(isChanged);
      if (!(await condition(isChanged, againMs, { summary: 'Until people are asked once more' }))) this.askAgain();
      return;
    }
    await this.#withdraw(blockedNodesChanged(names));
    this.#asked = names;
    this.#againAtMs = undefined;
    this.#isOpen = true;
    // What was chosen for the nodes before is done first.
    const asking = this.#gate.then(() => this.#scope.run(() => this.#ask(nodes, names, progress)));
    this.#gate = asking.catch((error: unknown) => {
      this.#isOpen = false;
      if (!isCancellation(error)) this.#failure = error;
      this.#changed();
    });
  }

  /** Nothing holds them any more. */
  async freed(): Promise<void> {
    const names = this.#asked;
    const isOpen = this.#isOpen;
    await this.#withdraw(noLongerBlocked(names));
    this.askAgain();
    if (isOpen) this.#phase.now(rollContinues(names));
  }

  /** The roll is over, or stopped: nobody is asked any more. What was chosen has been done, or is cut off. */
  async end(why: string): Promise<void> {
    await this.#withdraw(why);
    this.#scope.cancel();
    await this.#gate;
  }

  async #withdraw(why: string): Promise<void> {
    if (!this.#isOpen) return;
    this.#withdrawn = why;
    // Whoever waits here may be called off, while what was chosen before is still being done: the next gate is none of those that are withdrawn.
    try {
      await condition(() => !this.#isOpen);
    } finally {
      this.#withdrawn = undefined;
    }
  }

  async #ask(nodes: readonly [BlockedNode, ...BlockedNode[]], names: readonly string[], progress: () => string): Promise<void> {
    const phase = this.#phase;
    const [first] = nodes;
    const { id: step } = phase.input.step;
    const id = gateId('blocked', step, this.#nodes.round(first), first.node);
    const request = {
      id,
      step,
      ...blockedNodesGate(nodes, { progress: progress(), at: new Date().toISOString() }),
      blocked: blockedOf(nodes),
    };
    const state = await phase.gates.ask(request, () => this.#withdrawn);
    this.#isOpen = false;
    if (state.kind === 'withdrawn') return;
    const which = nodes.length === 1 ? `Node ${first.node}` : count(nodes.length, 'node');
    if (state.kind !== 'decided') throw phaseFailed(`${which} cannot be replaced (${first.reason}), and nobody decided in time`);
    const { choice } = state.decision;
    const label = state.gate.choices.find(({ id }) => id === choice)?.label ?? choice;
    phase.now(blockedNodesDecided(nodes, label, progress()));
    const isDone = await this.#nodes.act(state.decision, nodes);
    // Another list is asked about by now: when that happens again is not for this one to say.
    if (this.#asked !== names) return this.#changed();
    const { timing } = phase;
    // What people wait for is not asked after a minute; what they have done something about should have moved by then.
    this.#againAtMs =
      Date.now() + (choice === 'wait' ? timing.gateDeadlineMs * Math.min(1, ...timing.gateReminders) : timing.driftBlockedAfterMs);
    if (choice === 'skip-node' || !isDone) this.askAgain();
    this.#changed();
  }

  #changed(): void {
    this.#changes += 1;
    this.#onChange();
  }
}

const namesOf = (nodes: readonly BlockedNode[]): string[] => nodes.map(({ node }) => node).toSorted();
