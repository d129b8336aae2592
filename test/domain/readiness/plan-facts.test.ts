/** Readiness's evidence as facts of a plan. */
import { expect, test } from 'vitest';
import { planFacts } from '../../../domain/readiness/plan-facts.ts';
import { blindTo, evidence } from './healthy.ts';

test('subnets of the control plane, and what it depends on', () => {
  const subnets = [
    { id: 'subnet-a', zone: 'eu-west-1a', freeIps: 7, uses: ['cluster' as const, 'nodes' as const] },
    { id: 'subnet-n', zone: 'eu-west-1a', freeIps: 900, uses: ['nodes' as const] },
  ];
  const gone = { encryptionKey: { id: 'key-1', state: 'not there' }, securityGroups: [{ id: 'sg-1', present: false }] };
  expect(planFacts(evidence({ subnets, ...gone }))).toEqual({
    subnets: [{ id: 'subnet-a', zone: 'eu-west-1a', freeIpCount: 7 }],
    dependencies: [
      { kind: 'iam-role', id: 'cluster', present: true },
      { kind: 'security-group', id: 'sg-1', present: false },
      { kind: 'kms-key', id: 'key-1', present: false },
    ],
  });
});

test('a subnet of the control plane that is gone is missing, one of nodes is not its business', () => {
  const subnets = [
    { id: 'subnet-a', zone: 'eu-west-1a', freeIps: 7, uses: ['cluster' as const] },
    { id: 'subnet-x', zone: '', freeIps: 0, gone: true as const, uses: ['cluster' as const] },
    { id: 'subnet-y', zone: '', freeIps: 0, gone: true as const, uses: ['nodes' as const] },
  ];
  const facts = planFacts(evidence({ subnets }));
  expect(facts.subnets?.map(({ id }) => id)).toEqual(['subnet-a']);
  expect(facts.dependencies?.filter(({ kind }) => kind === 'subnet')).toEqual([{ kind: 'subnet', id: 'subnet-x', present: false }]);
});

test('a key that is off is there: the pre-checks judge it', () => {
  const { dependencies } = planFacts(evidence({ encryptionKey: { id: 'key-1', state: 'Disabled' } }));
  expect(dependencies?.find(({ kind }) => kind === 'kms-key')).toEqual({ kind: 'kms-key', id: 'key-1', present: true });
});

test.each(['securityGroups', 'clusterRole', 'encryptionKey'] as const)('without %s nothing is said of dependencies', (source) => {
  expect(Object.keys(planFacts(blindTo([source])))).toEqual(['subnets']);
});

test('subnets that could not be read are not none', () => {
  expect(Object.keys(planFacts(blindTo(['subnets'])))).toEqual(['dependencies']);
});
