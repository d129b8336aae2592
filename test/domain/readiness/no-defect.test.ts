/** What looks like a defect and is none: a check that cries wolf is waived, and then nobody hears it. */
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { catchesOf } from '../../../domain/readiness/checks/workloads/admission.ts';
import { runCheck } from '../../../domain/readiness/model/check.ts';
import type { Evidence, NodeSeen, Shape } from '../../../domain/readiness/model/evidence.ts';
import type { PodSeen } from '../../../domain/readiness/model/evidence-workloads.ts';
import { addOn, budget, CONTEXT, definition, evidence, node, pod, workload } from './healthy.ts';

const statusOf = (code: string, seen: Evidence): string[] =>
  CATALOGUE.filter((check) => check.code === code).flatMap((check) => runCheck(check, seen, CONTEXT).map(({ status }) => status));

describe('webhooks', () => {
  const gone: Shape<'services'> = [];
  const webhook = (over: Partial<Shape<'webhooks'>[number]>): Shape<'webhooks'>[number] => ({
    kind: 'ValidatingWebhookConfiguration',
    configuration: 'policy',
    name: 'policy.example.com',
    failurePolicy: 'Fail',
    service: { namespace: 'security', name: 'policy' },
    catches: ['pods'],
    ...over,
  });

  test.each<[string, Partial<Shape<'webhooks'>[number]>]>([
    ['fails open', { failurePolicy: 'Ignore' }],
    ['is asked about nothing that an upgrade makes', { catches: [] }],
    ['is outside the cluster', { service: undefined }],
  ])('K19: one that %s does not count', (_what, over) => {
    expect(statusOf('K8S011', evidence({ services: gone, webhooks: [webhook(over)] }))).toEqual(['pass']);
  });

  test('K19: one whose Service is gone counts', () => {
    expect(statusOf('K8S011', evidence({ services: gone, webhooks: [webhook({})] }))).toEqual(['fail']);
  });

  test('K19: a name outside the cluster has no endpoints and needs none', () => {
    const { services } = evidence();
    const external = services.ok ? services.value.map((each) => ({ ...each, external: true, ready: 0 })) : [];
    expect(statusOf('K8S011', evidence({ services: external, webhooks: [webhook({})] }))).toEqual(['pass']);
  });

  test.each<[string, Parameters<typeof catchesOf>[0][number], string[]]>([
    ['pods', { apiGroups: [''], operations: ['CREATE'], resources: ['pods'] }, ['pods']],
    [
      'everything',
      { apiGroups: ['*'], operations: ['*'], resources: ['*/*'] },
      ['pods', 'nodes', 'namespaces', 'deployments', 'daemonsets'],
    ],
    ['deletions alone', { apiGroups: [''], operations: ['DELETE'], resources: ['pods'] }, []],
    ['other things', { apiGroups: ['networking.k8s.io'], operations: ['CREATE'], resources: ['ingresses'] }, []],
  ])('K19: asked about %s', (_what, rule, caught) => {
    expect(catchesOf([rule])).toEqual(caught);
  });
});

describe('disruption budgets', () => {
  const web = budget({ name: 'web', selector: { matchLabels: { tier: 'web' } } });
  const both = { app: 'cart', tier: 'web' };

  const agentOn = (owner: NodeSeen['owner'], over: Partial<PodSeen> = {}): Evidence =>
    evidence({
      budgets: [budget(), web],
      nodes: [node({ owner })],
      pods: [pod({ labels: both, controller: { kind: 'DaemonSet', name: 'agent' }, ...over })],
    });

  test.each(['karpenter', 'auto-mode'] as const)('K13: two on a pod of a DaemonSet, which %s evicts as well, count', (owner) => {
    expect(statusOf('K8S013', agentOn(owner))).toEqual(['fail']);
  });

  test('K13: two on one pod count', () => {
    expect(statusOf('K8S013', evidence({ budgets: [budget(), web], pods: [pod({ labels: both })] }))).toEqual(['fail']);
  });

  test.each<[string, Evidence]>([
    ['one', evidence({ budgets: [budget()], pods: [pod({ labels: both })] })],
    ['one of another namespace', evidence({ budgets: [budget(), { ...web, namespace: 'bank' }], pods: [pod({ labels: both })] })],
    ['one of other pods', evidence({ budgets: [budget(), web], pods: [pod()] })],
    ['two on a pod of a DaemonSet', agentOn('node-group')],
    ['two on a pod of a DaemonSet that stays on a node which Karpenter drains', agentOn('karpenter', { toleratesDrain: true })],
    [
      'two on another pod that stays there',
      evidence({ budgets: [budget(), web], nodes: [node()], pods: [pod({ labels: both, toleratesDrain: true })] }),
    ],
    ['two on a pod that is over', evidence({ budgets: [budget(), web], pods: [pod({ labels: both, phase: 'Succeeded' })] })],
  ])('K13: %s does not', (_what, seen) => {
    expect(statusOf('K8S013', seen)).toEqual(['pass']);
  });
});

describe('workloads', () => {
  const running = (name: string, image: string, replicas: number) =>
    evidence({ workloads: [workload({ name, replicas, containers: [{ name: 'main', image, readinessProbe: true }] })] });
  const other = 'registry.example.com/scaler:1';

  test.each<[string, Evidence, string]>([
    ['one that was not told a number has one', evidence({ workloads: [workload({ replicas: undefined })] }), 'fail'],
    ['none are not away', evidence({ workloads: [workload({ replicas: 0 })] }), 'pass'],
  ])('K16: replicas: %s', (_what, seen, status) => {
    expect(statusOf('K8S012', seen)).toEqual([status]);
  });

  test.each<[string, Evidence, string]>([
    ['by its name', running('prod-aws-cluster-autoscaler', other, 2), 'fail'],
    ['by its image', running('scaler', 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.33.0', 2), 'fail'],
    ['not where it is scaled to 0', running('cluster-autoscaler', other, 0), 'pass'],
    [
      'not one of pods',
      running('cluster-proportional-autoscaler', 'registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0', 2),
      'pass',
    ],
  ])('K18: a cluster autoscaler is found %s', (_what, seen, status) => {
    expect(statusOf('K8S014', seen)).toEqual([status]);
  });
});

describe('add-ons', () => {
  const present = [{ version: 'v1.11.4-eksbuild.2', isDefault: true }];
  test.each<[string, Record<string, typeof present>, string]>([
    ['nothing is listed for any minor: nobody knows', {}, 'unknown'],
    ['nothing is listed for the target', { '1.32': present }, 'fail'],
    ['nothing is valid on both', { '1.32': present, '1.33': [{ version: 'v9.9.9-eksbuild.1', isDefault: true }] }, 'fail'],
    ['one is', { '1.32': present, '1.33': present }, 'pass'],
  ])('A24: %s', (_what, offered, status) => {
    expect(statusOf('EKS011', evidence({ addOns: [addOn({ offered })] }))).toEqual([status]);
  });
});

test('kubelets that a later hop would not take stand in no way: the plan replaces them before it', () => {
  const hops = [33, 34, 35, 36].map((minor) => ({ major: 1, minor }));
  const context = { ...CONTEXT, target: { major: 1, minor: 36 }, hops };
  const found = CATALOGUE.filter(({ code }) => code === 'K8S001').flatMap((check) =>
    runCheck(check, evidence({ nodes: [node()] }), context),
  );
  expect(found).toMatchObject([
    {
      severity: 'recommended',
      message: '1 node to be replaced on the way: out of range with the control plane at 1.36.',
      remediation: 'Nothing to do: the plan replaces nodes before the control plane moves that far.',
    },
  ]);
});

test('a CRD of Karpenter’s that has no v1 yet is stored as it is', () => {
  const overlays = definition({ name: 'nodeoverlays.karpenter.sh', group: 'karpenter.sh', storedVersions: ['v1alpha1'] });
  expect(statusOf('KAR010', evidence({ definitions: [overlays] }))).toEqual(['pass']);
});
