/** Which pod of Karpenter leads: a Ready one of the version that renews the Lease, else why there is none yet, or that it is not known. */
import { expect, test } from 'vitest';
import { type Leading, watchLeader } from '../../../../activities/karpenter/controller/leader.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { condition, podObject, workloadObject } from '../../../support/kubernetes-objects.ts';

const LEASE = 'Lease kube-system/karpenter-leader-election';
const LEASES = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace: 'kube-system', name: 'karpenter-leader-election' };

const NODE = 'ip-10-0-1-23.eu-central-1.compute.internal';

/** Two looks, with what happens in between. */
async function looks({
  holder,
  ready = 'True',
  env = [],
  renewed = true,
  hostNetwork = false,
  phase = 'Running',
}: Case): Promise<Leading[]> {
  const image = 'public.ecr.aws/karpenter/controller:1.6.8';
  const containers = [{ name: 'controller', image, env }];
  const pod = podObject('kube-system', 'karpenter-a', { node: NODE, hostNetwork });
  const port = new FakeKubernetes()
    .put('apps/v1', 'deployments', workloadObject('Deployment', 'kube-system', 'karpenter', { template: { spec: { containers } } }))
    .put('v1', 'pods', {
      ...pod,
      spec: { nodeName: NODE, hostNetwork, containers },
      status: { phase, conditions: [condition('Ready', ready)] },
    });
  const renew = (renewTime: string): void => {
    const { name, namespace } = LEASES;
    port.put(LEASES.apiVersion, LEASES.plural, { metadata: { name, namespace }, spec: { holderIdentity: holder, renewTime } });
  };
  if (holder !== undefined) renew('2031-01-01T00:00:00Z');
  const watch = watchLeader(port, { namespace: 'kube-system', deployment: 'karpenter', version: '1.6.8' });
  const first = await watch.look();
  if (holder !== undefined && renewed) renew('2031-01-01T00:00:02Z');
  return [first, await watch.look()];
}

interface Case {
  holder?: string;
  ready?: string;
  env?: { name: string; value: string }[];
  renewed?: boolean;
  hostNetwork?: boolean;
  phase?: string;
}

const LEADS: Leading = { kind: 'leads' };
const notYet = (why: string): Leading => ({ kind: 'not-yet', why });
const STILL = notYet(`karpenter-a has not renewed ${LEASE} yet`);
const NONE = notYet(`no pod of Karpenter holds ${LEASE}`);
const held = (holder: string): Leading => notYet(`${LEASE} is held by ${holder}, which is not a pod of Deployment kube-system/karpenter`);
const renewedBy = (holder: string): Leading => ({
  kind: 'unknown',
  why: `${LEASE} is renewed by ${holder}, which is not a pod of Deployment kube-system/karpenter`,
});
const NOT_READY = notYet("Karpenter's leader karpenter-a is not Ready");

test.each<[string, Case, Leading[]]>([
  ['one that renews its Lease leads', { holder: 'karpenter-a_1f' }, [STILL, LEADS]],
  ['one that stands still does not', { holder: 'karpenter-a_1f', renewed: false }, [STILL, STILL]],
  ['nobody holds it', {}, [NONE, NONE]],
  ['it has been given back', { holder: '' }, [NONE, NONE]],
  ['its holder is gone', { holder: 'karpenter-b_2e', renewed: false }, [held('karpenter-b_2e'), held('karpenter-b_2e')]],
  ['its holder is not Ready', { holder: 'karpenter-a_1f', ready: 'False' }, [NOT_READY, NOT_READY]],
  ['no leader is elected', { env: [{ name: 'DISABLE_LEADER_ELECTION', value: 'true' }] }, [LEADS, LEADS]],
  ['on the host’s network: the pod of the node that holds it', { holder: `${NODE}_1f`, hostNetwork: true }, [STILL, LEADS]],
  ['the host calls itself by another domain', { holder: 'IP-10-0-1-23.corp.example_1f', hostNetwork: true }, [STILL, LEADS]],
  [
    'a host on which no pod of Karpenter runs: unknown as soon as it renews',
    { holder: 'ip-10-0-9-9_1f', hostNetwork: true },
    [held('ip-10-0-9-9_1f'), renewedBy('ip-10-0-9-9_1f')],
  ],
  [
    'a pod that has ended is not the leader, whatever node it was on',
    { holder: `${NODE}_1f`, hostNetwork: true, phase: 'Failed' },
    [held(`${NODE}_1f`), renewedBy(`${NODE}_1f`)],
  ],
  ['a pod with a network of its own is not called like its node', { holder: `${NODE}_1f` }, [held(`${NODE}_1f`), renewedBy(`${NODE}_1f`)]],
])('%s', async (_title, leading, said) => {
  expect(await looks(leading)).toEqual(said);
});
