/** In a rehearsal Belay has the rights that deploy/ grants it, and no others; people have all. */
import { DeleteNodegroupCommand, DescribeClusterCommand, EKSClient, ListFargateProfilesCommand } from '@aws-sdk/client-eks';
import { GetParameterCommand, GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { AuthorizationV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEksTokenSource } from '../../activities/clients/aws/eks-token.ts';
import { connectionFactory } from '../../activities/clients/kubernetes/connection.ts';
import { createTransport, type Transport } from '../../activities/clients/kubernetes/transport.ts';
import { createKubernetesPort } from '../../activities/clients/kubernetes/client.ts';
import type { KubernetesPort } from '../../activities/contract/ports.ts';
import { BELAY_ACCESS_KEY } from '../../rehearsal/world/core/rights.ts';
import { setStage, type Stage } from '../../rehearsal/play/stage/stage.ts';
import { awsToken, configFor, rawGet } from './kubernetes/harness.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';

let stage: Stage;
const transports: Transport[] = [];

beforeAll(async () => {
  stage = await setStage({ scenario: findScenario('small'), speed: 60, faults: [], temporalUi: () => undefined });
});

afterAll(async () => {
  for (const transport of transports) await transport.close();
  await stage.close();
});

const options = (accessKeyId: string) => ({
  endpoint: stage.aws.url,
  region: 'eu-central-1',
  credentials: { accessKeyId, secretAccessKey: 'rehearsal' },
  maxAttempts: 1,
});

function kubernetesAs(accessKeyId: string): KubernetesPort {
  const { name, account, region } = findScenario('small').cluster;
  const { url: endpoint, caData } = stage.kubernetes;
  const tokens = createEksTokenSource(new STSClient(options(accessKeyId)), name);
  const transport = createTransport(
    connectionFactory({ ref: { name, account, region } }, { endpoint: async () => ({ endpoint, caData }), tokens }),
  );
  transports.push(transport);
  return createKubernetesPort(transport);
}

describe('AWS', () => {
  test('grants what the policy allows', async () => {
    const eks = new EKSClient(options(BELAY_ACCESS_KEY));
    const { cluster } = await eks.send(new DescribeClusterCommand({ name: 'small' }));
    expect(cluster?.version).toBe('1.31');
  });

  test('refuses everything else in the words of AWS', async () => {
    const eks = new EKSClient(options(BELAY_ACCESS_KEY));
    await expect(eks.send(new DeleteNodegroupCommand({ clusterName: 'small', nodegroupName: 'default' }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: arn:aws:iam::111122223333:user/${BELAY_ACCESS_KEY} is not authorized to perform: eks:DeleteNodegroup`,
    });
  });

  test('refuses operations of other services that the policy does not name', async () => {
    const Path = '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023';
    await expect(new SSMClient(options(BELAY_ACCESS_KEY)).send(new GetParametersByPathCommand({ Path }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: arn:aws:iam::111122223333:user/${BELAY_ACCESS_KEY} is not authorized to perform: ssm:GetParametersByPath`,
    });
    const Name = '/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id';
    const { Parameter } = await new SSMClient(options('AKIASOMEBODY')).send(new GetParameterCommand({ Name }));
    expect(Parameter?.Value).toMatch(/^ami-/);
  });

  test('refuses nothing to other people', async () => {
    const { fargateProfileNames } = await new EKSClient(options('AKIASOMEBODY')).send(
      new ListFargateProfilesCommand({ clusterName: 'small' }),
    );
    expect(fargateProfileNames).toEqual([]);
  });
});

describe('Kubernetes', () => {
  test('grants what the ClusterRole allows', async () => {
    expect(await kubernetesAs(BELAY_ACCESS_KEY).list({ apiVersion: 'karpenter.sh/v1', plural: 'nodepools' })).toHaveLength(1);
  });

  test.each([
    ['reading Secrets', (port: KubernetesPort) => port.list({ apiVersion: 'v1', plural: 'secrets', namespace: 'kube-system' })],
    ['deleting nodes', (port: KubernetesPort) => port.delete({ apiVersion: 'v1', plural: 'nodes', name: 'ip-10-0-16-11' })],
    [
      'changing a validating webhook that is not the default validator',
      (port: KubernetesPort) =>
        port.patch(
          { apiVersion: 'admissionregistration.k8s.io/v1', plural: 'validatingwebhookconfigurations', name: 'policy' },
          { type: 'merge', body: {} },
        ),
    ],
  ])('refuses %s', async (_name, act) => {
    await expect(act(kubernetesAs(BELAY_ACCESS_KEY))).rejects.toMatchObject({ type: 'AccessDenied' });
  });

  test('RS6: refuses what only a mesh needs where there is none, and Belay names the role that gives it', async () => {
    const act = kubernetesAs(BELAY_ACCESS_KEY).patch(
      { apiVersion: 'v1', plural: 'namespaces', name: 'default' },
      { type: 'merge', body: {} },
    );
    await expect(act).rejects.toMatchObject({
      type: 'AccessDenied',
      message: expect.stringMatching(/cannot patch resource "namespaces".*; apply deploy\/kubernetes-rbac-istio\.yaml$/),
    });
  });

  test('tells Belay beforehand what it may do, and everything to other people', async () => {
    const rules = async (token: string) => {
      const reviews = configFor(stage.kubernetes, token).makeApiClient(AuthorizationV1Api);
      const { status } = await reviews.createSelfSubjectRulesReview({ body: { spec: { namespace: 'default' } } });
      return status;
    };
    const own = await rules(awsToken({ accessKeyId: BELAY_ACCESS_KEY }));
    expect(own?.incomplete).toBe(false);
    expect(own?.resourceRules).toContainEqual({ verbs: ['get', 'list', 'patch'], apiGroups: [''], resources: ['nodes'] });
    expect(own?.resourceRules.filter(({ resources }) => resources?.includes('secrets'))).toEqual([]);
    expect(own?.nonResourceRules).toContainEqual({ verbs: ['get'], nonResourceURLs: ['/version', '/readyz', '/metrics'] });
    expect((await rules(stage.kubernetesToken))?.resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
  });

  test('lets Belay try out its rights, and keeps paths from it that it has no business with', async () => {
    const authorization = `Bearer ${awsToken({ accessKeyId: BELAY_ACCESS_KEY })}`;
    const reviews = configFor(stage.kubernetes, awsToken({ accessKeyId: BELAY_ACCESS_KEY })).makeApiClient(AuthorizationV1Api);
    const may = async (verb: string, resource: string) =>
      (await reviews.createSelfSubjectAccessReview({ body: { spec: { resourceAttributes: { verb, resource, group: '' } } } })).status
        ?.allowed;
    expect([await may('patch', 'nodes'), await may('delete', 'nodes')]).toEqual([true, false]);
    expect((await rawGet(stage.kubernetes, '/readyz', { authorization })).status).toBe(200);
    expect((await rawGet(stage.kubernetes, '/metrics/slis', { authorization })).status).toBe(403);
  });

  test('refuses nothing to other people', async () => {
    expect(await kubernetesAs('AKIASOMEBODY').list({ apiVersion: 'v1', plural: 'secrets', namespace: 'kube-system' })).toBeDefined();
  });
});
