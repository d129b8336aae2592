/**
 * `npm run bench -- fleet`: one campaign over many clusters on a real Temporal, whose runs are played: each takes as long as it is told, and says when it
 * has ended. What is measured is the campaign alone, calm or with its processes killed. Every state at its end is compared with what must have come of it.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { table } from '../../../cli/render/words.ts';
import { countOf } from '../gates/main.ts';
import { type Costs, measureCampaign } from './measure.ts';

const HELP = `npm run bench -- fleet [--clusters 10,100,1000] [--rings 20] [--parallel 50] [--run-seconds 2]
                       [--kill-worker-each SECONDS] [--restart-temporal TIMES] [--json FILE]

One campaign for each size, on Temporal's dev server with one worker. Each played run takes --run-seconds. Shows what the campaign itself took beyond
its runs (as a share of runs of one hour, too), the longest history of one of its runs (limit 4,096 events), the shortest time between two edits of its
messages (limit 10 s), and memory of the worker, which the campaign is part of (limit 1 GB). Ends with an error where a state is not as it must be, or
a limit is passed.

--kill-worker-each: each size is played once more, and the worker killed (SIGKILL) whenever it has polled for so long, and once between the start of a
  cluster and its record, which is then asked for again. It is started again at once. Edits are counted over all its lives.
--restart-temporal: in that play Temporal is killed so often, in the middle of starts, and started again with its database.
`;

/** Of one run of the campaign's workflow: Temporal warns from 10,240 events on. */
export const MOST_EVENTS = 4_096;
export const SHORTEST_BETWEEN_EDITS_SECONDS = 10;
export const MOST_MB = 1_000;

/** Reads its own part of the command line. */
export async function benchFleet(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      clusters: { type: 'string', default: '10,100,1000' },
      rings: { type: 'string', default: '20' },
      parallel: { type: 'string', default: '50' },
      'run-seconds': { type: 'string', default: '2' },
      'kill-worker-each': { type: 'string' },
      'restart-temporal': { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const sizes = values.clusters.split(',').map((size) => countOf('clusters', size));
  const [rings, parallel] = [countOf('rings', values.rings), countOf('parallel', values.parallel)];
  const runMs = secondsOf('run-seconds', values['run-seconds']) * 1000;
  const [each, times] = [values['kill-worker-each'], values['restart-temporal']];
  const trouble = {
    ...(each === undefined ? {} : { killEachMs: secondsOf('kill-worker-each', each) * 1000 }),
    ...(times === undefined ? {} : { temporalRestarts: countOf('restart-temporal', times) }),
  };
  const plays = [{}, ...(Object.keys(trouble).length === 0 ? [] : [trouble])];
  const all: Costs[] = [];
  for (const clusters of sizes)
    for (const play of plays) {
      process.stderr.write(`${clusters} clusters${play === trouble ? ', with kills' : ''}\n`);
      all.push(await measureCampaign({ clusters, rings: Math.min(rings, clusters), parallel, runMs }, play));
    }
  process.stdout.write(`${render(all)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(all, null, 2)}\n`);
  const beyond = all.flatMap(beyondLimits);
  if (beyond.length > 0) throw new Error(beyond.join('; '));
}

function secondsOf(name: string, text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new RangeError(`--${name} ${text}: write a number above 0`);
  return seconds;
}

function beyondLimits({ clusters, longestHistory, shortestBetweenEditsSeconds, peakMb }: Costs): string[] {
  return [
    ...(longestHistory < MOST_EVENTS ? [] : [`${clusters} clusters: a history of ${longestHistory} events`]),
    ...(shortestBetweenEditsSeconds >= SHORTEST_BETWEEN_EDITS_SECONDS
      ? []
      : [`${clusters} clusters: ${shortestBetweenEditsSeconds} s between two edits`]),
    ...(peakMb < MOST_MB ? [] : [`${clusters} clusters: a worker of ${peakMb.toFixed(0)} MB`]),
  ];
}

function render(all: readonly Costs[]): string {
  return table(
    [
      'clusters',
      'rings',
      'worker killed',
      'Temporal killed',
      'wall',
      'runs alone',
      'beyond',
      'overhead',
      'runs of it',
      'longest history',
      'starts repeated',
      'edits',
      'between edits',
      'memory',
    ],
    all.map((each) => [
      String(each.clusters),
      String(each.rings),
      `${each.kills}×`,
      `${each.restarts}×`,
      `${each.wallSeconds.toFixed(0)} s`,
      `${each.runsSeconds.toFixed(0)} s`,
      `${(each.wallSeconds - each.runsSeconds).toFixed(0)} s`,
      `${(each.overhead * 100).toFixed(2)} %`,
      String(each.runsOfCampaign),
      `${each.longestHistory} events`,
      String(each.startsAskedAgain),
      String(each.edits),
      `≥ ${each.shortestBetweenEditsSeconds.toFixed(1)} s`,
      `${each.peakMb.toFixed(0)} MB`,
    ]),
  );
}
