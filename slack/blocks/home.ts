/** The App Home: what waits for the one who looks, what runs, and until when each cluster's version is supported. */
import type { HomeView, KnownBlock } from '@slack/types';
import { type FleetVersions, oldestFirst, supportOf } from '../../domain/run/fleet.ts';
import { count } from '../../domain/core/text.ts';
import { actions, button, context, header, sections } from './kit/elements.ts';
import { supportLine } from './support.ts';
import { link, mrkdwn } from './kit/text.ts';
import { when } from './kit/time.ts';
import { nothingForYou, readingVersions, runningUpgrades, waitingForOthers, waitingForYou } from '../messages/home.ts';
import { noUpgradeRunning } from '../messages/answers.ts';

export interface HomeGate {
  cluster: string;
  title: string;
  /** ISO 8601 */
  expiresAt: string;
  progress?: string;
  /** By the one who looks, who may still take it back. */
  voted?: boolean;
  /** Of its message. */
  url?: string;
}

export interface HomeRun {
  cluster: string;
  from?: string;
  to?: string;
  /** What it is at, in words. */
  state: string;
  startedAt: string;
  /** Of its thread. */
  url?: string;
}

export interface Home {
  /** Gates at which the one who looks is asked to vote. */
  mine: HomeGate[];
  /** Those that wait for others. */
  others: HomeGate[];
  runs: HomeRun[];
  /** undefined: still being read. */
  versions?: FleetVersions;
  /** Sentences about what could not be read. */
  problems: string[];
  /** ISO 8601 */
  at: string;
}

export const HOME_ACTIONS = { refresh: 'home/refresh', start: 'home/start' } as const;
const SHOWN = { mine: 20, others: 10, runs: 20 };
const VERSION_SECTIONS = 10;

export function homeView(home: Home): HomeView {
  return {
    type: 'home',
    blocks: [
      ...actions(buttons()),
      ...group(waitingForYou(), home.mine, SHOWN.mine, gateLines, nothingForYou()),
      ...(home.others.length === 0 ? [] : group(waitingForOthers(), home.others, SHOWN.others, gateLines, '')),
      ...group(runningUpgrades(), home.runs, SHOWN.runs, runLines, noUpgradeRunning()),
      header('Versions'),
      ...versionBlocks(home.versions),
      ...context([...home.problems.slice(0, 5).map((problem) => `⚠ ${mrkdwn(problem, 300)}`), `As of ${when(home.at)}`]),
    ],
  };
}

/** For people whom it shows nothing. `why`: a sentence. */
export function closedHomeView(why: string): HomeView {
  return { type: 'home', blocks: sections([`🔒 ${mrkdwn(why, 300)}`]) };
}

function group<T>(title: string, items: readonly T[], limit: number, lines: (item: T) => string[], none: string): KnownBlock[] {
  const rest = items.length - limit;
  return [
    header(items.length === 0 ? title : `${title} (${items.length})`),
    ...(items.length === 0 ? sections([none]) : items.slice(0, limit).flatMap((item) => sections(lines(item)))),
    ...context([rest > 0 ? `${rest} more: /eks-upgrade status` : '']),
  ];
}

function gateLines({ cluster, title, expiresAt, progress, voted, url }: HomeGate): string[] {
  const where = url === undefined ? '' : ` · ${link(url, voted === true ? 'Open the thread' : 'Decide in the thread')}`;
  return [
    `⏳ *${mrkdwn(cluster, 100)}*: ${mrkdwn(title, 200)}`,
    `Decide by ${when(expiresAt)}${progress === undefined ? '' : ` · ${mrkdwn(progress, 200)}`}${voted === true ? ' · you have voted' : ''}${where}`,
  ];
}

function runLines({ cluster, from, to, state, startedAt, url }: HomeRun): string[] {
  const path = to === undefined ? '' : ` ${from === undefined ? '' : `${mrkdwn(from, 20)} `}→ ${mrkdwn(to, 20)}`;
  return [
    `▶ *${mrkdwn(cluster, 100)}*${path}`,
    `${mrkdwn(state, 300)} · since ${when(startedAt)}${url === undefined ? '' : ` · ${link(url, 'Open the thread')}`}`,
  ];
}

function versionBlocks(versions: FleetVersions | undefined): KnownBlock[] {
  if (versions === undefined) return sections([readingVersions()]);
  const { clusters, offered, readAt } = versions;
  const lines = oldestFirst(clusters).map(({ name, version, why }) =>
    version === undefined
      ? `❔ *${mrkdwn(name, 100)}*: not known, ${mrkdwn(why ?? 'no reason given', 200)}`
      : `*${mrkdwn(name, 100)}* ${mrkdwn(version, 20)} ${supportLine(supportOf(version, offered), readAt)}`,
  );
  return [...sections(lines, VERSION_SECTIONS), ...context([`${count(clusters.length, 'cluster')}, the oldest version first`])];
}

function buttons(): NonNullable<ReturnType<typeof button>>[] {
  return [
    button({ actionId: HOME_ACTIONS.start, label: 'Upgrade a cluster', value: {}, style: 'primary' }),
    button({ actionId: HOME_ACTIONS.refresh, label: 'Refresh', value: {} }),
  ].filter((element) => element !== undefined);
}
