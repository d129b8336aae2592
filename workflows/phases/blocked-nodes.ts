/** A node that drift cannot replace: people choose what to do about it, and what was done for its sake is undone. */
import type { BlockedNode } from '../../activities/contract.ts';
import type { GateChoice } from '../../domain/gate.ts';
import { count } from '../../domain/words.ts';
import { gateId } from '../ids.ts';
import { messageOf, type Phase, phaseFailed } from '../phase.ts';

type Workload = NonNullable<BlockedNode['workload']>;

export class BlockedNodes {
  readonly #phase: Phase;
  readonly #scaled: Workload[] = [];
  readonly #held: string[] = [];
  readonly #rounds = new Map<string, number>();

  constructor(phase: Phase) {
    this.#phase = phase;
  }

  /** Nodes that people chose to leave as they are. */
  get skipped(): string[] {
    return this.#held;
  }

  async ask(node: BlockedNode, replacedCount: number, remainingCount: number): Promise<void> {
    const phase = this.#phase;
    const round = (this.#rounds.get(node.node) ?? 0) + 1;
    this.#rounds.set(node.node, round);
    const state = await phase.gates.ask({
      id: gateId('blocked', phase.input.step.id, round, node.node),
      step: phase.input.step.id,
      title: `Node ${shortName(node.node)} cannot be replaced: what now?`,
      next: next(node),
      evidence: [{ title: 'What is in the way', lines: lines(node, replacedCount, remainingCount) }],
      undo: 'Scaling is undone when the nodes are through. A deleted pod is started again by its workload. A skipped node stays at the old version.',
      choices: choices(node),
    });
    if (state.kind !== 'decided') throw phaseFailed(`Node ${node.node} cannot be replaced (${node.reason}), and nobody decided in time`);
    const label = state.gate.choices.find((c) => c.id === state.decision.choice)?.label ?? state.decision.choice;
    phase.now(`Node ${node.node}: ${label}. ${replacedCount} nodes are replaced, ${remainingCount} to go.`);
    await this.#act(state.decision.choice, node);
  }

  async #act(choice: string, node: BlockedNode): Promise<void> {
    const phase = this.#phase;
    const { cluster } = phase;
    if (choice === 'scale' && node.workload !== undefined) {
      const { workload } = node;
      // Remembered first: an abort in the middle must find it.
      if (!this.#scaled.some((w) => w.namespace === workload.namespace && w.name === workload.name)) this.#scaled.push(workload);
      const { kind, namespace, name } = workload;
      const scaled = await phase.activities.watch.scaleByOne.executeWithOptions({ summary: `Scale ${namespace}/${name} by one` }, [
        { ...phase.target, kind, namespace, name },
      ]);
      phase.announcer.note(
        `${kind} ${namespace}/${name} scaled ${scaled.before} → ${scaled.after}${scaled.ready ? '' : ', but the new pod is not Ready'}.`,
      );
    } else if (choice === 'delete-pod' && node.pod !== undefined) {
      const { namespace, name, uid } = node.pod;
      await phase.activities.quick.deletePod.executeWithOptions({ summary: `Delete pod ${namespace}/${name}` }, [
        { cluster, namespace, name, uid },
      ]);
      phase.announcer.note(`Pod ${namespace}/${name} was deleted, as people decided.`, { level: 'warning' });
    } else if (choice === 'skip-node') {
      this.#held.push(node.node);
      await phase.activities.quick.holdNode.executeWithOptions({ summary: `Leave node ${node.node} as it is` }, [
        { cluster, node: node.node },
      ]);
    }
  }

  /** Back to the before-images. What cannot be restored is said loudly, and does not keep the rest from being restored. */
  async restoreAll(): Promise<void> {
    const phase = this.#phase;
    for (const { kind, namespace, name, replicas } of this.#scaled) {
      await this.#loudly(`replicas of ${kind} ${namespace}/${name}`, async () => {
        const result = await phase.activities.quick.scaleBack.executeWithOptions({ summary: `Scale ${namespace}/${name} back` }, [
          { cluster: phase.cluster, kind, namespace, name },
        ]);
        if (result.changedByOthers) return 'somebody else changed them meanwhile, so they were left alone';
        phase.announcer.note(`${kind} ${namespace}/${name} is back at ${count(replicas, 'replica')}.`);
        return undefined;
      });
    }
    for (const node of this.#held) {
      await this.#loudly(`do-not-disrupt on node ${node}`, async () => {
        await phase.activities.quick.releaseNode.executeWithOptions({ summary: `Release node ${node}` }, [
          { cluster: phase.cluster, node },
        ]);
        return undefined;
      });
    }
  }

  async #loudly(what: string, restore: () => Promise<string | undefined>): Promise<void> {
    let problem: string | undefined;
    try {
      problem = await restore();
    } catch (error) {
      problem = messageOf(error);
    }
    if (problem !== undefined) this.#phase.notRestored({ what, why: problem }, `${what} could not be restored: ${problem}`);
  }
}

function lines(node: BlockedNode, replacedCount: number, remainingCount: number): string[] {
  const { pod, pdb, workload, reason } = node;
  const told = (name: string): boolean => reason.includes(name);
  return [
    `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`,
    ...(pod === undefined || told(pod.name) ? [] : [`Pod ${pod.namespace}/${pod.name} cannot be evicted`]),
    ...(pdb === undefined || told(pdb.name) ? [] : [`PodDisruptionBudget ${pdb.namespace}/${pdb.name} allows no disruption`]),
    ...(workload === undefined
      ? []
      : [`${workload.kind} ${workload.namespace}/${workload.name} has ${count(workload.replicas, 'replica')}`]),
    `Node ${node.node} of NodePool ${node.nodePool}; ${replacedCount} nodes are replaced, ${remainingCount} to go`,
  ];
}

/** What the first choice does, in more words than fit on its button. */
function next({ workload }: BlockedNode): string {
  const meanwhile = 'Other nodes go on being replaced meanwhile.';
  return workload === undefined
    ? `Belay waits, and asks again when the node is still blocked. ${meanwhile}`
    : `Belay starts one more replica of ${workload.kind} ${workload.namespace}/${workload.name}, so that the one in the way may move, and takes it back when the nodes are through. ${meanwhile}`;
}

/** "ip-10-0-1-7": what people call it. */
function shortName(node: string): string {
  return node.split('.')[0] ?? node;
}

function choices(node: BlockedNode): GateChoice[] {
  const { workload, pod } = node;
  return [
    ...(workload === undefined
      ? []
      : [
          {
            id: 'scale',
            label: 'Scale by one and back',
            style: 'primary' as const,
            does: `Scales ${workload.kind} ${workload.namespace}/${workload.name} to ${workload.replicas + 1} so that its budget allows a disruption, and back afterwards.`,
          },
        ]),
    { id: 'wait', label: 'Wait', does: 'Watches on; asks again when the node is still blocked.' },
    ...(pod === undefined
      ? []
      : [
          {
            id: 'delete-pod',
            label: 'Delete the pod',
            style: 'danger' as const,
            needsReason: true,
            does: `Deletes ${pod.namespace}/${pod.name} past its budget: its service is down until the pod runs elsewhere.`,
          },
        ]),
    { id: 'skip-node', label: 'Skip the node', does: 'Leaves this node at the old version; validation will name it.' },
  ];
}
