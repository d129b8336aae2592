/** An apply of Terraform that still has the older version starts a rollback by itself: the upgrade stops and says so, and the way back adopts it. */
import { EKSClient, UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { upAndDown } from '../../rehearsal/scenarios/up-and-down.ts';
import { type Play, SAM } from './support/play.ts';
import { Theatre } from './support/theatre.ts';

const LIMIT_MS = 720_000;
const FAILED = 'failed:bake@1.33#1';
const GOES_BACK_SLOWLY = { controlPlaneUpdateMs: 36_000_000, apiServerMovesAfterMs: 36_000_000 };
const LATER = 'failed:add-ons-target@1.33#1';

let theatre: Theatre;
let play: Play;

beforeAll(async () => {
  // The rollback takes so long that the run which is to adopt it finds it on its way.
  const slow = { ...upAndDown, tempo: { ...upAndDown.tempo, controlPlaneUpdateMs: 3_600_000 } };
  const late = { ...upAndDown, tempo: { ...upAndDown.tempo } };
  theatre = await Theatre.open({ stale: { scenario: slow }, late: { scenario: late } }, { speed: 120 });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

/** As the AWS provider sends it: no more than the version that the file names. */
async function applyStale(): Promise<string> {
  const credentials = { accessKeyId: 'AKIATERRAFORM0000000', secretAccessKey: 'terraform' };
  const eks = new EKSClient({ endpoint: play.stage.aws.url, region: play.scenario.cluster.region, credentials });
  try {
    const { update } = await eks.send(new UpdateClusterVersionCommand({ name: play.cluster, version: '1.32' }));
    return update?.id ?? '';
  } finally {
    eks.destroy();
  }
}

test(
  'in the bake: the run stops at a gate that says what happened and what to do; the way back adopts the update',
  async () => {
    play = await theatre.play('stale', { decide: (gate) => (gate === FAILED ? 'ignore' : undefined) });
    await play.start();
    let updateId = '';
    await play.inTheMiddle('bake', async () => void (updateId = await applyStale()));
    await play.gate(FAILED, LIMIT_MS / 2);
    await play.says(new RegExp(`EKS is rolling the control plane back to 1\\.32 \\(update ${updateId}\\); this run did not request it`));
    await play.says(/a Terraform apply with the older version does that, even a stale one.*Stop such applies and abort/s);
    await play.press(SAM, FAILED, 'abort');
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted', leftBehind: [] });
    // It has not fought: one move up, and nothing after it.
    expect(
      play
        .accepted()
        .map(({ operation }) => operation)
        .slice(-1),
    ).toEqual(['UpdateClusterVersion']);
    expect(play.controlPlaneUpdates().map(({ type, status }) => `${type} ${status}`)).toEqual([
      'VersionUpdate Successful',
      'VersionRollback InProgress',
    ]);

    await play.goBack();
    await play.says(new RegExp(`EKS update \`${updateId}\` was already running and is adopted`), LIMIT_MS / 2);
    await play.says(/Completed: stale 1\.33 → 1\.32/, LIMIT_MS / 3);
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record().outcome).toBe('completed');
    expect(play.controlPlaneUpdates().map(({ type, status }) => `${type} ${status}`)).toEqual([
      'VersionUpdate Successful',
      'VersionRollback Successful',
    ]);
    expect(play.world.eks.cluster.version).toBe('1.32');
    expect(new Set(play.world.store.list('nodes').map(kubeletMinor))).toEqual(new Set(['1.32']));
    expect(play.record().leftBehind).toEqual([]);
  },
  LIMIT_MS * 2,
);

test(
  'in a later step: the next one does not begin, and once the run has ended its clock says what adopts the update',
  async () => {
    play = await theatre.play('late', {
      faults: ['terraform:stale-apply@node-groups'],
      decide: (gate) => {
        // Long enough for all that is to be seen of it.
        if (gate.startsWith('before:node-groups')) Object.assign(play.world.tempo, GOES_BACK_SLOWLY);
        return gate === LATER ? 'ignore' : undefined;
      },
    });
    await play.start();
    await play.gate(LATER, LIMIT_MS);
    const rollback = play.controlPlaneUpdates().find(({ type }) => type === 'VersionRollback');
    const update = `update ${rollback?.id}, started .* UTC>?`;
    await play.says(
      new RegExp(`has not started: EKS is rolling the control plane back to 1\\.32 \\(${update}\\); this run did not request it`),
    );
    await play.press(SAM, LATER, 'abort');
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.accepted().at(-1)?.operation).toBe('UpdateNodegroupVersion');
    const adopts = `EKS is rolling the control plane back to 1\\.32 \\(${update}\\); no run of Belay requested it.*\`belay rollback late\`.*adopts it`;
    await play.says(new RegExp(adopts, 's'), LIMIT_MS / 2);
  },
  LIMIT_MS * 2,
);
