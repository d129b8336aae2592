/** The schema of belay.yaml: the one source of its validation and of the editors' JSON Schema. */
import { REGION } from '../../core/cluster-ref.ts';
import { z } from 'zod';
import { approvalsSchema } from './sections/approvals.ts';
import { environmentsSchema } from './sections/environments.ts';
import { campaignsSchema } from './sections/campaigns.ts';
import { account, chartLocation, flag, httpUrl, managedOutsideEks, managedThroughEks, minor, text } from './base/fields.ts';
import { forecastSchema } from './sections/forecast.ts';
import { grafanaSchema } from './sections/grafana.ts';
import { healthSchema } from './health/health.ts';
import { karpenterSchema } from './sections/karpenter.ts';
import { eksName } from './sections/names.ts';
import { network } from './sections/networks.ts';
import { notificationsSchema } from './sections/notifications.ts';
import { peopleSchema } from './sections/people.ts';
import { prometheusSchema } from './health/prometheus.ts';
import { proposalsSchema } from './sections/proposals.ts';
import { recordsSchema } from './sections/records.ts';
import { roleFields } from './sections/roles.ts';
import { signingSchema } from './sections/signing.ts';
import { slackSchema } from './sections/slack.ts';
import { timingSchema } from './sections/timing.ts';
import { waivers } from './sections/waivers.ts';
import { windowsSchema } from './sections/windows.ts';
import { CONTROL_PLANE_LOGS, FARGATE_BACK, NODE_STRATEGIES } from '../policy.ts';

const clusterFields = {
  region: text('write an AWS region such as eu-west-1', REGION).describe('AWS region of the cluster').optional(),
  account: account.describe('AWS account id, in quotes').optional(),
  ...roleFields,
  network: network.optional(),
  environment: text('write a name such as production').describe('Shown in Slack and Temporal UI').optional(),
  channel: text('write a channel id such as C012AB3CD or its name').describe('Slack channel').optional(),
  stakeholders: text('write a channel id such as C012AB3CD or its name').describe('Second channel').optional(),
  target: minor.describe('Version to upgrade to, unless a command names one').optional(),
  strategy: z
    .enum(NODE_STRATEGIES, { error: 'write every-hop or once-at-the-end' })
    .describe('When to replace nodes in an upgrade of several hops')
    .optional(),
  rollbackEachHop: flag().describe('Each hop must be possible to roll back on its own').optional(),
  allowWorkerOnCluster: flag()
    .describe(
      'The worker may run on this cluster: its pod is on nodes that no step replaces, such as Fargate. Otherwise such a plan is refused',
    )
    .optional(),
  kubernetes: z
    .strictObject({
      kubeconfig: text('write the path of a kubeconfig file').describe('Kubeconfig file, relative to belay.yaml').optional(),
      context: text('write the name of a context in the kubeconfig').describe('Context in that file').optional(),
    })
    .describe('Only where the API server is not reached with AWS credentials')
    .optional(),
  prometheus: prometheusSchema.optional(),
  health: healthSchema.optional(),
  managedBy: z
    .strictObject({
      controlPlane: managedThroughEks.describe('Who changes the Kubernetes version, managed node groups or EKS add-ons').optional(),
      nodeGroups: managedThroughEks.describe('Who changes the Kubernetes version, managed node groups or EKS add-ons').optional(),
      addOns: managedThroughEks.describe('Who changes the Kubernetes version, managed node groups or EKS add-ons').optional(),
      karpenter: managedOutsideEks.describe("Who changes Karpenter's controller and CRDs, or Istio control planes (istiod)").optional(),
      istio: managedOutsideEks.describe("Who changes Karpenter's controller and CRDs, or Istio control planes (istiod)").optional(),
    })
    .describe('Who changes which component: where it is not Belay (eks, helm), Belay asks and watches')
    .optional(),
  waivers: waivers.optional(),
  optionalRole: flag()
    .describe(
      'Checks may read Secrets of Helm releases (deploy/kubernetes-rbac-helm-releases.yaml is applied); otherwise these checks are UNKNOWN',
    )
    .optional(),
  approvals: approvalsSchema.optional(),
  windows: windowsSchema.optional(),
  timing: timingSchema.optional(),
  karpenter: karpenterSchema.optional(),
  forecast: forecastSchema.optional(),
  nodeGroups: z
    .strictObject({
      clusterAutoscaler: z
        .enum(['pause', 'leave'], { error: 'write pause or leave' })
        .describe('Cluster Autoscaler while node groups move. pause: scale it to 0, then back')
        .optional(),
      selfManaged: z
        .enum(['refresh', 'ask'], { error: 'write refresh or ask' })
        .describe(
          'Your own Auto Scaling groups. refresh: Belay adds a launch template version and refreshes the instances (deploy/iam-policy-self-managed.json, deploy/kubernetes-rbac-self-managed.yaml); it still asks for groups kept by Terraform or CloudFormation',
        )
        .optional(),
      minHealthyPercent: z
        .number({ error: 'write a whole number from 0 to 100' })
        .int({ error: 'write a whole number from 0 to 100' })
        .min(0, { error: 'write a whole number from 0 to 100' })
        .max(100, { error: 'write a whole number from 0 to 100' })
        .describe('Share of such a group in service during a refresh. 100: launch new instances before ending old ones')
        .optional(),
    })
    .optional(),
  controlPlane: z
    .strictObject({
      logging: z
        .array(z.enum(CONTROL_PLANE_LOGS, { error: `write one of ${CONTROL_PLANE_LOGS.join(', ')}` }), {
          error: `write a list of ${CONTROL_PLANE_LOGS.join(', ')}`,
        })
        .describe(
          'Control-plane logs to switch on, for good, before the first hop (deploy/iam-policy-optional.json); CloudWatch charges for what they hold',
        )
        .optional(),
    })
    .optional(),
  rollback: z
    .strictObject({
      fargate: z
        .enum(FARGATE_BACK, { error: 'write refuse, stop or stop-with-dns' })
        .describe(
          'Fargate pods newer than the minor to return to. refuse: refuse the plan; stop: behind a gate, scale their owners to 0 (DOWN) until the control plane is back; stop-with-dns: also CoreDNS if it runs there, so that no name resolves',
        )
        .optional(),
    })
    .describe('How a control plane is rolled back (belay rollback)')
    .optional(),
  istio: z
    .strictObject({
      moveBy: z
        .enum(['tag', 'label'], { error: 'write tag or label' })
        .describe('label: relabel namespaces wave by wave; tag: move the revision tag with the first wave, and restart wave by wave')
        .optional(),
      waves: z
        .array(
          z
            .number({ error: 'write a share between 0 and 1' })
            .gt(0, { error: 'write a share above 0 and up to 1' })
            .max(1, { error: 'write a share above 0 and up to 1' }),
          { error: 'write a list of shares such as [0.25, 1]' },
        )
        .refine((waves) => waves.at(-1) === 1, { error: 'the last wave has to be 1 (the rest)' })
        .describe('Share of namespaces per wave after a first of one namespace; 1 is the rest')
        .optional(),
      gateways: z
        .enum(['first', 'last'], { error: 'write first or last' })
        .describe('When gateways and gateway-only namespaces move')
        .optional(),
      chart: chartLocation('write where the istiod chart is: a chart repository, an OCI reference or a path such as ./charts/istiod')
        .describe(
          'Where the istiod chart is, with base beside it (repository, OCI reference, or path: ./… is beside this file), if managedBy.istio is helm',
        )
        .optional(),
    })
    .optional(),
};

const cluster = z.strictObject({ name: eksName.optional(), ...clusterFields });

export const configSchema = z
  .strictObject(
    {
      clusters: z
        .record(text('write an EKS cluster name'), cluster, { error: 'write clusters by name' })
        .refine((clusters) => Object.keys(clusters).length > 0, { error: 'name at least one cluster' })
        .describe('Clusters by the name that people use: that of EKS, or another one with `name`'),
      defaults: z.strictObject(clusterFields).describe('What holds for every cluster that does not say otherwise').optional(),
      environments: environmentsSchema.optional(),
      campaigns: campaignsSchema.optional(),
      proposals: proposalsSchema.optional(),
      approvals: approvalsSchema.optional(),
      windows: windowsSchema.optional(),
      health: healthSchema.optional(),
      people: peopleSchema.optional(),
      signing: signingSchema.optional(),
      slack: slackSchema.optional(),
      notifications: notificationsSchema.optional(),
      temporal: z
        .strictObject({
          address: text('write host:port', /^[^\s:]+:\d+$/)
            .describe('Used unless TEMPORAL_ADDRESS is set')
            .optional(),
          namespace: text('write a namespace').describe('Used unless TEMPORAL_NAMESPACE is set').optional(),
          ui: httpUrl('leave them out of the link').describe('Address of Temporal UI, for links').optional(),
        })
        .optional(),
      records: recordsSchema.optional(),
      grafana: grafanaSchema.optional(),
      timing: timingSchema.optional(),
    },
    { error: 'write at least clusters, approvals and slack.channel, or people without Slack' },
  )
  .describe('Configuration of Belay');

export type ConfigInput = z.output<typeof configSchema>;
export type ClusterInput = z.output<typeof cluster>;

/** JSON Schema (draft 2020-12) of the file as people write it. */
export function configJsonSchema(): Record<string, unknown> {
  return { title: 'belay.yaml', ...z.toJSONSchema(configSchema, { io: 'input' }) };
}
