/** What readiness reads of the configuration of add-ons: against the next version's schema, and by whom their workloads were edited. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAddOnConfigurations } from '../../../../../activities/observe/readiness/aws/add-on-configuration.ts';
import type { AddOnFact } from '../../../../../domain/facts/facts.ts';
import { CLUSTER } from '../../../../support/facts.ts';
import { FakeKubernetes } from '../../../../support/fake-kubernetes.ts';
import { type FakeEks, startFakeEks } from '../../../support/fake-eks.ts';

const TARGET = { major: 1, minor: 33 };
/** As EKS gives it: what it holds is behind references. */
const SCHEMA = {
  $ref: '#/definitions/Coredns',
  definitions: {
    Coredns: {
      properties: { replicaCount: { type: 'integer' }, autoScaling: { $ref: '#/definitions/Auto' } },
      additionalProperties: false,
    },
    Auto: { properties: { enabled: {} }, additionalProperties: false },
  },
};

let eks: FakeEks;
let kubernetes: FakeKubernetes;
beforeEach(async () => {
  eks = await startFakeEks();
  eks.extra = (_, path) => (path.startsWith('/addons/configuration-schemas') ? { configurationSchema: JSON.stringify(SCHEMA) } : undefined);
  kubernetes = new FakeKubernetes();
});
afterEach(() => eks.close());

const coredns = (over: Partial<AddOnFact> = {}): AddOnFact => ({
  name: 'coredns',
  version: 'v1.11.4-eksbuild.2',
  status: 'ACTIVE',
  healthIssues: [],
  managed: true,
  offered: { '1.33': [{ version: 'v1.12.1-eksbuild.2', isDefault: true }] },
  ...over,
});
const configured = (values?: string): void => {
  eks.addOns['coredns'] = { addonName: 'coredns', ...(values === undefined ? {} : { configurationValues: values }) };
};
const read = (addOn = coredns()) => readAddOnConfigurations({ aws: eks.aws, kubernetes, ref: CLUSTER, target: TARGET }, [addOn]);

test.each([
  { title: 'none is set', values: undefined, unknownKeys: [] },
  { title: 'all are known', values: '{"replicaCount": 3}', unknownKeys: [] },
  { title: 'as YAML, some deep down', values: 'replicas: 3\nautoScaling:\n  min: 2\n', unknownKeys: ['replicas', 'autoScaling.min'] },
])('configuration values: $title', async ({ values, unknownKeys }) => {
  configured(values);
  expect(await read()).toEqual([{ name: 'coredns', version: 'v1.12.1-eksbuild.2', unknownKeys, edits: [] }]);
});

test('a version that is newer than the target’s default stays, and so does its configuration', async () => {
  configured('{"replicas": 3}');
  const newer = coredns({ version: 'v1.12.4-eksbuild.1' });
  expect(await read(newer)).toEqual([{ name: 'coredns', version: 'v1.12.4-eksbuild.1', unknownKeys: [], edits: [] }]);
});

test('configuration values without a version for the target cannot be compared', async () => {
  configured('{"replicaCount": 3}');
  expect(await read(coredns({ offered: {} }))).toEqual([{ name: 'coredns', edits: [] }]);
});

test('edits are what others own of the spec: no restart, no label, no count of revisions, no status', async () => {
  configured();
  const restart = { 'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': {} } } } };
  kubernetes.put('apps/v1', 'deployments', {
    metadata: {
      name: 'coredns',
      namespace: 'kube-system',
      managedFields: [
        { manager: 'eks', fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': {} } } } },
        { manager: 'kube-controller-manager', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        { manager: 'kube-apiserver', subresource: 'status', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        { manager: 'kubectl-rollout', fieldsV1: restart },
        { manager: 'kubectl-label', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:team': {} } } } },
        { manager: 'kubectl-edit', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        { manager: 'helm', fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': { 'f:tolerations': {} } } } } },
      ],
    },
  });
  expect(await read()).toMatchObject([
    {
      edits: [
        { kind: 'Deployment', name: 'coredns', by: 'kubectl-edit' },
        { kind: 'Deployment', name: 'coredns', by: 'helm' },
      ],
    },
  ]);
});
