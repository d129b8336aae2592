/** docs/reference/phases.md: what each phase does, with gates and ways to undo of a sample plan. */
import { duration } from '../../domain/core/text.ts';
import { BACK_PHASES, PHASES, type PhaseId } from '../../domain/core/phases.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { GENERATED, next, page, sentence, table } from './markdown.ts';
import { sampleBackPlan } from './sample-back.ts';
import { olderSamplePlan, samplePlan } from './sample-cluster.ts';

/** What it does, what it waits for, how it fails. */
const DOES: Record<PhaseId, string> = {
  'pre-checks': 'Reads only. Refreshes the EKS insights, then runs the [checks](checks.md) of a hop.',
  'control-plane-logging':
    'Before the first hop, if `controlPlane.logging` names logs that are off: one EKS update switches them on, and they stay on. A running update is adopted; where Terraform owns the control plane it is asked for.',
  'karpenter-migration':
    'If Karpenter is older than 1.0, or 1.0 still has v1beta1 objects and the hop needs a newer one. Walks the steps of [belay migrate karpenter](../operate/migrate-karpenter.md) in order and passes over what is done ([design note 0012](../design/0012-karpenters-api-is-migrated-in-the-first-hop.md)). Charts change as in karpenter-controller: by Belay, or asked for.\n\n- **From v1beta1**: the minor’s last patch with webhooks on, its CRDs, conversion verified; a gate; CRDs and controller of 1.0; leftover admission webhooks removed; kubelet settings moved to the EC2NodeClass, and only then the annotation removed; `storedVersions` of `["v1"]`.\n- **From v1alpha5**, before that: 0.31.4, CRDs and controller of 0.32, NodePools beside the Provisioners, nodes moved in one of three ways you choose, old objects deleted.\n- Drift is frozen by budgets from 0.34 on; below there are none, and the gate says so.',
  'karpenter-controller':
    'Installs the Karpenter version that supports both minors, CRDs first, then the controller, and watches the Deployment until it runs it.\n\n- **By Belay**, if `managedBy.karpenter` is helm, or its HelmRelease or Application is not managed from Git: drift is frozen first, a gate shows what the new version needs and whether IAM grants it, CRDs without a release are adopted and never deleted. Afterwards no more NodeClaims may be drifted than before, and every NodePool and EC2NodeClass must be Ready ([design note 0009](../design/0009-the-freeze-comes-before-karpenters-controller.md)).\n- **Otherwise** it asks for the change in the thread.\n- With `karpenter.canaryNode` the new version then launches one node, which is removed again ([design note 0017](../design/0017-a-canary-is-a-nodeclaim.md)).\n\nFails after `timing.askTimeout`, if Flux reverts the version, or if a sync fails.',
  istio:
    'For each canary revision:\n\n1. **Install** it beside the old one: by Helm; through Flux or Argo CD as a copy of the object that delivers the old one ([design note 0016](../design/0016-a-revision-is-a-copy-of-what-delivers-the-old-one.md)); else asked for. Before use, Istio’s CRDs are Established (those without a Helm release are adopted, never deleted) and the default validator calls an existing Service.\n2. **Move namespaces in waves**: relabel, restart with one timestamp, verify pods by the annotation `istio.io/rev` and the proxy image, compare the proxies istiod counts (`pilot_xds`), watch 5xx and p99 latency against before, and ask at a gate. At least 1 % and twice the 5xx, or half as slow again, in three of five looks stops the wave. Labels declared in Git are asked for before anything restarts; a label that reverts during verification is reported at once. OnDelete sets and bare pods are asked about first.\n3. **Retire** the old revision after `timing.retireBake`, behind a gate, once nothing uses it. The default tag and validator move first, by Belay or their GitOps owner; unowned webhooks that would still call it are deleted with it. Helm keeps its record, so `helm rollback` restores it.\n\nA wave, or all, can be undone at its gate: exact labels and tags, the same workloads restarted and verified. With deploy/kubernetes-rbac-mesh-debug.yaml Belay asks istiod (`/debug/syncz`), names proxies not connected to the new revision or not in sync, and retires no revision with connected proxies. istio-cni, then ztunnel, follow in place behind a gate: they have no canary.',
  'add-ons-bridge':
    'Moves every add-on but kube-proxy to a version that EKS offers on both minors, one by one, with conflict policy PRESERVE. Add-ons EKS does not manage are asked for.',
  'freeze-drift':
    'Puts a budget entry of `nodes: "0"` on every NodePool, with the before-image in an annotation; a guard workflow checks it every minute for as long as the freeze lasts ([Freeze](../operate/freeze.md), [design note 0001](../design/0001-a-workflow-guards-the-freeze.md)). Then NodePools of `karpenter.switchNodeClass` get their new EC2NodeClasses, or their owner is asked; they get the old ones back before a freeze ends without a roll.',
  'control-plane':
    'Adopts a running update or starts one. Where Terraform owns the version it asks for the apply and adopts the update once EKS lists it. Nothing can stop an EKS update, so it is watched to its end even during an abort. Dropped API server connections are transient, not a failure.',
  bake: 'Verifies the control plane (versions over several connections, `/readyz`, add-ons, nodes, the freeze), watches for `timing.bake`, and verifies again. Until nodes move, rolling back is cheap.',
  'node-groups':
    'Updates managed node groups, up to five at once, and verifies each by its nodes. After a failure no further group starts; running ones are watched to their end. A Cluster Autoscaler is scaled to 0 meanwhile, its replicas remembered on it, and restored on every exit; where GitOps delivers it, both are asked for (`nodeGroups.clusterAutoscaler`).',
  'other-nodes':
    'Nodes that neither an EKS update nor Karpenter replaces.\n\n- **EKS Auto Mode**: nodes of built-in pools, whose budgets nobody can edit, are watched to the end, with gates for blocked nodes. Your own pools are frozen and paced like Karpenter’s.\n- **Fargate**: owners of pods on old Fargate nodes are restarted, one namespace at a time, and watched until new pods are Ready on target nodes. Pods that no rollout replaces (bare, Jobs, OnDelete) open a gate: Look again, or Leave them.\n- **Self-managed**: each Auto Scaling group is asked for in the thread, with commands, and watched until its kubelets are at the target. You may leave them.',
  'karpenter-drift':
    'Edits node classes that do not follow the control plane, or asks their owner, and waits until Karpenter has found images of the new minor for all; else a gate names the class. Then replaces the freeze by the budgets of `karpenter.paces`, one after the other, and restores the original ones. A node that cannot be replaced opens a gate that names the pod and its budget: Wait, Scale by one and back, Delete the pod (with deploy/kubernetes-rbac-delete-pods.yaml; else refused, and asked again), Skip the node. New nodes that do not come up freeze drift again and fail the step.',
  'add-ons-target': 'Moves add-ons to the default versions of the target, kube-proxy last.',
  'rollback-checks':
    'Reads only. EKS rolls back within seven days, one minor, and not if the cluster was created at its version; no node may be newer; add-ons, Karpenter and Istio must support the older minor; EKS refreshes its rollback readiness. What a later step fixes blocks nothing; anything else ends the step at a failure gate.',
  'add-ons-back':
    'Moves add-ons that do not run on the older minor, kube-proxy first, to versions that run on both: the older minor’s default if it does.',
  'control-plane-back':
    'Checks everything again, then adopts a running rollback or starts one with UpdateClusterVersion; where Terraform owns the version it asks for the apply. Watched to its end.\n\n- **Auto Mode**: EKS takes its nodes back first, for at most `timing.autoModeRollback`. Until the control plane itself moves, an abort cancels the update (`CancelUpdate`), and the run ends when EKS has.\n- **Fargate**, with `rollback.fargate: stop`: owners of newer pods are scaled to 0 behind a gate that names each, and restarted on every exit. They are DOWN meanwhile.\n- A clock (`eks-rollback-window/…`) tells the upgrade’s thread a day and an hour before EKS closes the window, and then ([design note 0024](../design/0024-the-way-back-is-a-run-of-its-own.md)).',
  'node-classes-back':
    'If Karpenter’s classes were pinned or its nodes rolled by the rollback. Waits `timing.bake`, since Karpenter reads the control plane’s version every five minutes. Then EC2NodeClasses choose by alias again (owners of others are asked), Karpenter must have found images of the older minor, and the freeze is lifted, budgets as before. If Karpenter’s nodes are not at the control plane’s minor, nothing is lifted.',
  validation: 'Reads only. The whole cluster at the target: control plane, every node, every add-on, no freeze left.',
};

export function phasesDocument(): string {
  const { steps: today, from, to } = samplePlan();
  const steps = [...today, ...olderSamplePlan().steps.filter(({ phase }) => phase === 'karpenter-migration')];
  const back = sampleBackPlan().steps;
  return page(
    '# Phases',
    GENERATED,
    [
      'For whoever reads a plan or a thread. One hop moves the control plane by one minor, in these phases; a plan leaves out those with nothing to do. A phase in a hop is a *step*, such as `control-plane@1.34`, and runs as a child workflow. Any failure opens a [gate](../operate/gates.md#failedstep).',
      `Quoted: gates of a small cluster’s plan from ${from} to ${to}, and what can be undone after each step; steps without a quote leave nothing to undo.`,
    ],
    table(
      ['#', 'Phase', 'Gate before it', 'About'],
      PHASES.map((phase, index) => {
        const step = stepOf(steps, phase);
        return [String(index + 1), `[${phase}](#${phase})`, step.gate === undefined ? '' : 'yes', duration(step.expectedMs)];
      }),
    ),
    `A [rollback](../roll-back.md) has phases of its own: ${BACK_PHASES.map((phase) => `[${phase}](#${phase})`).join(', ')}. freeze-drift and karpenter-drift follow its checks if Karpenter has nodes or classes that would be newer, node-groups and other-nodes (your own Auto Scaling groups) come before add-ons-back, and validation is last.`,
    ...PHASES.flatMap((phase) => section(phase, stepOf(steps, phase))),
    ...BACK_PHASES.flatMap((phase) => section(phase, stepOf(back, phase))),
    next('Checks', 'checks.md'),
  );
}

/** What the phase does; quoted, what an approver of the sample plan reads. */
function section(phase: PhaseId, step: PlannedStep): string[] {
  const { what, how, until, cost } = step.rollback;
  const quoted = [
    ...(step.gate === undefined ? [] : [`> **Gate:** ${step.gate.next} ${step.gate.why}`]),
    ...(what === 'nothing' ? [] : [`> **Undo** ${what}: ${sentence(how)} Until ${until}. Cost: ${cost}.`]),
  ];
  return [`## ${phase}`, DOES[phase], ...(quoted.length === 0 ? [] : [quoted.join('\n>\n')])];
}

function stepOf(steps: readonly PlannedStep[], phase: PhaseId): PlannedStep {
  const step = steps.find((candidate) => candidate.phase === phase);
  if (step === undefined) throw new Error(`The sample cluster's plan has no ${phase}: change scripts/docs/sample-cluster.ts.`);
  return step;
}
