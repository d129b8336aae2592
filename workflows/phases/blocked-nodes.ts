/** A node that drift cannot replace: people choose what to do about it, and what was done for its sake is undone. */
import type { BlockedNode } from '../../activities/kubernetes/karpenter/contract.ts';
import type { GateChoice } from '../../domain/gate.ts';
import { count } from '../../domain/words.ts';
import { gateId } from '../ids.ts';
import { type Phase, phaseFailed } from '../phase.ts';
import { messageOf } from '../root-cause.ts';

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

  /** `progress`: "3 nodes are replaced, 2 to go". */
  async ask(node: BlockedNode, progress: string): Promise<void> {
    const phase = this.#phase;
    const round = (this.#rounds.get(node.node) ?? 0) + 1;
    this.#rounds.set(node.node, round);
    const state = await phase.gates.ask({
      id: gateId('blocked', phase.input.step.id, round, node.node),
      step: phase.input.step.id,
      title: `Node ${shortName(node.node)} ${node.gone === true ? 'is gone, but a volume is still attached to it' : node.leaving === true ? 'cannot be drained' : 'cannot be replaced'}: what now?`,
      next: next(node),
      evidence: [{ title: 'What is in the way', lines: lines(node, progress) }],
      undo: undo(node),
      choices: choices(node),
    });
    if (state.kind !== 'decided') throw phaseFailed(`Node ${node.node} cannot be replaced (${node.reason}), and nobody decided in time`);
    const label = state.gate.choices.find((c) => c.id === state.decision.choice)?.label ?? state.decision.choice;
    phase.now(`Node ${node.node}: ${label}. ${capital(progress)}.`);
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

function lines(node: BlockedNode, progress: string): string[] {
  const { pod, workload, reason, people = [] } = node;
  const told = (name: string): boolean => reason.includes(name);
  return [
    capital(reason),
    ...(pod === undefined || told(pod.name) ? [] : [`Pod ${pod.namespace}/${pod.name} cannot be evicted`]),
    ...controllerLines(node),
    ...budgetLines(node),
    ...(workload === undefined
      ? []
      : [`${workload.kind} ${workload.namespace}/${workload.name} has ${count(workload.replicas, 'replica')}${scaledBy(workload)}`]),
    ...(people.length === 0 ? [] : [`Whose it is: ${people.join(', ')}`]),
    `Node ${node.node}${node.nodePool === '' ? '' : ` of NodePool ${node.nodePool}`}; ${progress}`,
  ];
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What a deletion would mean: nothing of it where a workload makes the pod anew. */
function controllerLines({ pod }: BlockedNode): string[] {
  const { controller } = pod ?? {};
  if (controller === null) return ['Nothing makes this pod anew: it has no controller'];
  return controller?.kind === 'Job' ? [`It runs to its end for Job ${pod?.namespace ?? ''}/${controller.name}`] : [];
}

function undo({ workload, pod, leaving }: BlockedNode): string {
  const back =
    pod?.controller === null
      ? 'A pod without a controller that is deleted is gone for good.'
      : pod?.controller?.kind === 'Job'
        ? 'A deleted pod of a Job begins anew, if the Job tries again at all.'
        : 'A deleted pod is started again by its workload.';
  return [
    ...(workload === undefined ? [] : ['Scaling is undone when the nodes are through.']),
    ...(pod === undefined ? [] : [back]),
    ...(leaving === true ? [] : ['A skipped node stays at the old version.']),
  ].join(' ');
}

function budgetLines({ pdb, reason }: BlockedNode): string[] {
  if (pdb === undefined) return [];
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = pdb;
  if (currentHealthy !== undefined && desiredHealthy !== undefined) {
    return [
      `PodDisruptionBudget ${pdb.namespace}/${pdb.name}: ${disruptionsAllowed ?? 0} disruptions allowed, ${currentHealthy} pods healthy, at least ${desiredHealthy} wanted`,
    ];
  }
  return reason.includes(pdb.name) ? [] : [`PodDisruptionBudget ${pdb.namespace}/${pdb.name} allows no disruption`];
}

function scaledBy({ autoscaler }: Workload): string {
  return autoscaler === undefined ? '' : `, set by HorizontalPodAutoscaler ${autoscaler}, which may take one more away at once`;
}

/** What the first choice does, in more words than fit on its button. */
function next({ workload, gone, leaving }: BlockedNode): string {
  const meanwhile =
    leaving === true
      ? 'The instance is held until it is empty; Auto Scaling gives up after an hour without progress, and ends the instance after two days.'
      : 'Other nodes go on being replaced meanwhile.';
  return workload === undefined || gone === true
    ? `Belay waits, and asks again when the node is still blocked. ${meanwhile}`
    : `Belay starts one more replica of ${workload.kind} ${workload.namespace}/${workload.name}, so that the one in the way may move, and takes it back when the nodes are through. ${meanwhile}`;
}

/** "ip-10-0-1-7": what people call it. */
function shortName(node: string): string {
  return node.split('.')[0] ?? node;
}

const WAIT: GateChoice = { id: 'wait', label: 'Wait', does: 'Watches on; asks again when the node is still blocked.' };

/** It ends by itself, which nothing else here does. */
const waitForJob = (job: string): GateChoice => ({
  ...WAIT,
  style: 'primary',
  does: `Job ${job} runs to its end, and the node goes on then; asks again when it is still blocked.`,
});

function choices(node: BlockedNode): GateChoice[] {
  if (node.gone === true) {
    const goOn = { id: 'skip-node', label: 'Go on without it', does: 'The roll no longer waits for this volume; validation will name it.' };
    return [WAIT, goOn];
  }
  const { workload, pod } = node;
  return [
    ...(workload === undefined ? [] : [scaleChoice(workload)]),
    pod?.controller?.kind === 'Job' ? waitForJob(pod.controller.name) : WAIT,
    ...(pod === undefined ? [] : [deleteChoice(pod)]),
    ...(node.leaving === true
      ? []
      : [{ id: 'skip-node', label: 'Skip the node', does: 'Leaves this node at the old version; validation will name it.' }]),
  ];
}

function scaleChoice({ kind, namespace, name, replicas, autoscaler }: Workload): GateChoice {
  const undone =
    autoscaler === undefined ? '' : ` HorizontalPodAutoscaler ${autoscaler} may undo it at once: raise its minReplicas instead.`;
  return {
    id: 'scale',
    label: 'Scale by one and back',
    style: 'primary',
    does: `Scales ${kind} ${namespace}/${name} to ${replicas + 1} so that its budget allows a disruption, and back afterwards.${undone}`,
  };
}

function deleteChoice({ namespace, name, controller }: NonNullable<BlockedNode['pod']>): GateChoice {
  const which = `${namespace}/${name}`;
  const refused = 'Eviction is what its PodDisruptionBudget or annotation refuses; deletion asks neither';
  const does =
    controller === null
      ? `Deletes ${which} for good: it has no controller, so whoever made it has to make it again. ${refused}.`
      : controller?.kind === 'Job'
        ? `Deletes ${which}: what Job ${controller.name} has done in it is lost, and it begins anew as far as its backoffLimit allows. ${refused}.`
        : `Deletes ${which} itself. ${refused}, and a service of one replica is down until the pod runs elsewhere.`;
  return { id: 'delete-pod', label: 'Delete the pod', style: 'danger', needsReason: true, does };
}
