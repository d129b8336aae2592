/** A node that drift cannot replace: a gate asks what to do about it, and what was done for its sake is undone. */
import { ApplicationFailure } from '@temporalio/workflow';
import { actorName } from '../../../domain/gates/actor.ts';
import { takesNewPods } from '../../../domain/facts/disruption/new-pods.ts';
import type { Decision } from '../../../domain/gates/gate.ts';
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf, rootCause } from '../../runtime/root-cause.ts';
import { BlockedDeeds } from './blocked-actions.ts';
import { blockedOf } from './blocked-of.ts';
import { blockedNodesDecided, blockedNodesGate, nodeChangeNotRestored } from '../../messages/nodes/blocked-nodes.ts';
import { replicasChangedByOthers } from '../../messages/nodes/nodes.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

type Workload = NonNullable<BlockedNode['workload']>;

export class BlockedNodes {
  readonly #phase: Phase;
  readonly #deeds: BlockedDeeds;
  readonly #scaled: Workload[] = [];
  readonly #held: string[] = [];
  readonly #cordoned = new Set<string>();
  readonly #rounds = new Map<string, number>();

  constructor(phase: Phase) {
    this.#phase = phase;
    this.#deeds = new BlockedDeeds(phase);
  }

  /** Nodes that approvers chose to leave as they are. */
  get skipped(): string[] {
    return this.#held;
  }

  /** `progress`: "3 nodes replaced, 2 to go". */
  async ask(node: BlockedNode, progress: string): Promise<void> {
    const phase = this.#phase;
    const round = this.round(node);
    const state = await phase.gates.ask({
      id: gateId('blocked', phase.input.step.id, round, node.node),
      step: phase.input.step.id,
      ...blockedNodesGate([node], { progress, at: new Date().toISOString() }),
      blocked: blockedOf([node]),
    });
    if (state.kind !== 'decided') throw phaseFailed(`Node ${node.node} cannot be replaced (${node.reason}), and nobody decided in time`);
    const label = state.gate.choices.find((c) => c.id === state.decision.choice)?.label ?? state.decision.choice;
    phase.now(blockedNodesDecided([node], label, progress));
    await this.act(state.decision, [node]);
  }

  /** Counts the gates that are named after this node. A step that is retried counts on: what was decided in it before is for none of its gates. */
  round({ node }: BlockedNode): number {
    const look = (this.#rounds.get(node) ?? 0) + 1;
    this.#rounds.set(node, look);
    return (this.#phase.input.round - 1) * 100 + look;
  }

  /** false: Belay may not do it, and another choice is needed. */
  async act(decision: Decision, nodes: readonly BlockedNode[]): Promise<boolean> {
    if (decision.choice === 'delete-pod') return await this.#deletePods(nodes);
    for (const node of nodes) await this.#actOn(decision, node);
    return true;
  }

  async #actOn({ choice, actor, reason = '' }: Decision, node: BlockedNode): Promise<void> {
    const phase = this.#phase;
    const { cluster } = phase;
    if (choice === 'scale' && node.workload !== undefined && node.noUseScaling !== true) {
      const { workload } = node;
      // Remembered first: an abort in the middle must find it.
      if (!this.#scaled.some((w) => w.namespace === workload.namespace && w.name === workload.name)) this.#scaled.push(workload);
      const { kind, namespace, name } = workload;
      const scaled = await phase.activities.keep.scaleByOne.executeWithOptions({ summary: `Scale ${namespace}/${name} by one` }, [
        { ...phase.target, kind, namespace, name },
      ]);
      this.#deeds.scaled(workload, scaled);
    } else if (choice === 'skip-node') {
      this.#held.push(node.node);
      phase.skip({ what: node.node, by: actorName(actor), reason, nodes: [node.node] });
      await phase.activities.quick.holdNode.executeWithOptions({ summary: `Leave node ${node.node} as it is` }, [
        { cluster, node: node.node },
      ]);
      // It stays, and is there for pods again.
      await this.#uncordon(node.node);
    }
  }

  /** All of them are cordoned before the first pod goes: its successor could start on the next one otherwise. The right to both is optional. */
  async #deletePods(nodes: readonly BlockedNode[]): Promise<boolean> {
    const { activities, cluster } = this.#phase;
    let isDone = true;
    const open = nodes.filter((node) => node.pod !== undefined && takesNewPods(node)).map(({ node }) => node);
    const noCordon = await unlessDenied(() => this.#cordon(open));
    for (const { node, pod } of nodes) {
      if (pod === undefined) continue;
      const { namespace, name, uid } = pod;
      const summary = `Delete pod ${namespace}/${name}`;
      const remove = () => activities.quick.deletePod.executeWithOptions({ summary }, [{ cluster, namespace, name, uid }]);
      const why = noCordon ?? (await unlessDenied(remove));
      if (why === undefined) {
        this.#deeds.deleted(pod, this.#cordoned.has(node));
      } else {
        this.#deeds.notDeleted(pod, why);
        await this.#uncordon(node);
        isDone = false;
      }
    }
    return isDone;
  }

  async #cordon(nodes: readonly string[]): Promise<void> {
    const { activities, cluster } = this.#phase;
    for (const node of nodes) {
      // Remembered first, too.
      this.#cordoned.add(node);
      await activities.quick.cordonNode.executeWithOptions({ summary: `Cordon node ${node}` }, [{ cluster, node }]);
    }
  }

  /** What fails is tried again at the end. */
  async #uncordon(node: string): Promise<void> {
    if (!this.#cordoned.has(node)) return;
    const { activities, cluster } = this.#phase;
    await this.#loudly(`scheduling on node ${node}`, async () => {
      await activities.owed.uncordonNode.executeWithOptions({ summary: `Uncordon node ${node}` }, [{ cluster, node }]);
      this.#cordoned.delete(node);
      return undefined;
    });
  }

  /** Back to the before-images. What cannot be restored is said loudly, and does not keep the rest from being restored. */
  async restoreAll(): Promise<void> {
    const phase = this.#phase;
    for (const workload of this.#scaled) {
      const { kind, namespace, name } = workload;
      await this.#loudly(`replicas of ${kind} ${namespace}/${name}`, async () => {
        const result = await phase.activities.owed.scaleBack.executeWithOptions({ summary: `Scale ${namespace}/${name} back` }, [
          { cluster: phase.cluster, kind, namespace, name },
        ]);
        if (result.changedByOthers) {
          this.#deeds.leftAlone(workload);
          return replicasChangedByOthers();
        }
        this.#deeds.back(workload);
        return undefined;
      });
    }
    for (const node of this.#held) {
      await this.#loudly(`do-not-disrupt on node ${node}`, async () => {
        await phase.activities.owed.releaseNode.executeWithOptions({ summary: `Release node ${node}` }, [{ cluster: phase.cluster, node }]);
        return undefined;
      });
    }
    for (const node of this.#cordoned) await this.#uncordon(node);
  }

  async #loudly(what: string, restore: () => Promise<string | undefined>): Promise<void> {
    let problem: string | undefined;
    try {
      problem = await restore();
    } catch (error) {
      problem = messageOf(error);
    }
    if (problem !== undefined) this.#phase.notRestored({ what, why: problem }, nodeChangeNotRestored(what, problem));
  }
}

/** Why it was denied; undefined: it was done. */
async function unlessDenied(act: () => Promise<void>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    const root = rootCause(error);
    if (root instanceof ApplicationFailure && root.type === 'AccessDenied') return root.message;
    throw error;
  }
}
