/** Control-plane logs before the first hop: only where belay.yaml asks for them. */
import { expect, test } from 'vitest';
import { healthyFacts, policy, seed002Facts } from '../../support/facts.ts';
import { planOf, stepIds } from '../../support/plans.ts';

const wanting = { policy: policy({ controlPlane: { logging: ['api', 'audit'] } }) };
const isLogging = (id: string): boolean => id.startsWith('control-plane-logging');

test('off by default', () => {
  expect(stepIds(planOf(healthyFacts(), '1.34')).filter(isLogging)).toEqual([]);
});

test('once, right behind the first pre-checks, with what it costs and how it is switched off', () => {
  const plan = planOf(seed002Facts(), '1.34', wanting);
  expect(stepIds(plan).filter(isLogging)).toEqual(['control-plane-logging@1.33']);
  expect(plan.steps[1]).toMatchObject({
    id: 'control-plane-logging@1.33',
    title: 'Control-plane logs api, audit',
    why: 'belay.yaml wants api, audit in CloudWatch before the first control plane moves: what happened during the upgrade can be read afterwards. CloudWatch charges for each gigabyte that it takes and keeps; audit is the largest.',
    rollback: {
      what: 'the logs api, audit',
      how: `aws eks update-cluster-config --name prod --region eu-central-1 --logging '{"clusterLogging":[{"types":["api","audit"],"enabled":false}]}'`,
      until: 'always; they stay on',
      cost: 'none; log group /aws/eks/prod/cluster costs until it is deleted',
    },
    params: { phase: 'control-plane-logging', at: '1.32', types: ['api', 'audit'], managedBy: 'eks' },
  });
});

test('F38: the command and the log group have the name that EKS has for the cluster, titles its own', () => {
  const facts = seed002Facts();
  const plan = planOf({ ...facts, cluster: { ...facts.cluster, name: 'shop-main', eksName: 'main' } }, '1.34', wanting);
  expect(plan.steps[1]?.rollback).toMatchObject({
    how: `aws eks update-cluster-config --name main --region eu-central-1 --logging '{"clusterLogging":[{"types":["api","audit"],"enabled":false}]}'`,
    cost: 'none; log group /aws/eks/main/cluster costs until it is deleted',
  });
  expect(plan.steps[0]?.gate?.title).toMatch(/^Start the upgrade of shop-main, /);
});

test('those that are on already are left out', () => {
  const facts = healthyFacts();
  const on = (logs: string[]) => ({ ...facts, controlPlane: { ...facts.controlPlane, logs } });
  expect(planOf(on(['api']), '1.34', wanting).steps[1]?.params).toMatchObject({ types: ['audit'] });
  expect(stepIds(planOf(on(['audit', 'api']), '1.34', wanting)).filter(isLogging)).toEqual([]);
});
