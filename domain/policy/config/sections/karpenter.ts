/** `karpenter:` of a cluster in belay.yaml. */
import { z } from 'zod';
import { chartLocation, flag, selection, text } from '../base/fields.ts';
import { FREEZE_MEANS } from '../../freeze-means.ts';
import { BUDGET, parsePace } from '../../pace.ts';
import { MOVE_NODES, WAVES_BY } from '../../policy.ts';

const RIGHT_DAYS = 'write a whole number of days from 1';
const RIGHT_QUORUM = 'write a whole number from 1';

const pace = text('write a budget such as "1" or "10%"', BUDGET).refine((budget) => parsePace(budget) !== 'freeze', {
  error: 'write a budget above 0: with 0 Karpenter replaces no node',
});

export const karpenterSchema = z.strictObject({
  paces: z
    .array(pace, { error: 'write a list of budgets such as ["1", "10%"]' })
    .describe('Successive budgets while Karpenter replaces nodes, before the original ones return')
    .optional(),
  freezeReasons: z
    .array(
      z.enum(['Drifted', 'Underutilized', 'Empty'], {
        error: 'write Drifted, Underutilized or Empty',
      }),
      { error: 'write a list of Drifted, Underutilized, Empty' },
    )
    .refine((reasons) => reasons.includes('Drifted'), { error: 'the list has to contain Drifted: it is what the freeze is for' })
    .describe('Reasons the freeze blocks')
    .optional(),
  freezeBy: z
    .enum(['auto', ...FREEZE_MEANS], { error: `write auto, ${FREEZE_MEANS.join(' or ')}` })
    .describe(
      'How drift is frozen. budget: an entry in each NodePool’s budgets; self-expiring: one that ends after timing.freezeExpiry unless renewed; node-annotation: karpenter.sh/do-not-disrupt on each Node, where GitOps would revert budgets; auto: node-annotation for NodePools kept by Flux, Argo CD or Terraform, else budget',
    )
    .optional(),
  switchNodeClass: z
    .array(
      z.strictObject({
        nodePool: text('write the name of a NodePool').describe('Its spec.template.spec.nodeClassRef.name is changed'),
        to: text('write the name of an EC2NodeClass').describe('An EC2NodeClass that exists and is Ready'),
      }),
      { error: 'write a list of nodePool and to' },
    )
    .describe('NodePools to point at another EC2NodeClass (Bottlerocket, AL2023) once drift is frozen; nodes follow at their pace')
    .optional(),
  chart: chartLocation('write where the chart karpenter is: an OCI reference, a chart repository or a path such as ./charts/karpenter')
    .describe('Where the chart karpenter is, if managedBy.karpenter is helm; a path ./… is beside this file')
    .optional(),
  crdChart: chartLocation('write where the chart karpenter-crd is: an OCI reference, a chart repository or a path')
    .describe('Where the chart karpenter-crd is')
    .optional(),
  release: text('write the name of a Helm release').describe('Release of the controller').optional(),
  crdRelease: text('write the name of a Helm release').describe('Release of the CRDs').optional(),
  releaseNamespace: text('write a namespace').describe('Namespace of both releases').optional(),
  ownerKeys: z
    .array(text('write the key of a label or annotation such as team'), { error: 'write a list of keys such as ["owner", "team"]' })
    .describe('Labels and annotations that name the owner of pods, workloads and namespaces, best first')
    .optional(),
  waves: z
    .strictObject({
      by: z.enum(WAVES_BY, { error: 'write zone, nodepool or count' }).describe('What the nodes of a wave share'),
      nodes: z
        .number({ error: RIGHT_QUORUM })
        .int({ error: RIGHT_QUORUM })
        .min(1, { error: RIGHT_QUORUM })
        .describe('Nodes per wave by count')
        .optional(),
      gate: flag().describe('Ask at a gate between waves?').optional(),
    })
    .refine(({ by, nodes }) => (by === 'count') === (nodes !== undefined), {
      error: 'nodes belongs to waves by count, and those need it',
    })
    .describe(
      'Karpenter replaces its nodes in waves; nodes of later waves are held by annotation. timing.waveBake is waited for after each',
    )
    .optional(),
  holdAmis: flag()
    .describe(
      'Pin EC2NodeClasses to their nodes’ images from the freeze until nodes are replaced, over several hops too: new nodes keep the earlier version, so EKS can roll the control plane back (deploy/kubernetes-rbac-node-classes.yaml)',
    )
    .optional(),
  canaryNode: text('write the name of a NodePool')
    .describe(
      'NodePool for one extra node, launched once a new controller version runs; the upgrade continues when that node is Ready and removed again (deploy/kubernetes-rbac-canary-node.yaml)',
    )
    .optional(),
  promoteFrom: z
    .strictObject({
      cluster: text('write the name of a cluster of this file').describe('The cluster whose AMI releases are promoted').optional(),
      environment: text('write an environment of this file such as staging').describe('All clusters of this environment').optional(),
      bakedDays: z
        .number({ error: RIGHT_DAYS })
        .int({ error: RIGHT_DAYS })
        .min(1, { error: RIGHT_DAYS })
        .describe('Minimum age of its oldest node'),
    })
    .refine(({ cluster, environment }) => (cluster === undefined) !== (environment === undefined), {
      error: 'write either cluster or environment',
    })
    .describe(
      'EC2NodeClasses of this cluster are pinned to the AMI release that another cluster, or every cluster of another environment, runs on all Karpenter nodes of that family for so many days; changed with the roll, through the owner (deploy/kubernetes-rbac-node-classes.yaml). Where there is none the plan says why, and people decide before nodes roll',
    )
    .optional(),
  migration: z
    .strictObject({
      moveNodes: z
        .enum(MOVE_NODES, { error: 'write ask, drift, cascade or by-hand' })
        .describe(
          'How to replace nodes of Machines (v1alpha5). ask: choose at a gate; drift: one at a time, by a taint; cascade: delete Provisioners, whose nodes all drain at once; by-hand: you delete nodes, Belay watches',
        )
        .optional(),
    })
    .describe('The way of Karpenter’s objects to the API v1, where Karpenter is older than 1.0')
    .optional(),
  amis: z
    .record(text('write the name of an EC2NodeClass'), selection, { error: 'write AMIs by the names of EC2NodeClasses' })
    .describe(
      'What EC2NodeClasses, by name, choose after the control plane moved: an alias such as al2023@v20251016, or AMI ids. In others, ids of Amazon’s images and pinned aliases without an image for the target move to the newest release (deploy/kubernetes-rbac-node-classes.yaml)',
    )
    .optional(),
});
