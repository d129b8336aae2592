/**
 * `npm run bench -- fleet`: one campaign over many clusters on a real Temporal, whose runs are played: each takes as long as it is told, and says when it
 * has ended. What is measured is the campaign alone. Every state at its end is compared with what must have come of it.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { table } from '../../../cli/render/words.ts';
import { planCampaign } from '../../../domain/plan/campaign/plan-campaign.ts';
import type { FleetMember } from '../../../domain/plan/campaign/types.ts';
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import { type CampaignInput, type CampaignStatus, campaignStatus, memberEnded } from '../../../workflows/contract/campaign.ts';
import { decisionId } from '../../../workflows/contract/ids.ts';
import { decideGate, WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { FakeFleet } from '../../support/fake-campaign.ts';
import { startTemporal, startWorker } from '../../support/temporal.ts';
import { ALEX, SAM } from '../../support/upgrade.ts';
import { countOf } from '../gates/main.ts';

const TARGET = '1.32';
/** Of every third ring one cluster fails, which its budget allows. */
const FAILS_EACH = 3;
/** What a run of a small cluster takes: overhead is a share of it. */
const REAL_RUN_MS = 3_600_000;
const ACCOUNTS = 20;
/** Board and rings: all that is edited in place. */
const EDITED: readonly string[] = ['campaign', 'ring'];
const HELP = `npm run bench -- fleet [--clusters 10,100,1000] [--rings 20] [--parallel 50] [--run-seconds 2] [--json FILE]

One campaign for each size, on Temporal's dev server with one worker. Each played run takes --run-seconds. Shows what the campaign itself took beyond
its runs (as a share of runs of one hour), the longest history of one of its runs (limit 4,096 events), the shortest time between two edits of its
messages (limit 10 s), and memory of worker and campaign together (limit 1 GB). Ends with an error where a state is not as it must be.
`;

export interface Costs {
  clusters: number;
  rings: number;
  wallSeconds: number;
  /** What the runs alone took, ring after ring, as many at a time as allowed. */
  runsSeconds: number;
  overhead: number;
  runsOfCampaign: number;
  longestHistory: number;
  edits: number;
  shortestBetweenEditsSeconds: number;
  peakMb: number;
}

/** Reads its own part of the command line. */
export async function benchFleet(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      clusters: { type: 'string', default: '10,100,1000' },
      rings: { type: 'string', default: '20' },
      parallel: { type: 'string', default: '50' },
      'run-seconds': { type: 'string', default: '2' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const sizes = values.clusters.split(',').map((size) => countOf('clusters', size));
  const [rings, parallel] = [countOf('rings', values.rings), countOf('parallel', values.parallel)];
  const runMs = Number(values['run-seconds']) * 1000;
  if (!(runMs > 0)) throw new RangeError(`--run-seconds ${values['run-seconds']}: write a number above 0`);
  const all: Costs[] = [];
  for (const clusters of sizes) {
    process.stderr.write(`${clusters} clusters\n`);
    all.push(await measureCampaign({ clusters, rings: Math.min(rings, clusters), parallel, runMs }));
  }
  process.stdout.write(`${render(all)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
}

export interface Size {
  clusters: number;
  rings: number;
  parallel: number;
  runMs: number;
}

const nameOf = (index: number): string => `cluster-${String(index).padStart(4, '0')}`;
const ringName = (index: number): string => `ring-${String(index + 1).padStart(2, '0')}`;

/** Names of each ring's clusters, as even as they come. */
const ringsOf = ({ clusters, rings }: Size): string[][] =>
  Array.from({ length: rings }, (_, ring) =>
    Array.from({ length: clusters }, (__, index) => index).flatMap((index) => (index % rings === ring ? [nameOf(index)] : [])),
  );

const failingIn = (ring: number, names: readonly string[]): string | undefined =>
  (ring + 1) % FAILS_EACH === 0 && names.length > 1 ? names[0] : undefined;

function campaignOf(names: readonly string[][], { parallel }: Size): CampaignPolicy {
  return {
    name: `bench-${randomUUID().slice(0, 8)}`,
    target: TARGET,
    select: {},
    exclude: [],
    rings: names.map((clusters, ring) => ({
      name: ringName(ring),
      select: { clusters },
      optional: false,
      canary: false,
      parallel: { kind: 'count', value: parallel },
      failures: { kind: 'count', value: 1 },
      soakMs: 0,
      soakOnRed: 'restart',
      promotion: 'ask',
      coversStart: false,
    })),
    rest: 'refuse',
    hops: 'refuse',
    stuckAfterMs: REAL_RUN_MS,
    approvals: quickPolicy().approvals,
  };
}

const memberOf = (name: string, index: number): FleetMember => ({
  cluster: { account: String(111_122_223_000 + (index % ACCOUNTS)), region: 'eu-central-1', name },
  environment: 'bench',
  version: '1.31',
  offered: true,
});

/** Plays one campaign, and rejects where a cluster has not come to what it was to come to. */
export async function measureCampaign(size: Size): Promise<Costs> {
  const names = ringsOf(size);
  const campaign = campaignOf(names, size);
  const failing = new Set(names.flatMap((clusters, ring) => failingIn(ring, clusters) ?? []));
  const fleet = new FakeFleet(
    campaign,
    Array.from({ length: size.clusters }, (_, index) => memberOf(nameOf(index), index)),
  );
  const base = quickPolicy();
  // Looks as in production: what ends says so.
  const policy = {
    ...base,
    timing: { ...base.timing, pollMinMs: 3_000, pollMaxMs: 3_000, boardEditMs: 1_000, gateDeadlineMs: REAL_RUN_MS },
  };
  const { activities } = fakeActivities({ policy });
  const theirs = fleet.activities(policy);
  const edits: number[] = [];
  const env = await startTemporal();
  const { client } = env;
  const workflowId = `eks-campaign/${campaign.name}`;
  const handle = client.workflow.getHandle<(input: CampaignInput) => Promise<CampaignStatus>>(workflowId);
  const played = {
    ...activities,
    ...theirs,
    startMember: async (input: Parameters<typeof theirs.startMember>[0]) => {
      const { name } = input.cluster;
      const before = fleet.started.length;
      const result = await theirs.startMember(input);
      if (fleet.started.length > before)
        setTimeout(() => {
          fleet.end(name, failing.has(name) ? 'failed' : 'completed');
          void handle.signal(memberEnded, { cluster: name }).catch(() => undefined);
        }, size.runMs);
      return result;
    },
    publish: async (input: Parameters<typeof activities.publish>[0]) => {
      for (const { notification } of input.messages) if (EDITED.includes(notification.kind)) edits.push(Date.now());
      return await activities.publish(input);
    },
  };
  const worker = await startWorker(env, played, 'bench-fleet');
  const polling = worker.run();
  try {
    const startedAtMs = performance.now();
    await client.workflow.start<(input: CampaignInput) => Promise<CampaignStatus>>(WORKFLOWS.campaign, {
      workflowId,
      taskQueue: 'bench-fleet',
      args: [{ campaign: campaign.name, plan: planCampaign(campaign, fleet.members, new Date().toISOString()), requestedBy: ALEX }],
    });
    for (const ring of names.keys()) await approve(handle, ringName(ring));
    while ((await handle.query(campaignStatus)).state.phase === 'running') await sleep(50);
    const wallSeconds = (performance.now() - startedAtMs) / 1000;
    // Its last messages are edited in turn, for which no cluster waits.
    const ended = await handle.result();
    const wrong = whatIsWrong(ended, names, fleet);
    if (wrong.length > 0) throw new Error(`${size.clusters} clusters: ${wrong.slice(0, 5).join('; ')}`);
    const turns = names.reduce((sum, clusters) => sum + Math.ceil(clusters.length / size.parallel), 0);
    const runsSeconds = (turns * size.runMs) / 1000;
    const histories = await historyLengths(client, workflowId);
    const between = edits.slice(1).map((at, index) => at - (edits[index] ?? at));
    return {
      clusters: size.clusters,
      rings: size.rings,
      wallSeconds,
      runsSeconds,
      overhead: (wallSeconds - runsSeconds) / ((turns * REAL_RUN_MS) / 1000),
      runsOfCampaign: histories.length,
      longestHistory: Math.max(...histories),
      edits: edits.length,
      shortestBetweenEditsSeconds: Math.min(...between) / 1000,
      peakMb: process.resourceUsage().maxRSS / 1000,
    };
  } finally {
    worker.shutdown();
    await polling;
    await env.teardown();
  }
}

async function approve(handle: WorkflowHandle, ring: string): Promise<void> {
  const gateId = `ring:${ring}@${TARGET}#1`;
  for (;;) {
    const { gates, state } = await handle.query(campaignStatus);
    if (state.phase === 'stopped') throw new Error(`The campaign stopped before ring ${ring}`);
    if (gates.some(({ id }) => id === gateId)) break;
    await sleep(50);
  }
  await handle.executeUpdate(decideGate, {
    args: [{ gateId, decisionId: decisionId(gateId, SAM.id, 'approve', 1), choice: 'approve', actor: SAM }],
  });
}

/** Each cluster was started once, and has come to what it was to come to. */
function whatIsWrong({ state }: CampaignStatus, names: readonly string[][], { started }: FakeFleet): string[] {
  const wrong: string[] = state.phase === 'complete' ? [] : [`the campaign is ${state.phase}`];
  const byName = new Map(Object.entries(state.members).map(([key, is]) => [key.split('/').at(-1) ?? key, is.kind]));
  const starts = Map.groupBy(started, ({ name }) => name);
  for (const [ring, clusters] of names.entries()) {
    const failing = failingIn(ring, clusters);
    const expected = failing === undefined ? 'complete' : 'complete-with-exceptions';
    if (state.rings[ring]?.state !== expected) wrong.push(`${ringName(ring)} is ${state.rings[ring]?.state}, not ${expected}`);
    for (const name of clusters) {
      const kind = name === failing ? 'failed' : 'done';
      if (byName.get(name) !== kind) wrong.push(`${name} is ${byName.get(name)}, not ${kind}`);
      if (starts.get(name)?.length !== 1) wrong.push(`${name} was started ${starts.get(name)?.length ?? 0} times`);
    }
  }
  return wrong;
}

/** Of each run of the campaign. Visibility comes late: it is asked until it knows that the last one has ended. */
async function historyLengths(client: Client, workflowId: string): Promise<number[]> {
  const lengths: number[] = [];
  while (lengths.length === 0) {
    await sleep(500);
    const query = `WorkflowId = '${workflowId}'`;
    let isOver = true;
    for await (const { historyLength, status } of client.workflow.list({ query })) {
      isOver &&= status.name !== 'RUNNING';
      lengths.push(historyLength);
    }
    if (!isOver) lengths.length = 0;
  }
  return lengths;
}

function render(all: readonly Costs[]): string {
  return table(
    ['clusters', 'rings', 'wall', 'runs alone', 'overhead', 'runs of it', 'longest history', 'edits', 'between edits', 'memory'],
    all.map((each) => [
      String(each.clusters),
      String(each.rings),
      `${each.wallSeconds.toFixed(0)} s`,
      `${each.runsSeconds.toFixed(0)} s`,
      `${(each.overhead * 100).toFixed(2)} %`,
      String(each.runsOfCampaign),
      `${each.longestHistory} events`,
      String(each.edits),
      `≥ ${each.shortestBetweenEditsSeconds.toFixed(1)} s`,
      `${each.peakMb.toFixed(0)} MB`,
    ]),
  );
}
