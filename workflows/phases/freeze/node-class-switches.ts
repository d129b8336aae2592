/** NodePools that the plan points at other EC2NodeClasses: done as soon as the freeze stands, undone before a freeze goes without a roll. */
import { CancellationScope } from '@temporalio/workflow';
import {
  nodeClassesNotRestored,
  nodeClassesRestored,
  nodeClassSwitched,
  switchNodeClass,
  switchNodeClassBack,
  withdrawNodeClassSwitch,
} from '../../messages/karpenter/node-classes.ts';
import type { Phase } from '../base/phase.ts';
import type { NodeClassSwitch } from '../../../domain/facts/facts.ts';
import { paramsOf } from '../../contract/phase.ts';
import { asPhaseFailure, phaseFailed } from '../../runtime/phase-failure.ts';

export class NodeClassSwitches {
  readonly #phase: Phase;
  readonly #own: NodeClassSwitch[];
  readonly #asked: NodeClassSwitch[];
  #made = false;
  #arrived = false;

  constructor(phase: Phase) {
    const { switches = [] } = paramsOf(phase.input, 'freeze-drift');
    this.#phase = phase;
    this.#own = switches.filter(({ owner }) => owner === undefined);
    this.#asked = switches.filter(({ owner }) => owner !== undefined);
  }

  get any(): boolean {
    return this.#own.length + this.#asked.length > 0;
  }

  async make(): Promise<void> {
    const { activities, cluster, announcer } = this.#phase;
    if (this.#own.length > 0) {
      // Also when the call fails halfway: what was written has to be found again.
      this.#made = true;
      await CancellationScope.nonCancellable(() =>
        activities.quick.switchNodeClasses.executeWithOptions({ summary: `Switch the node classes of ${namesOf(this.#own)}` }, [
          { cluster, switches: this.#own },
        ]),
      );
      for (const each of this.#own) announcer.note(nodeClassSwitched(each));
    }
    if (this.#asked.length > 0) await this.#ask();
  }

  async #ask(): Promise<void> {
    const phase = this.#phase;
    for (const each of this.#asked) phase.ask(switchNodeClass(each));
    const { left } = await phase.activities.watch.awaitNodeClassSwitches.executeWithOptions(
      { summary: `Wait for the merge of ${namesOf(this.#asked)}` },
      [{ ...phase.target, switches: this.#asked }],
    );
    if (left.length > 0) throw phaseFailed(`Waiting for the node class of ${left.join(', ')}: nobody has changed the NodePool`);
    this.#arrived = true;
  }

  /** Budgets may come back only when it is known that nodes roll, or have nothing to roll to. A sentence: why they may not. */
  async settle(rolled: boolean): Promise<string | undefined> {
    const { activities, cluster } = this.#phase;
    if (rolled) {
      if (this.#made) {
        await activities.owed.forgetNodeClassSwitches.executeWithOptions({ summary: 'Forget the node classes before' }, [
          { cluster, switches: this.#own },
        ]);
      }
      return undefined;
    }
    if (this.#arrived) await this.#askBack();
    else if (this.#asked.length > 0) {
      this.#phase.announcer.note(withdrawNodeClassSwitch(this.#asked.map(({ nodePool }) => nodePool)));
    }
    return this.#made ? await this.#undo() : undefined;
  }

  async #undo(): Promise<string | undefined> {
    const { activities, cluster, announcer } = this.#phase;
    let failed: { nodePool: string; why: string }[];
    try {
      const result = await activities.owed.undoNodeClassSwitches.executeWithOptions(
        { summary: `Point ${namesOf(this.#own)} at the node classes from before` },
        [{ cluster, switches: this.#own }],
      );
      failed = result.failed;
      if (result.undone.length > 0) announcer.note(nodeClassesRestored(result.undone));
    } catch (error) {
      failed = [{ nodePool: namesOf(this.#own), why: asPhaseFailure('switching back', error).message }];
    }
    if (failed.length === 0) return undefined;
    const text = failed.map(({ nodePool, why }) => `${nodePool}: ${why}`).join('; ');
    announcer.note(nodeClassesNotRestored(text));
    return text;
  }

  /** Without the merge back every node of the pools would be replaced as soon as the budgets return. */
  async #askBack(): Promise<void> {
    const phase = this.#phase;
    const back = this.#asked.map((each) => ({ ...each, from: each.to, to: each.from }));
    for (const each of this.#asked) phase.ask(switchNodeClassBack(each));
    await phase.activities.watch.awaitNodeClassSwitches.executeWithOptions({ summary: `Wait for the merge back of ${namesOf(back)}` }, [
      { ...phase.target, timing: { ...phase.timing, askTimeoutMs: Number.MAX_SAFE_INTEGER }, switches: back },
    ]);
  }
}

const namesOf = (switches: readonly NodeClassSwitch[]): string => switches.map(({ nodePool }) => nodePool).join(', ');
