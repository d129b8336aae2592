/** A campaign that is paused with its runs: each takes a command of its own. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { runsCommanded } from '../../../../client/calls/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { SAM } from '../../../support/upgrade.ts';
import { withRealRuns } from './real-runs.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

test('R13: paused with its runs, each run is; asked again, the campaign is left alone; resumed, all go on', async () => {
  await withRealRuns(env, { count: 3 }, async ({ campaigns, clusters, run, status, until }) => {
    await until(({ state }) => Object.values(state.members).every((is) => 'runId' in is));
    const { plan } = await status();
    const control = (verb: 'pause' | 'resume') => campaigns.controlAll({ campaign: plan.campaign, verb, actor: SAM });
    const paused = async (): Promise<boolean[]> =>
      await Promise.all(clusters.map(async (cluster) => (await run(cluster).status()).pauseRequested));

    const first = await control('pause');
    expect(first.campaign?.reply).toMatchObject({ accepted: true });
    expect(first.runs === undefined ? '' : runsCommanded(first.runs)).toBe(
      '3 of 3 runs are paused: the running step finishes, and no further step starts.',
    );
    expect(await paused()).toEqual([true, true, true]);
    expect((await status()).state.pauses).toMatchObject([{ by: 'person' }]);

    // The campaign is already not asked for what it is.
    const again = await control('pause');
    expect(again.campaign).toBe(undefined);
    expect(again.runs?.results.map(({ result }) => result.kind)).toEqual(['done', 'done', 'done']);

    const resumed = await control('resume');
    expect(resumed.campaign?.reply).toEqual({ accepted: true, message: 'Resumed.' });
    expect(resumed.runs === undefined ? '' : runsCommanded(resumed.runs)).toBe('3 of 3 runs continue.');
    await eventually('none is paused', async () => (await paused()).every((is) => !is));
  });
}, 360_000);
