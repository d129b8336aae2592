/** Recorded objects for a real API server: without what it would refuse. */
import { expect, test } from 'vitest';
import { plantable } from '../../../rehearsal/real/plantable.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';

const nothing = { get: () => undefined };

const workload = (spec: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { replicas: 2, template: { spec } },
});

test('what a snapshot only knows to be there is taken out of templates', () => {
  const recorded = workload({
    serviceAccountName: 'web',
    priorityClassName: 'high',
    hostAliases: [{ ip: '192.0.2.01' }],
    dnsConfig: { nameservers: ['192.0.2.1'] },
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'tls', secret: {} },
      { name: 'host', hostPath: {} },
    ],
    containers: [
      { name: 'web', readinessProbe: { periodSeconds: 5, httpGet: {} }, lifecycle: { preStop: { exec: {} } } },
      { name: 'proxy', image: 'proxy:1', lifecycle: { preStop: { sleep: { seconds: 10 } } } },
    ],
  });
  expect(plantable(recorded, nothing).spec.template.spec).toEqual({
    priorityClassName: 'high',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    containers: [
      { name: 'web', image: 'snapshot.invalid/not-recorded:0' },
      { name: 'proxy', image: 'proxy:1', lifecycle: { preStop: { sleep: { seconds: 10 } } } },
    ],
  });
  expect(recorded.spec.template.spec.volumes).toHaveLength(3);
});

test('a Service has none of its addresses: they are stand-ins, and new API servers refuse some', () => {
  const service: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { type: 'LoadBalancer', externalIPs: ['192.0.2.01'], loadBalancerSourceRanges: ['192.0.2.1/24'] },
  };
  expect(plantable(service, nothing).spec).toEqual({ type: 'LoadBalancer' });
});

test('a volume is bound to its claim by name', () => {
  const volume: KubeObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk' },
    spec: { claimRef: { namespace: 'shop', name: 'data', uid: 'old' } },
  };
  expect(plantable(volume, nothing).spec.claimRef).toEqual({ namespace: 'shop', name: 'data' });
});

test('conditions have the words that a real API server asks for, and keep those that they have', () => {
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'AMIsReady', status: 'False', reason: 'AMINotFound', message: 'none' },
  ];
  const nodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', uid: 'u' },
    status: { conditions },
  };
  expect(plantable(nodeClass, { get: () => undefined }).status.conditions).toEqual([
    { type: 'Ready', status: 'True', reason: 'Recorded', message: '' },
    conditions[1],
  ]);
});
