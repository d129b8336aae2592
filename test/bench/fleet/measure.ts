/** Plays one campaign on a real Temporal, calm or with its worker and Temporal killed, and says what it took beyond its runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { campaignWorkflowId } from '../../../workflows/contract/campaign.ts';
import { PATIENCE } from '../../support/eventually.ts';
import { type DevServer, startDevServer } from '../../support/temporal-server.ts';
import { workflowBundle } from '../../support/temporal.ts';
import { campaignOf, REAL_RUN_MS, ringsOf, type Size, whatIsWrong } from './campaign.ts';
import { KilledWorker } from './killed-worker.ts';
import { type CampaignHandle, Play } from './play.ts';
import { playedWorld } from './world.ts';

const TASK_QUEUE = 'bench-fleet';
const LIMIT_MS = 30 * 60_000;

/** What happens to the processes meanwhile; nothing: they live. */
export interface Trouble {
  /** SIGKILL to the worker this long after each of its first polls, and once between a start and its record. */
  killEachMs?: number;
  /** SIGKILL to Temporal so often, after even parts of all starts. */
  temporalRestarts?: number;
  /** After this the play is given up. */
  limitMs?: number;
}

export interface Costs {
  clusters: number;
  rings: number;
  kills: number;
  restarts: number;
  wallSeconds: number;
  /** What the runs alone took, ring after ring, as many at a time as allowed. */
  runsSeconds: number;
  overhead: number;
  runsOfCampaign: number;
  longestHistory: number;
  edits: number;
  /** Starts that were made and not recorded, and were asked for once more: none of them became a second run. */
  startsAskedAgain: number;
  /** Between any two edits, whichever of the workers made them. */
  shortestBetweenEditsSeconds: number;
  /** Of the worker's processes the largest: the campaign is in its memory. */
  peakMb: number;
}

/** Rejects where a cluster has not come to what it was to come to, or not in time. Leaves no process and no file. */
export async function measureCampaign(size: Size, trouble: Trouble = {}): Promise<Costs> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-fleet-'));
  try {
    // Once: each worker that is started reads it.
    await workflowBundle();
    const server = await startDevServer({ databaseFile: join(folder, 'temporal.db') });
    try {
      return await measure(server, size, trouble);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(server: DevServer, size: Size, { killEachMs, temporalRestarts = 0, limitMs = LIMIT_MS }: Trouble): Promise<Costs> {
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  const given = new AbortController();
  const broken = Promise.withResolvers<never>();
  const restarts: Promise<void>[] = [];
  const campaign = campaignOf(size);
  const handle: CampaignHandle = client.workflow.getHandle(campaignWorkflowId(campaign.name));
  const world = playedWorld(size, campaign, {
    handle,
    onStart: (count) => {
      if (restarts.length >= temporalRestarts || count < ((restarts.length + 1) * size.clusters) / (temporalRestarts + 1)) return;
      // In the middle of a burst of starts.
      const restarted = server.restart();
      restarted.catch(broken.reject);
      restarts.push(restarted);
    },
    onUnrecordedStart: () => void (killEachMs !== undefined && worker.kill()),
  });
  const worker = new KilledWorker({
    address: server.address,
    taskQueue: TASK_QUEUE,
    activities: world.activities,
    ...(killEachMs === undefined ? {} : { killEachMs }),
    onGivenUp: broken.reject,
  });
  worker.start();
  try {
    const play = new Play({ client, handle, taskQueue: TASK_QUEUE, limitMs: limitMs * PATIENCE, signal: given.signal });
    const { ended, wallSeconds, histories } = await Promise.race([play.play(campaign, world.fleet.members), broken.promise]);
    await worker.stop();
    const wrong = whatIsWrong(ended, size, world.fleet);
    if (wrong.length > 0) throw new Error(`${size.clusters} clusters: ${wrong.slice(0, 5).join('; ')}`);
    const turns = ringsOf(size).reduce((sum, clusters) => sum + Math.ceil(clusters.length / size.parallel), 0);
    const runsSeconds = (turns * size.runMs) / 1000;
    const between = world.edits.slice(1).map((at, index) => at - (world.edits[index] ?? at));
    return {
      clusters: size.clusters,
      rings: size.rings,
      kills: worker.kills,
      restarts: restarts.length,
      wallSeconds,
      runsSeconds,
      overhead: (wallSeconds - runsSeconds) / ((turns * REAL_RUN_MS) / 1000),
      runsOfCampaign: histories.length,
      longestHistory: Math.max(...histories),
      startsAskedAgain: world.askedAgain.length,
      edits: world.edits.length,
      shortestBetweenEditsSeconds: Math.min(...between) / 1000,
      peakMb: worker.peakMb,
    };
  } finally {
    given.abort();
    await worker.stop();
    world.stop();
    await Promise.allSettled(restarts);
    await connection.close();
  }
}
