/** The control that shows the freeze bites: the same update of the same cluster over the wire, without Belay and with its freeze. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeUpdateCommand, EKSClient, UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { seed000 } from '../../rehearsal/scenarios/seeds/seed-000.ts';
import type { KubeObject } from '../../rehearsal/kubernetes/store.ts';
import { type Play, SAM } from './support/play.ts';
import { expectKept, expectReportsKept, karpenterNodes, replacements } from './support/promises.ts';
import { Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

/** The update takes five seconds; Karpenter sees the new version after two. */
const SPEED = 120;
/** Twenty seconds: on a busy machine, too, it goes on when Belay comes to adopt it. */
const lasting = { ...seed000, tempo: { ...seed000.tempo, controlPlaneUpdateMs: 2_400_000 } };

let theatre: Theatre;
let play: Play;
let eks: EKSClient;

beforeAll(async () => {
  theatre = await Theatre.open({ 'staging-1': { scenario: seed000 }, 'staging-2': { scenario: lasting } });
}, 360_000);
afterEach(async () => {
  eks.destroy();
  await play.end();
});
afterAll(() => theatre.close());

/** Somebody's own client, as `aws eks update-cluster-version` would be. */
function clientOf({ stage, scenario }: Play): EKSClient {
  const credentials = { accessKeyId: 'AKIAREHEARSAL0000000', secretAccessKey: 'rehearsal' };
  return new EKSClient({ endpoint: stage.aws.url, region: scenario.cluster.region, credentials });
}

async function updateByHand(): Promise<() => Promise<string | undefined>> {
  const { update } = await eks.send(new UpdateClusterVersionCommand({ name: play.cluster, version: '1.32' }));
  return async () => (await eks.send(new DescribeUpdateCommand({ name: play.cluster, updateId: update?.id }))).update?.status;
}

const drifted = (): KubeObject[] =>
  play.world.store
    .list('nodeclaims')
    .filter(({ status }) =>
      status?.conditions?.some((one: { type: string; status: string }) => one.type === 'Drifted' && one.status === 'True'),
    );

test('K8: without Belay: Karpenter replaces nodes before EKS says Successful', async () => {
  play = await theatre.play('staging-1', { speed: SPEED });
  eks = clientOf(play);
  const status = await updateByHand();
  await eventually('Karpenter has replaced a node', () => replacements(play).some((text) => text.startsWith('Karpenter removes')));
  expect(await status()).toBe('InProgress');
  expect(play.world.eks.cluster.version).toBe('1.31');
  expect(karpenterNodes(play).some((node) => kubeletMinor(node) === '1.32')).toBe(true);
});

test("K8 T18 A1: with Belay's freeze: every node has drifted and none is replaced; the update by hand is adopted, and no second one made", async () => {
  play = await theatre.play('staging-2', {
    speed: SPEED,
    decide: (gate) => (gate === 'before:control-plane@1.32#1' ? 'ignore' : gate === 'before:node-groups@1.32#1' ? 'reject' : undefined),
  });
  eks = clientOf(play);
  await play.start();
  await play.gate('before:control-plane@1.32#1');
  const status = await updateByHand();
  await eventually('every node has drifted', () => drifted().length === karpenterNodes(play).length);
  expect(await status()).toBe('InProgress');
  await play.press(SAM, 'before:control-plane@1.32#1', 'approve');
  await eventually('EKS is done', async () => (await status()) === 'Successful');
  // Ten minutes of the world, in which Karpenter would have replaced a dozen.
  await sleep((10 * 60_000) / SPEED);
  expect(await play.closed()).toBe('COMPLETED');
  await play.says(/was already running and is adopted/);
  expect(play.controlPlaneUpdates()).toHaveLength(1);
  expect(replacements(play)).toEqual([]);
  expect(karpenterNodes(play).map(kubeletMinor)).toEqual(karpenterNodes(play).map(() => '1.31'));
  await expectKept(play);
  expectReportsKept(play);
});
