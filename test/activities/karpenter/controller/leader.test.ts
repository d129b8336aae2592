/** Which pod of Karpenter leads: a Ready one of the version that renews the Lease, else why there is none yet. */
import { expect, test } from 'vitest';
import { watchLeader } from '../../../../activities/karpenter/controller/leader.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { condition, podObject, workloadObject } from '../../../support/kubernetes-objects.ts';

const LEASE = 'Lease kube-system/karpenter-leader-election';
const LEASES = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases', namespace: 'kube-system', name: 'karpenter-leader-election' };

/** Two looks, with what happens in between. */
async function looks({ holder, ready = 'True', env = [], renewed = true }: Leading): Promise<(string | undefined)[]> {
  const image = 'public.ecr.aws/karpenter/controller:1.6.8';
  const template = { spec: { containers: [{ name: 'controller', image, env }] } };
  const pod = podObject('kube-system', 'karpenter-a');
  const port = new FakeKubernetes()
    .put('apps/v1', 'deployments', workloadObject('Deployment', 'kube-system', 'karpenter', { template }))
    .put('v1', 'pods', { ...pod, spec: template.spec, status: { phase: 'Running', conditions: [condition('Ready', ready)] } });
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

interface Leading {
  holder?: string;
  ready?: string;
  env?: { name: string; value: string }[];
  renewed?: boolean;
}

const STILL = `karpenter-a has not renewed ${LEASE} yet`;

test.each<[string, Leading, (string | undefined)[]]>([
  ['one that renews its Lease leads', { holder: 'karpenter-a_1f' }, [STILL, undefined]],
  ['one that stands still does not', { holder: 'karpenter-a_1f', renewed: false }, [STILL, STILL]],
  ['nobody holds it', {}, Array(2).fill(`no pod of Karpenter holds ${LEASE}`)],
  ['it has been given back', { holder: '' }, Array(2).fill(`no pod of Karpenter holds ${LEASE}`)],
  ['its holder is gone', { holder: 'karpenter-b_2e' }, Array(2).fill(`${LEASE} is held by karpenter-b_2e, which is no pod any more`)],
  ['its holder is not Ready', { holder: 'karpenter-a_1f', ready: 'False' }, Array(2).fill("Karpenter's leader karpenter-a is not Ready")],
  ['no leader is elected', { env: [{ name: 'DISABLE_LEADER_ELECTION', value: 'true' }] }, [undefined, undefined]],
])('%s', async (_title, leading, said) => {
  expect(await looks(leading)).toEqual(said);
});
