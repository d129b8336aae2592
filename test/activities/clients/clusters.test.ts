/** Which cluster clients lead to, and what Helm is given for it. */
import type { STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeCluster, describeNodegroup } from '../../../activities/clients/aws/eks-api.ts';
import { callerIdentityEndpoint } from '../../../activities/clients/aws/presigned-identity.ts';
import { type ClusterClients, createClusterClients } from '../../../activities/clients/clusters.ts';
import type { AwsClients } from '../../../activities/clients/aws/clients.ts';
import type { ClusterSettings } from '../../../activities/contract/ports.ts';
import { CLUSTER } from '../../support/facts.ts';
import { startTwin, type Twin } from '../support/twin.ts';

const answering = (answer: object): AwsClients => ({ eks: { send: () => Promise.resolve(answer) } }) as unknown as AwsClients;

describe('what EKS does not say is nothing to go by', () => {
  test.each<[string, object, string, string]>([
    ['no cluster', {}, 'NotFound', 'EKS answered without a cluster'],
    [
      'a cluster of nobody',
      { cluster: { name: CLUSTER.name } },
      'InvalidRequest',
      'EKS does not say in which account and region it is (ARN "")',
    ],
    [
      'a cluster of the same name elsewhere',
      { cluster: { name: CLUSTER.name, arn: `arn:aws:eks:${CLUSTER.region}:999999999999:cluster/${CLUSTER.name}` } },
      'Configuration',
      `these AWS credentials lead to account 999999999999 in ${CLUSTER.region}, but belay.yaml says ${CLUSTER.account} in ${CLUSTER.region}; use the right role or correct belay.yaml`,
    ],
  ])('%s', async (_what, answer, type, why) => {
    await expect(describeCluster(answering(answer), CLUSTER)).rejects.toMatchObject({
      type,
      nonRetryable: true,
      message: `reading cluster ${CLUSTER.name}: ${why}`,
    });
  });

  test('no node group', async () => {
    await expect(describeNodegroup(answering({}), CLUSTER, 'workers')).rejects.toMatchObject({
      type: 'NotFound',
      message: `reading node group workers of ${CLUSTER.name}: EKS answered without a node group`,
    });
  });

  test('no address of STS', async () => {
    const silent = { send: () => Promise.resolve({}) } as unknown as STSClient;
    await expect(callerIdentityEndpoint(silent)).rejects.toThrow('the AWS SDK resolved no STS endpoint');
  });
});

describe('the way to the API server', () => {
  let twin: Twin;
  const opened: ClusterClients[] = [];
  beforeEach(async () => {
    twin = await startTwin('small');
  });
  afterEach(async () => {
    for (const clients of opened.splice(0)) await clients.close();
    await twin.close();
  });
  const clientsWith = (change: Partial<ClusterSettings> = {}): ClusterClients => {
    const clients = createClusterClients({ settings: () => ({ ref: twin.ref, ...change }) });
    opened.push(clients);
    return clients;
  };

  test('is in a kubeconfig of its own, or in the one that belay.yaml names', async () => {
    const { endpoint, caData } = twin.built.world.eks.cluster;
    const own = await clientsWith().kubeconfig(twin.ref);
    if (own.kind !== 'text') throw new Error(`${own.kind} is no text`);
    expect(own.text).toContain(endpoint);
    expect(own.text).toContain(caData);
    const named = clientsWith({ kubeconfig: '/etc/kubeconfig', context: 'small' });
    expect(await named.kubeconfig(twin.ref)).toEqual({ kind: 'file', path: '/etc/kubeconfig', context: 'small' });
    // EKS was not asked for a token that nobody needs.
    expect(await clientsWith({ kubeconfig: '/etc/kubeconfig' }).kubeconfig(twin.ref)).toEqual({ kind: 'file', path: '/etc/kubeconfig' });
  });

  test.each([
    ['endpoint', { endpoint: '' }],
    ['certificate authority', { caData: '' }],
  ])('a cluster that has no %s yet has none', async (what, change) => {
    Object.assign(twin.built.world.eks.cluster, { status: 'CREATING', ...change });
    await expect(clientsWith().kubeconfig(twin.ref)).rejects.toMatchObject({
      type: 'InvalidRequest',
      message: `connecting to small: the cluster is CREATING and has no ${what} yet`,
    });
  });

  test.each([{ account: '999999999999' }, { region: 'us-east-1' }])('a run is not led to another place by belay.yaml: %j', (change) => {
    const { account, region } = { ...twin.ref, ...change };
    expect(() => clientsWith({ ref: { ...twin.ref, ...change } }).aws(twin.ref)).toThrow(
      `belay.yaml now places small in account ${account}, ${region}, but this run began in ${twin.ref.account}, ${twin.ref.region}; correct belay.yaml or stop the run`,
    );
  });

  test('F38: nor to another cluster of the same account', () => {
    const began = { ...twin.ref, eksName: 'main' };
    expect(() => clientsWith({ ref: { ...twin.ref, eksName: 'other' } }).aws(began)).toThrow(
      'belay.yaml now says that EKS calls small other, but this run began on main; correct belay.yaml or stop the run',
    );
    expect(() => clientsWith({ ref: began }).aws(began)).not.toThrow();
  });
});
