/** Two clusters that EKS calls "main", in two accounts, from one belay.yaml: read, changed and shown apart, against the twin. */
import { DescribeUpdateCommand, UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeCluster, listUpdateIds } from '../../../../activities/clients/aws/eks-api.ts';
import { createEksTokenSource } from '../../../../activities/clients/aws/eks-token.ts';
import { type ClusterClients, createClusterClients } from '../../../../activities/clients/clusters.ts';
import { readAutoScalingGroups } from '../../../../activities/eks/auto-scaling/list-groups.ts';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import { eksNameOf } from '../../../../domain/core/cluster-ref.ts';
import { validateConfig } from '../../../../domain/policy/config/config.ts';
import { policyOf } from '../../../../domain/policy/config/of-cluster.ts';
import { giveOwnIds } from '../../../../rehearsal/aws/owned.ts';
import { accessKeyOf } from '../../../../rehearsal/aws/eks/identities.ts';
import { type AwsServer, startAwsServer } from '../../../../rehearsal/aws/eks/server.ts';
import { small } from '../../../../rehearsal/scenarios/small.ts';
import type { World } from '../../../../rehearsal/world/world.ts';
import { settingsOf } from '../../../../worker/config/settings.ts';
import { upgradeWorkflowId } from '../../../../workflows/contract/ids.ts';
import { steppedWorld } from '../../../rehearsal/support.ts';

const [SHOP, BANK] = ['111122223333', '444455556666'];
const region = 'eu-central-1';
const config = validateConfig(
  {
    clusters: {
      'shop-main': { name: 'main', account: SHOP, region },
      'bank-main': { name: 'main', account: BANK, region, role: `arn:aws:iam::${BANK}:role/Belay` },
    },
  },
  { fileName: 'belay.yaml' },
);
const [shop, bank] = config.clusterNames.map((name) => policyOf(config, name).cluster);
if (shop === undefined || bank === undefined) throw new Error('two clusters');

let worlds: World[];
let server: AwsServer;
let clients: ClusterClients;
beforeAll(async () => {
  worlds = [SHOP, BANK].map(
    (account, index) =>
      steppedWorld({
        ...small,
        cluster: { name: 'main', account, region },
        build(world) {
          giveOwnIds(world, index);
          small.build(world);
        },
      }).world,
  );
  const [one, other] = worlds;
  if (one === undefined || other === undefined) throw new Error('two worlds');
  server = await startAwsServer({ world: one, neighbours: [other] });
  Object.assign(process.env, { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: accessKeyOf(SHOP), AWS_SECRET_ACCESS_KEY: 'example' });
  clients = createClusterClients({ settings: (name) => settingsOf(config, name) });
});
afterAll(async () => {
  await clients.close();
  await server.close();
});

test('F38: each key is its own cluster: ids and locks by the key, requests by EKS’s name in the account of the key', async () => {
  const found = await Promise.all([shop, bank].map((ref) => describeCluster(clients.aws(ref), ref)));
  expect(found.map(({ name, arn }) => [name, arn])).toEqual([
    ['main', `arn:aws:eks:${region}:${SHOP}:cluster/main`],
    ['main', `arn:aws:eks:${region}:${BANK}:cluster/main`],
  ]);
  expect([shop, bank].map(upgradeWorkflowId)).toEqual([
    `eks-upgrade/${SHOP}/${region}/shop-main`,
    `eks-upgrade/${BANK}/${region}/bank-main`,
  ]);
});

test('F38: a change by one key, and looks at it, reach that cluster alone', async () => {
  const aws = clients.aws(bank);
  const { update } = await (await aws.writing()).send(new UpdateClusterVersionCommand({ name: bank.name, version: '1.32' }));
  expect(worlds.map(({ eks }) => eks.updates.length)).toEqual([0, 1]);
  const again = await aws.eks.send(new DescribeUpdateCommand({ name: bank.name, updateId: update?.id }));
  expect(again.update?.id).toBe(update?.id);
  expect(await listUpdateIds(aws, bank, { kind: 'cluster' })).toEqual([update?.id]);
  expect(await listUpdateIds(clients.aws(shop), shop, { kind: 'cluster' })).toEqual([]);
});

test('F38: tags of AWS have EKS’s name', async () => {
  const asked: unknown[] = [];
  const autoScaling = { describeAutoScalingGroups: (query: unknown) => (asked.push(query), Promise.resolve({ AutoScalingGroups: [] })) };
  const account = { ...clients.account(shop), autoScaling: () => Promise.resolve(autoScaling) } as unknown as AccountClients;
  await readAutoScalingGroups(account, eksNameOf(shop));
  expect(asked).toMatchObject([{ Filters: [{ Name: 'tag-key', Values: ['kubernetes.io/cluster/main'] }] }]);
});

test('F38: the token for its API server is signed for EKS’s name, in the account of the key', async () => {
  for (const [index, ref] of [shop, bank].entries()) {
    Object.assign(worlds[index]?.eks.cluster ?? {}, { caData: 'Y2E=' });
    const kubeconfig = await clients.kubeconfig(ref);
    const token = kubeconfig.kind === 'text' ? /k8s-aws-v1\.[\w-]+/.exec(kubeconfig.text)?.[0] : undefined;
    const url = new URL(Buffer.from((token ?? '').slice('k8s-aws-v1.'.length), 'base64url').toString());
    const signedAtMs = Date.parse((url.searchParams.get('X-Amz-Date') ?? '').replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
    // The header's value is in the signature alone.
    const signedFor = (name: string): Promise<string> => createEksTokenSource(clients.aws(ref).sts, name, () => signedAtMs).token();
    expect([await signedFor('main'), await signedFor(ref.name)]).toEqual([token, expect.not.stringMatching(String(token))]);
  }
});
