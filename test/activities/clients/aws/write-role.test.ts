/** A role that reads and one that changes, against the twin, which grants each what deploy/two-roles gives it: who may change what, when, and as whom. */
import { UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { awsClientConfig } from '../../../../activities/clients/aws/clients.ts';
import { type ClusterClients, createClusterClients } from '../../../../activities/clients/clusters.ts';
import { inSession, sessionName, sessionTags } from '../../../../activities/clients/aws/session.ts';
import { callerProof } from '../../../../activities/clients/aws/write-clients.ts';
import { describeCluster } from '../../../../activities/clients/aws/eks-api.ts';
import { during } from '../../../../activities/runtime/translate-errors.ts';
import type { ClusterSettings } from '../../../../activities/contract/ports.ts';
import { BELAY_ACCESS_KEY } from '../../../../rehearsal/world/core/rights.ts';
import { findScenario } from '../../../../rehearsal/scenarios/index.ts';
import { setStage, type Stage } from '../../../../rehearsal/play/stage/stage.ts';

const { cluster: ref, settings } = findScenario('two-roles');
const { role: READ = '', writeRole: WRITE = '' } = settings ?? {};
const RUN = '0198c0de-1111-7222-8333-444455556666';
const writes = { of: RUN, activity: 'freezeDrift', writes: true };
const reads = { of: RUN, activity: 'readSkew', writes: false };
const pool = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools', name: 'default' };
const edit = { type: 'merge', body: { metadata: { annotations: { seen: 'yes' } } } } as const;

let stage: Stage;
const opened: ClusterClients[] = [];

beforeAll(async () => {
  stage = await setStage({ scenario: findScenario('two-roles'), speed: 60, faults: [], temporalUi: () => undefined });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: stage.aws.url,
    AWS_ACCESS_KEY_ID: BELAY_ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: 'rehearsal',
  });
});
beforeEach(() => {
  stage.built.world.eks.assumed.length = 0;
  stage.built.world.eks.untaggable = [];
});
afterAll(async () => {
  for (const clients of opened) await clients.close();
  await stage.close();
});

function clientsWith(change: Partial<ClusterSettings> = {}, purpose?: string): ClusterClients {
  const clients = createClusterClients({
    settings: () => ({ ref, roleArn: READ, writeRoleArn: WRITE, ...change }),
    ...(purpose === undefined ? {} : { purpose }),
  });
  opened.push(clients);
  return clients;
}

const patchPool = async (clients: ClusterClients): Promise<unknown> => (await clients.clusterPorts(ref)).kubernetes.patch(pool, edit);
const assumed = (): string[] => [...new Set(stage.built.world.eks.assumed.map(({ role }) => role))].sort();

describe('two roles', () => {
  test('reading assumes the one that reads, also in an activity that changes something', async () => {
    const clients = clientsWith();
    await inSession(writes, async () => {
      expect((await describeCluster(clients.aws(ref), ref)).version).toBe('1.31');
      expect(await (await clients.clusterPorts(ref)).kubernetes.get(pool)).toBeDefined();
    });
    expect(assumed()).toEqual([READ]);
  });

  test('a change by an activity that changes something is made by the other one', async () => {
    const clients = clientsWith();
    expect(await inSession(writes, () => patchPool(clients))).toMatchObject({ metadata: { annotations: { seen: 'yes' } } });
    expect(assumed()).toEqual([READ, WRITE]);
  });

  test.each([
    ['an activity that only reads', () => inSession(reads, () => patchPool(clientsWith()))],
    ['the command line', () => patchPool(clientsWith({}, 'plan'))],
    ['EKS, by an activity that only reads', () => inSession(reads, async () => await clientsWith().aws(ref).writing())],
    [
      'Auto Scaling, by an activity that only reads',
      () =>
        inSession(reads, async () => {
          const autoScaling = await clientsWith().account(ref).autoScaling();
          return await autoScaling.startInstanceRefresh({ AutoScalingGroupName: 'workers' }, { abortSignal: new AbortController().signal });
        }),
    ],
  ])('%s may not change, and assumes nothing for it', async (_who, change) => {
    await expect(change()).rejects.toMatchObject({
      type: 'AccessDenied',
      message: expect.stringMatching(/^changing two-roles: (readSkew|this) only reads, and arn:\S+belay-write is for/),
    });
    expect(assumed()).not.toContain(WRITE);
  });

  test('the role that reads is refused a change by AWS and by the cluster; the one that changes may not read', async () => {
    const reader = clientsWith({ writeRoleArn: undefined, roleArn: READ });
    const update = new UpdateClusterVersionCommand({ name: ref.name, version: '1.32' });
    await expect(reader.aws(ref).eks.send(update)).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(patchPool(reader)).rejects.toMatchObject({ type: 'AccessDenied' });
    await expect(describeCluster(clientsWith({ roleArn: WRITE, writeRoleArn: undefined }).aws(ref), ref)).rejects.toMatchObject({
      type: 'AccessDenied',
    });
  });

  test('Helm reads as the role that reads, and changes as the other one, by an activity that does', async () => {
    const clients = clientsWith();
    expect(await inSession(reads, () => clients.kubeconfig(ref))).toMatchObject({ kind: 'text' });
    expect(assumed()).toEqual([READ]);
    expect(await inSession(writes, () => clients.kubeconfig(ref))).toMatchObject({ kind: 'text' });
    expect(assumed()).toEqual([READ, WRITE]);
  });

  test('a question about one’s own rights is no change', async () => {
    const { kubernetes } = await clientsWith().clusterPorts(ref);
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'patch', group: 'karpenter.sh', resource: 'nodepools' } },
    };
    expect(await kubernetes.create({ apiVersion: 'authorization.k8s.io/v1', plural: 'selfsubjectaccessreviews' }, body)).toMatchObject({
      status: { allowed: false },
    });
  });
});

describe('who we are is compared before a change', () => {
  test('another account than the plan’s', async () => {
    const other = { ...ref, account: '444455556666' };
    const clients = createClusterClients({ settings: () => ({ ref: other, roleArn: READ, writeRoleArn: WRITE }) });
    opened.push(clients);
    await expect(inSession(writes, async () => await clients.aws(other).writing())).rejects.toMatchObject({
      type: 'Configuration',
      message: expect.stringMatching(
        /^changing two-roles: AWS says that we are arn:.*belay-(read|write)\S* in account 111122223333, but the plan is for account 444455556666; correct clusters\.two-roles\.(writeRole|role) in belay\.yaml$/,
      ),
    });
  });

  test.each([
    ['the role that reads', 'read', 'role', READ],
    ['the role that changes', 'write', 'writeRole', WRITE],
  ] as const)('credentials that are no session of %s', async (_which, access, key, role) => {
    const sts = new STSClient(awsClientConfig({ ref }));
    const proof = callerProof({ ref, roleArn: READ, writeRoleArn: WRITE }, [{ access, sts }]);
    await expect(proof()).rejects.toMatchObject({
      type: 'Configuration',
      message: `changing two-roles: AWS says that we are arn:aws:sts::111122223333:assumed-role/belay/rehearsal, which is no session of ${role}; correct clusters.two-roles.${key} in belay.yaml, or the credentials of this process`,
    });
  });

  test('without roles the account alone', async () => {
    const sts = new STSClient(awsClientConfig({ ref }));
    await expect(callerProof({ ref }, [{ access: 'read', sts }])()).resolves.toBeUndefined();
    await expect(callerProof({ ref: { ...ref, account: '444455556666' } }, [{ access: 'read', sts }])()).rejects.toMatchObject({
      message: expect.stringContaining('the plan is for account 444455556666; correct clusters.two-roles.role'),
    });
  });

  test('it is asked again after a minute', async () => {
    const settings = { ref: { ...ref } };
    let nowMs = 0;
    const sts = new STSClient(awsClientConfig({ ref }));
    const proof = callerProof(settings, [{ access: 'read', sts }], () => nowMs);
    await proof();
    settings.ref.account = '444455556666';
    await expect(proof()).resolves.toBeUndefined();
    nowMs = 60_000;
    await expect(proof()).rejects.toMatchObject({ type: 'Configuration' });
  });
});

describe('sessions', () => {
  test.each([
    ['prod', RUN, 'belay-prod-0198c0de'],
    ['prod', 'check', 'belay-prod-check'],
    ['a b/c', 'plan', 'belay-a-b-c-plan'],
    ['x'.repeat(100), RUN, `belay-${'x'.repeat(49)}-0198c0de`],
  ])('of cluster %s for %s', (cluster, of, name) => {
    expect(sessionName(cluster, of)).toBe(name);
    expect(name).toMatch(/^[\w+=,.@-]{2,64}$/);
  });

  test('are named after the run, outside of one after what they are for', async () => {
    await inSession(reads, () => describeCluster(clientsWith().aws(ref), ref));
    const checking = clientsWith({}, 'check');
    await describeCluster(checking.aws(ref), ref);
    expect(stage.built.world.eks.assumed.map(({ session }) => session)).toEqual(['belay-two-roles-0198c0de', 'belay-two-roles-check']);
    expect(stage.built.world.eks.assumed.map(({ tags }) => tags)).toEqual([{}, {}]);
  });

  test('two runs of one cluster do not share a session', async () => {
    const clients = clientsWith();
    const other = '0299aaaa-1111-7222-8333-444455556666';
    for (const run of [RUN, other, RUN]) await inSession({ ...reads, of: run }, () => describeCluster(clients.aws(ref), ref));
    expect(stage.built.world.eks.assumed.map(({ session }) => session)).toEqual(['belay-two-roles-0198c0de', 'belay-two-roles-0299aaaa']);
  });

  test('carry tags where belay.yaml says so', async () => {
    await inSession(reads, () => describeCluster(clientsWith({ sessionTags: true }).aws(ref), ref));
    expect(stage.built.world.eks.assumed[0]?.tags).toEqual({ 'belay:cluster': 'two-roles', 'belay:upgrade': RUN, 'belay:access': 'read' });
  });

  test('a trust policy that lets nobody tag is told with the fix', async () => {
    stage.built.world.eks.untaggable = ['role/belay-read'];
    const { aws } = clientsWith({ sessionTags: true });
    await expect(during('describing', () => describeCluster(aws(ref), ref))).rejects.toMatchObject({
      type: 'AccessDenied',
      message: expect.stringContaining(
        "allow sts:TagSession in the role's trust policy and to who assumes it; or set sessionTags: false in belay.yaml and, if the worker's credentials are of EKS Pod Identity, disable the session tags of its association",
      ),
    });
  });

  test('tags have no letters that STS refuses', () => {
    expect(sessionTags('a*b', 'check', 'write').map(({ Value }) => Value)).toEqual(['a-b', 'check', 'write']);
  });
});
