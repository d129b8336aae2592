/** docs/reference/phases.md: what each phase does, with gates and ways to undo of a sample plan. */
import { duration } from '../../domain/core/text.ts';
import { BACK_PHASES, PHASES, type PhaseId } from '../../domain/core/phases.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { GENERATED, next, page, sentence } from './markdown.ts';
import { sampleBackPlan } from './sample-back.ts';
import { olderSamplePlan, samplePlan } from './sample-cluster.ts';

/** What it does, what it waits for, how it fails. */
const DOES: Record<PhaseId, string> = {
  'pre-checks': 'Reads only: refreshes EKS insights, then runs the [checks](checks.md) of a hop.',
  'control-plane-logging':
    'Before the first hop, one EKS update switches on, for good, logs of `controlPlane.logging` that are off. Adopts a running update; asks where Terraform owns the control plane.',
  'karpenter-migration':
    'If Karpenter is older than 1.0, or 1.0 still has v1beta1 objects and the hop needs a newer one. The unfinished steps of [belay migrate karpenter](../operate/migrate-karpenter.md) in order ([why](../design/0012-karpenters-api-is-migrated-in-the-first-hop.md)). Charts change as in karpenter-controller.\n\n- **From v1beta1**: the minor’s last patch with webhooks on, its CRDs, conversion verified; a gate; CRDs and controller of 1.0; leftover admission webhooks removed; kubelet settings moved to the EC2NodeClass, then the annotation removed; `storedVersions` of `["v1"]`.\n- **From v1alpha5**, first: 0.31.4, CRDs and controller of 0.32, NodePools beside the Provisioners, nodes moved in one of three ways you choose, old objects deleted.\n- Budgets freeze drift from 0.34 on; below, the gate says that nothing does.',
  'karpenter-controller':
    'Installs the Karpenter version for both minors, CRDs first, and watches until the Deployment runs it.\n\n- **By Belay**, if `managedBy.karpenter` is helm, or its HelmRelease or Application is not managed from Git: freezes drift, shows at a gate what the new version needs and whether IAM grants it, and adopts CRDs without a release (never deletes them). Afterwards no further NodeClaim may be drifted, and NodePools and EC2NodeClasses must be Ready ([why](../design/0009-the-freeze-comes-before-karpenters-controller.md)).\n- **Otherwise** asks for the change in the thread, with the same needs, and verifies the same afterwards; drift only if it is frozen.\n- With `karpenter.canaryNode` the new version launches and removes one node ([why](../design/0017-a-canary-is-a-nodeclaim.md)).\n\nFails after `timing.askTimeout`, if Flux reverts the version, or if a sync fails.',
  istio:
    'For each canary revision:\n\n1. **Install** it beside the old one: by Helm, by a copy of what Flux or Argo CD deliver ([why](../design/0016-a-revision-is-a-copy-of-what-delivers-the-old-one.md)), or asked for. Istio’s CRDs must be Established (adopted if without a Helm release, never deleted) and the default validator call an existing Service.\n2. **Move namespaces in waves**: relabel, restart with one timestamp, verify pods by `istio.io/rev` and proxy image, compare istiod’s proxy count (`pilot_xds`), watch 5xx and p99 latency, and ask at a gate. At least 1 % and twice the earlier 5xx, or half again the latency, in three of five looks stops the wave. Belay first asks for labels in Git, OnDelete sets and bare pods, and reports a label that reverts.\n3. **Retire** the old revision after `timing.retireBake`, behind a gate, once unused. The default tag and validator move first, by Belay or their GitOps owner; unowned webhooks that still call it are deleted too. `helm rollback` restores it.\n\nGates can undo a wave, or all: exact labels and tags, the same restarts, verified. With deploy/kubernetes-rbac-mesh-debug.yaml Belay names proxies that are not connected or in sync (`/debug/syncz`), and retires no revision with connected proxies. istio-cni, then ztunnel, follow in place behind a gate, without canary.',
  'add-ons-bridge':
    'Moves every add-on but kube-proxy, one by one, to a version EKS offers on both minors, with PRESERVE. Asks for self-managed ones.',
  'freeze-drift':
    'Puts a budget of `nodes: "0"` on every NodePool, with the before-image in an annotation; a guard workflow checks it every minute ([Freeze](../operate/freeze.md), [why](../design/0001-a-workflow-guards-the-freeze.md)). Then NodePools of `karpenter.switchNodeClass` get their new EC2NodeClasses, or their owner is asked; if the freeze ends without a roll, the old ones return first.',
  'control-plane':
    'Adopts a running update or starts one. Where Terraform owns the version, asks for the apply and adopts its update. Belay watches it to its end, even during an abort. Dropped API server connections are transient.',
  bake: 'Verifies the control plane (versions over several connections, `/readyz`, add-ons, nodes, the freeze), watches for `timing.bake`, and verifies again.',
  'node-groups':
    'Updates up to five managed node groups at once, and verifies each by its nodes. After a failure no further group starts; running ones are watched to their end. Cluster Autoscaler is at 0 meanwhile, its replicas remembered on it and restored on every exit; where GitOps delivers it, Belay asks for both (`nodeGroups.clusterAutoscaler`).',
  'other-nodes':
    'Nodes that neither an EKS update nor Karpenter replaces.\n\n- **EKS Auto Mode**: watches nodes of built-in pools, whose budgets nobody can edit, with gates for blocked nodes. Your own pools are frozen and paced like Karpenter’s.\n- **Fargate**: restarts owners of pods on old Fargate nodes, one namespace at a time, and watches until new pods are Ready on target nodes. Pods that no rollout replaces (bare, Jobs, OnDelete) open a gate: Look again, or Leave them.\n- **Self-managed**: asks for each Auto Scaling group in the thread, with commands, and watches until its kubelets are at the target. You may leave them.',
  'karpenter-drift':
    'Edits node classes that do not follow the control plane, or asks their owner; a gate names a class for which Karpenter finds no images of the new minor. Then replaces the freeze by the budgets of `karpenter.paces` in turn, and restores the original ones. A blocked node opens a gate with its pod and budget: Wait, Scale by one and back, Delete the pod (with deploy/kubernetes-rbac-delete-pods.yaml; else refused, and asked again), Skip the node. If new nodes do not come up, drift freezes again and the step fails.',
  'add-ons-target': 'Moves add-ons to the target’s default versions, kube-proxy last.',
  'rollback-checks':
    'Reads only. EKS rolls back within seven days, one minor, unless the cluster was created at its version. No node may be newer; add-ons, Karpenter and Istio must support the older minor; EKS refreshes its rollback readiness. Anything that no later step fixes fails at a gate.',
  'add-ons-back':
    'Moves add-ons that do not run on the older minor, kube-proxy first, to its default version, or another that runs on both.',
  'control-plane-back':
    'Checks everything again, then adopts a running rollback or starts one with UpdateClusterVersion, and watches it to its end; where Terraform owns the version, asks for the apply.\n\n- **Auto Mode**: EKS first rolls its nodes back, for at most `timing.autoModeRollback`. Until the control plane moves, an abort cancels the update (`CancelUpdate`) and waits for EKS.\n- **Fargate**, with `rollback.fargate: stop`: owners of newer pods are scaled to 0 (DOWN) behind a gate that names each, and restarted on every exit.\n- A clock (`eks-rollback-window/…`) tells the upgrade’s thread a day and an hour before the window closes, and then ([why](../design/0024-the-way-back-is-a-run-of-its-own.md)).',
  'node-classes-back':
    'If the rollback pinned Karpenter’s classes or rolled its nodes. Waits `timing.bake`, as Karpenter reads the control plane’s version every five minutes. Then EC2NodeClasses choose by alias again (other owners are asked), Karpenter must find images of the older minor, and the freeze ends, budgets as before, if Karpenter’s nodes are at the control plane’s minor.',
  validation: 'Reads only: control plane, nodes and add-ons are at the target, no freeze is left.',
};

export function phasesDocument(): string {
  const { steps: today, from, to } = samplePlan();
  const steps = [...today, ...olderSamplePlan().steps.filter(({ phase }) => phase === 'karpenter-migration')];
  const back = sampleBackPlan().steps;
  return page(
    '# Phases',
    GENERATED,
    [
      'For whoever reads a plan or a thread. One hop moves the control plane by one minor, in these phases, in order, if they have something to do. A phase in a hop is a *step*, such as `control-plane@1.34`, and runs as a child workflow. Any failure opens a [gate](../operate/gates.md#failedstep).',
      `Quoted from a small cluster’s plan, ${from} to ${to}: the gate before a step, and how to undo it, if it leaves anything. In italics: expected time.`,
    ],
    `A [rollback](../roll-back.md) has its own, from [${BACK_PHASES[0]}](#${BACK_PHASES[0]}) on. freeze-drift and karpenter-drift follow its checks if Karpenter’s nodes or classes would be newer, node-groups and other-nodes (your own Auto Scaling groups) precede add-ons-back, and validation is last.`,
    ...PHASES.flatMap((phase) => section(phase, stepOf(steps, phase), steps)),
    ...BACK_PHASES.flatMap((phase) => section(phase, stepOf(back, phase), back)),
    next('Checks', 'checks.md'),
  );
}

/** What the phase does; quoted, what an approver of the sample plan reads. */
function section(phase: PhaseId, step: PlannedStep, others: readonly PlannedStep[]): string[] {
  const { what, how, until, cost } = step.rollback;
  const twin = others.find((other) => undoOf(other) === undoOf(step));
  const undo =
    twin === undefined || twin.phase === phase
      ? `**Undo** ${what}: ${sentence(how)} Until ${until}. Cost: ${cost}.`
      : `**Undo** as in [${twin.phase}](#${twin.phase}), until ${until}.`;
  const quoted = [
    ...(step.gate === undefined ? [] : [`**Gate:** ${step.gate.next} ${step.gate.why}`]),
    ...(what === 'nothing' ? [] : [undo]),
  ];
  const time = PHASES.some((one) => one === phase) ? `*${duration(step.expectedMs)}* ` : '';
  return [`## ${phase}`, `${time}${DOES[phase]}`, ...(quoted.length === 0 ? [] : [`> ${quoted.join(' ')}`])];
}

/** How a step is undone, whenever that may be. */
const undoOf = ({ rollback: { what, how, cost } }: PlannedStep): string => [what, how, cost].join();

function stepOf(steps: readonly PlannedStep[], phase: PhaseId): PlannedStep {
  const step = steps.find((candidate) => candidate.phase === phase);
  if (step === undefined) throw new Error(`The sample cluster's plan has no ${phase}: change scripts/docs/sample-cluster.ts.`);
  return step;
}
