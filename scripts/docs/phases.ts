/** docs/phases.md: what each phase does, with the texts of a sample plan as people see them. */
import { duration } from '../../domain/core/text.ts';
import { BACK_PHASES, PHASES, type PhaseId } from '../../domain/core/phases.ts';
import type { PlannedStep } from '../../domain/plan/model/types.ts';
import { code, GENERATED, page, table } from './markdown.ts';
import { sampleBackPlan } from './sample-back.ts';
import { olderSamplePlan, samplePlan } from './sample-cluster.ts';

/** What it does, what it waits for, how it fails. */
const DOES: Record<PhaseId, string> = {
  'pre-checks':
    'Reads only. Refreshes the EKS insights, then runs the [checks](checks.md) of a hop. A required check that fails or cannot see ends the step at a failure gate.',
  'control-plane-logging':
    'Only before the first hop, and only where `controlPlane.logging` names logs that are off: one EKS update that switches them on, adopted where it runs already and followed to its end. They stay on. Where Terraform owns the control plane it is asked for.',
  'karpenter-migration':
    'Only where Karpenter is older than 1.0, or where 1.0 still has objects of v1beta1 and the hop needs a newer one. Walks the steps of [belay migrate karpenter](migrate.md) in their order; what is done already is said and passed over. From v1beta1: the last patch of the minor with webhooks on, its CRDs, conversion verified; a gate; CRDs and controller of 1.0; leftover admission webhooks away; kubelet settings to the EC2NodeClass, and only then the annotation away; `storedVersions` of `["v1"]`. From v1alpha5, before that: 0.31.4, the CRDs and the controller of 0.32, NodePools beside the Provisioners, nodes moved in one of three ways that people choose, the old objects deleted. Drift is frozen by budgets from 0.34 on; below there are none, and the gate says so. Charts are changed as in karpenter-controller: by Belay, or asked for. See [design note 0012](design/0012-karpenters-api-is-migrated-in-the-first-hop.md).',
  'karpenter-controller':
    'Brings the Karpenter version that supports both minors, CRDs first, then the controller. Where `managedBy.karpenter` is helm, or a HelmRelease or an Application that nobody keeps as in Git delivers it, Belay makes the change itself: drift is frozen first, a gate shows what the new version needs and whether IAM grants it, CRDs that belong to no release are adopted and never deleted, and afterwards no more NodeClaims may be drifted than before and every NodePool and EC2NodeClass must be Ready: see [design note 0009](design/0009-the-freeze-comes-before-karpenters-controller.md). With `karpenter.canaryNode` the new version then launches one node, which goes again: see [design note 0017](design/0017-a-canary-is-a-nodeclaim.md). Elsewhere it asks in the thread for the change. The Deployment is watched until it runs that version; fails when `timing.askTimeout` passes, when Flux takes the version back, or when a sync fails.',
  istio:
    'For each canary: the new revision beside the old one (installed with Helm; through Flux or Argo CD as a copy of the object that delivers the old one, see [design note 0016](design/0016-a-revision-is-a-copy-of-what-delivers-the-old-one.md); else asked for), then namespaces in waves: move, restart with one timestamp, verify pods by the annotation `istio.io/rev` and the proxy image, watch 5xx and p99 latency of its namespaces against those before (at least 1 % and twice the 5xx, or half as slow again, in three of five looks, stops the wave), compare the proxies that istiod counts (`pilot_xds`), and ask at a gate. Where deploy/kubernetes-rbac-mesh-debug.yaml lets Belay ask istiod (`/debug/syncz`), proxies that are not connected to the new one or not in sync are named, and the old revision is not retired while a proxy is connected to its istiod. Namespaces whose labels are declared in Git are asked for before anything restarts; a label that falls back while its wave is verified is said at once. OnDelete sets and pods without a controller are asked about before anything of them is deleted. A wave, or all of them, can be undone there: labels and tags exactly as they were, the same workloads restarted and verified. The old revision is retired after a bake (`timing.retireBake`), behind a gate of its own, when nothing uses it any more: the default tag and the default validator move first, by Belay or, where GitOps owns them, by their owner, who is asked; webhooks that nobody owns and that would still call it are deleted with it; Helm keeps its record, so `helm rollback` brings it back. Before the new revision is used, Istio’s CRDs are Established (those that no Helm release owns are adopted, never deleted) and the default validator calls a Service that is there. istio-cni, then ztunnel, follow in place behind a gate where they run: there is no canary for them.',
  'add-ons-bridge':
    'Every add-on but kube-proxy to a version that EKS offers on both minors, one after the other, with conflict policy PRESERVE. Add-ons that EKS does not manage are asked for.',
  'freeze-drift':
    'Puts a budget entry of `nodes: "0"` on every NodePool, with the before-image in an annotation. A guard workflow watches every minute, puts the entry back when somebody reverts it, and lives as long as the freeze. As soon as the freeze stands, NodePools of `karpenter.switchNodeClass` are pointed at their new EC2NodeClasses, or their owner is asked to; they are pointed back before a freeze goes without a roll. See [design note 0001](design/0001-a-workflow-guards-the-freeze.md).',
  'control-plane':
    'Adopts an update that already runs, or starts one; where Terraform owns the version it asks for the apply and adopts the update as soon as EKS lists it. Nothing can stop an EKS update, so it is watched to its end even when the run is being aborted. Dropped connections to the API server are weather, not failure.',
  bake: 'Verifies the control plane (versions over several connections, `/readyz`, add-ons, nodes, the freeze), watches for `timing.bake`, and verifies once more. Until nodes move, going back is cheap.',
  'node-groups':
    'Managed node groups, up to five side by side. After a failure no further group is started, and what runs is watched to its end. Each group is verified by its nodes. A Cluster Autoscaler is scaled to 0 meanwhile, with its replicas remembered on it, and back on every way out; where GitOps delivers it, both are asked for (`nodeGroups.clusterAutoscaler`).',
  'other-nodes':
    'Nodes that neither an EKS update nor Karpenter replaces. **EKS Auto Mode**: nodes of the built-in pools, whose budgets nobody can edit, are watched to the end, with the gates of blocked nodes; pools of your own are frozen and paced as Karpenter’s are. **Fargate**: what owns pods on old Fargate nodes is restarted, one namespace at a time, and watched until its new pods are Ready on nodes of the target; pods that no rollout replaces (naked ones, Jobs, OnDelete) become a gate: Look again, or Leave them. **Self-managed nodes**: each Auto Scaling group is asked for in the thread with the commands that replace its instances, and the nodes are watched until their kubelets are at the target; people may leave them as they are.',
  'karpenter-drift':
    'First, node classes that do not follow the control plane are edited, or their owner is asked to, and Karpenter has to have found images of the new minor for all; where it has not, a gate names the class. Then replaces the freeze by the budgets of `karpenter.paces`, one after the other, then restores the original ones. A node that cannot be replaced becomes a gate that names the pod and its budget: Wait, Scale by one and back, Delete the pod (with deploy/kubernetes-rbac-delete-pods.yaml; else it is refused, and the gate comes again), Skip the node. New nodes that do not come up freeze drift again and fail the step.',
  'add-ons-target': 'Add-ons to the default versions of the target, kube-proxy last.',
  'rollback-checks':
    'Reads only. EKS takes a control plane back for seven days, one minor, and not where the cluster was created at its version; no node may be newer; add-ons, Karpenter and Istio have to support the older minor; EKS refreshes its own rollback readiness. What a later step brings in order stands in nobody’s way; anything else ends the step at a failure gate.',
  'add-ons-back':
    'Add-ons whose versions do not run on the older minor, kube-proxy first, to versions that run on both: the default of the older minor where that does.',
  'control-plane-back':
    'Checks everything once more, then adopts a rollback that already runs, or starts one with UpdateClusterVersion; where Terraform owns the version it asks for the apply. Watched to its end like the way up. On EKS Auto Mode EKS takes its nodes back first, for at most `timing.autoModeRollback`; until the control plane itself moves an abort cancels the update (`CancelUpdate`), and the run ends when EKS has. With `rollback.fargate: stop` what owns newer pods on Fargate is scaled to 0 first, behind a gate of its own that names each, and started again on every way out of the step: it is DOWN meanwhile. A clock (`eks-rollback-window/…`) tells the thread of an upgrade a day and an hour before EKS closes the window, and then: see [design note 0024](design/0024-the-way-back-is-a-run-of-its-own.md).',
  'node-classes-back':
    'Only where Karpenter’s classes were pinned or its nodes rolled on the way back. Waits for `timing.bake`, since Karpenter reads the control plane’s version every five minutes; then EC2NodeClasses choose by alias again (owners of others are asked), Karpenter has to have found images of the older minor for them, and the freeze is lifted: budgets as before. Where nodes of Karpenter are not at the control plane’s minor nothing is let go.',
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
      'One hop moves the control plane by one minor. Its phases run in this order; the plan leaves out those that have nothing to do. A phase placed in a hop is a *step*, such as `control-plane@1.34`, and runs as a child workflow of its own.',
      `Quoted below: the plan of a small cluster from ${from} to ${to}, as people see it in Slack, before anything runs.`,
    ],
    table(
      ['#', 'Phase', 'Gate before it', 'About'],
      PHASES.map((phase, index) => {
        const step = stepOf(steps, phase);
        return [String(index + 1), `[${phase}](#${phase})`, step.gate === undefined ? '' : 'yes', duration(step.expectedMs)];
      }),
    ),
    [
      `A way back (\`belay rollback\`) has phases of its own, with freeze-drift and karpenter-drift behind its checks where Karpenter has nodes or classes that would be newer, node-groups before add-ons-back where node groups are, other-nodes there where Auto Scaling groups of one’s own are, and with validation at its end: ${BACK_PHASES.map((phase) => `[${phase}](#${phase})`).join(', ')}.`,
    ],
    'After a failure of any phase people decide at a gate: see [operations](operations.md#gates).',
    ...PHASES.flatMap((phase) => section(phase, stepOf(steps, phase))),
    ...BACK_PHASES.flatMap((phase) => section(phase, stepOf(back, phase))),
  );
}

function section(phase: PhaseId, step: PlannedStep): string[] {
  const { what, how, until, cost } = step.rollback;
  const quoted = [
    `> **${step.title}** (${code(step.id)}). ${step.why}`,
    ...(step.gate === undefined ? [] : [`> Gate: ${step.gate.next} ${step.gate.why}`]),
    `> What can be undone: ${what}. How: ${how}. Until: ${until}. Cost: ${cost}.`,
  ];
  return [`## ${phase}`, DOES[phase], quoted.join('\n>\n')];
}

function stepOf(steps: readonly PlannedStep[], phase: PhaseId): PlannedStep {
  const step = steps.find((candidate) => candidate.phase === phase);
  if (step === undefined) throw new Error(`The sample cluster's plan has no ${phase}: change scripts/docs/sample-cluster.ts.`);
  return step;
}
