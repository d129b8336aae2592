/** What people are offered to scale of a pod that holds a node back, and whom they are sent to. */
import { expect, test } from 'vitest';
import type { Pod } from '../../../../activities/clients/kubernetes/objects.ts';
import { peopleOf, workloadName, workloadOf } from '../../../../activities/kubernetes/drain/pod-owners.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { workloadObject } from '../../../support/kubernetes-objects.ts';

type Owner = { kind: string; name: string };

const references = (owner: Owner | undefined): object =>
  owner === undefined ? {} : { ownerReferences: [{ ...owner, apiVersion: 'apps/v1', uid: 'u', controller: true }] };
const podOf = (owner?: Owner, metadata: object = {}): Pod =>
  ({ metadata: { name: 'web-5d4f-x', namespace: 'shop', ...references(owner), ...metadata } }) as Pod;

/** A Deployment with an autoscaler, a StatefulSet, and ReplicaSets of the Deployment, of something else, and of nobody. */
function shop(): FakeKubernetes {
  const port = new FakeKubernetes()
    .put('apps/v1', 'deployments', workloadObject('Deployment', 'shop', 'web', { replicas: 3 }))
    .put('apps/v1', 'statefulsets', workloadObject('StatefulSet', 'shop', 'db'))
    .put('autoscaling/v2', 'horizontalpodautoscalers', {
      metadata: { name: 'web-hpa', namespace: 'shop' },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } },
    });
  for (const [name, owner] of [
    ['web-5d4f', { kind: 'Deployment', name: 'web' }],
    ['canary-1', { kind: 'Rollout', name: 'canary' }],
    ['lone', undefined],
  ] as const)
    port.put('apps/v1', 'replicasets', { metadata: { name, namespace: 'shop', ...references(owner) } });
  return port;
}

const web = { kind: 'Deployment', namespace: 'shop', name: 'web', replicas: 3, autoscaler: 'web-hpa' };

test.each<[string, Owner | undefined, object | undefined, string | undefined]>([
  ['of a Deployment with an autoscaler', { kind: 'ReplicaSet', name: 'web-5d4f' }, web, 'shop/web'],
  ['of a StatefulSet', { kind: 'StatefulSet', name: 'db' }, { kind: 'StatefulSet', namespace: 'shop', name: 'db', replicas: 1 }, 'shop/db'],
  ['of a StatefulSet that is gone', { kind: 'StatefulSet', name: 'old' }, undefined, 'shop/old'],
  ['of a ReplicaSet that is gone', { kind: 'ReplicaSet', name: 'web-0000' }, undefined, 'shop/web'],
  ['of a ReplicaSet of its own', { kind: 'ReplicaSet', name: 'lone' }, undefined, 'shop/lone'],
  ['of a ReplicaSet of another kind', { kind: 'ReplicaSet', name: 'canary-1' }, undefined, 'shop/canary'],
  ['of a Job that is called like a ReplicaSet', { kind: 'Job', name: 'web-5d4f' }, undefined, 'shop/web-5d4f'],
  ['of nobody', undefined, undefined, undefined],
])('a pod %s', async (_what, owner, workload, name) => {
  expect(await workloadOf(shop(), podOf(owner))).toEqual(workload);
  expect(workloadName(podOf(owner))).toBe(name);
});

const TEAM = 'example.com/team';

test.each<[string, object, object, object, string[]]>([
  ['by the pod before the others', { labels: { [TEAM]: 'payments' } }, { labels: { [TEAM]: 'web' } }, {}, ['team payments']],
  ['by an annotation of the workload', {}, { annotations: { [TEAM]: ' web ' } }, { labels: { [TEAM]: 'all' } }, ['team web']],
  ['by the namespace', { labels: { [TEAM]: ' ' } }, {}, { labels: { [TEAM]: 'all' } }, ['team all']],
  ['by each key that says something else', { labels: { [TEAM]: 'a', owner: 'a', contact: '#b' } }, {}, {}, ['team a', 'contact #b']],
  ['by nobody', {}, {}, {}, []],
])('whose a pod is, said %s', async (_what, pod, workload, namespace, people) => {
  const port = shop().put('v1', 'namespaces', { metadata: { name: 'shop', ...namespace } });
  port.edit(
    { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'shop', name: 'web' },
    ({ metadata }) => void Object.assign(metadata, workload),
  );
  const asked = podOf({ kind: 'ReplicaSet', name: 'web-5d4f' }, pod);
  expect(await peopleOf(port, asked, await workloadOf(port, asked), [TEAM, 'owner', 'contact'])).toEqual(people);
  expect(await peopleOf(port, asked, undefined, [])).toEqual([]);
});
