/** What people may choose for one node that cannot be replaced. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { takesNewPods } from '../../../domain/facts/disruption/new-pods.ts';
import type { GateText } from '../note.ts';

type Workload = NonNullable<BlockedNode['workload']>;
type Choice = GateText['choices'][number];

export const WAIT: Choice = {
  id: 'wait',
  label: 'Wait',
  does: 'Keeps watching; asks again when something changes, or at the next reminder.',
};

const GO_ON: Choice = {
  id: 'skip-node',
  label: 'Continue without it',
  does: 'The roll no longer waits for this volume; validation names it, with who decided so, and accepts it.',
};

const SKIP_NODE: Choice = {
  id: 'skip-node',
  label: 'Skip the node',
  does: 'Leaves this node at the old version; validation names it, with who skipped it, and accepts it.',
};

/** Of a node that Karpenter removes already. */
const LEAVE_NODE: Choice = {
  id: 'skip-node',
  label: 'Continue without it',
  does: 'The roll no longer waits for this node, which Karpenter still removes; validation names it, with who decided so, and accepts it.',
};

/** The only one here that ends by itself. */
const waitForJob = (job: string): Choice => ({
  ...WAIT,
  style: 'primary',
  does: `Waits for Job ${job} to finish, so that the node can be replaced; asks again if it is still blocked.`,
});

/** `scalable`: what one replica more of would let the pod go. */
export function choicesAbout(node: BlockedNode, scalable: Workload | undefined): Choice[] {
  if (node.gone === true) {
    return [WAIT, GO_ON];
  }
  const { pod } = node;
  return [
    ...(scalable === undefined ? [] : [scaleChoice(scalable)]),
    pod?.controller?.kind === 'Job' ? waitForJob(pod.controller.name) : WAIT,
    ...(pod === undefined ? [] : [deleteChoice(pod, takesNewPods(node))]),
    ...(node.leaving === true ? [] : [node.removing === undefined ? SKIP_NODE : LEAVE_NODE]),
  ];
}

function scaleChoice({ kind, namespace, name, replicas, autoscaler }: Workload): Choice {
  const undone =
    autoscaler === undefined ? '' : ` HorizontalPodAutoscaler ${autoscaler} may undo it at once: raise its minReplicas instead.`;
  // Kubernetes keeps the claims of a StatefulSet that is scaled down (persistentVolumeClaimRetentionPolicy, whenScaled).
  const member =
    kind === 'StatefulSet'
      ? ' Its new pod joins as a member with volumes of its own, whose claims stay afterwards unless it deletes them.'
      : '';
  return {
    id: 'scale',
    label: 'Scale by one and back',
    style: 'primary',
    does: `Scales ${kind} ${namespace}/${name} to ${replicas + 1} so that its budget allows a disruption, and back afterwards.${member}${undone}`,
  };
}

function deleteChoice({ namespace, name, controller }: NonNullable<BlockedNode['pod']>, isCordoned: boolean): Choice {
  const deletes = `${isCordoned ? 'Cordons the node and deletes' : 'Deletes'} ${namespace}/${name}`;
  const refused = 'Its PodDisruptionBudget or annotation blocks eviction; deleting the pod bypasses both';
  const does =
    controller === null
      ? `${deletes} for good: it has no controller, so whoever created it must create it again. ${refused}.`
      : controller?.kind === 'Job'
        ? `${deletes}: the work of Job ${controller.name} in it is lost, and it starts over as far as its backoffLimit allows. ${refused}.`
        : `${deletes}. ${refused}, and a service with one replica is down until the pod runs elsewhere.`;
  return { id: 'delete-pod', label: 'Delete the pod', style: 'danger', needsReason: true, does };
}
