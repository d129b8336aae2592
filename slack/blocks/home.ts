/** The App Home: open campaigns, what waits for the one who looks, what runs, and until when each cluster's version is supported. */
import type { HomeView, KnownBlock } from '@slack/types';
import { type FleetVersions, oldestFirst, supportOf } from '../../domain/run/fleet.ts';
import { count } from '../../domain/core/text.ts';
import { actions, button, context, header, sections } from './kit/elements.ts';
import type { ReviewValue } from './kit/button-values.ts';
import { supportLine } from './support.ts';
import { defined } from '../../domain/core/defined.ts';
import { link, mrkdwn } from './kit/text.ts';
import { when } from './kit/time.ts';
import { campaignsOnHome, type HomeCampaign } from './campaigns/home-campaigns.ts';
import {
  moreNeedYou,
  needsYou,
  nothingForYou,
  readingVersions,
  runningUpgrades,
  waitingForOthers,
  waitingForYou,
} from '../messages/home.ts';
import { messageMeLabel, stopMessagingLabel } from '../messages/direct.ts';
import { noUpgradeRunning } from '../messages/answers.ts';
import { reviewLabel } from '../messages/gates.ts';

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
  /** Present where the one who looks may decide here. */
  review?: ReviewValue;
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

/** A cluster of a campaign that needs somebody. */
export interface HomeTrouble {
  cluster: string;
  campaign: string;
  ring: string;
  /** "stuck: no progress for 14 h, at node-groups@1.34" */
  what: string;
  /** Of its thread, or of the campaign's. */
  url?: string;
}

export interface Home {
  campaigns: HomeCampaign[];
  /** Open, and not shown. */
  moreCampaignCount: number;
  /** What waits for the one who looks, gates and clusters. */
  needCount: number;
  /** Gates at which the one who looks is asked to vote. */
  mine: HomeGate[];
  /** Those that wait for others. */
  others: HomeGate[];
  runs: HomeRun[];
  /** undefined: still being read. */
  versions?: FleetVersions;
  /** Does the one who looks get direct messages? Absent: it is not offered, and `problems` says why. */
  direct?: 'on' | 'off';
  /** Sentences about what could not be read. */
  problems: string[];
  /** ISO 8601 */
  at: string;
}

/** What buttons that open a gate begin with. */
export const REVIEW_OPENS = 'review/open/';

/** On the Home and on the message by which it is known who asked. */
export const NOTIFY_ACTIONS = { on: 'notify/on', off: 'notify/off' } as const;

export const HOME_ACTIONS = { needs: 'home/needs', refresh: 'home/refresh', start: 'home/start' } as const;
/** One screen: the rest of what waits is behind the button. */
export const HOME_SHOWN = { campaigns: 3, mine: 5, others: 5, runs: 20 };
const VERSION_SECTIONS = 10;

export function homeView(home: Home): HomeView {
  return {
    type: 'home',
    blocks: [
      ...actions(buttons(home)),
      ...campaignsOnHome(home.campaigns.slice(0, HOME_SHOWN.campaigns), home.moreCampaignCount),
      ...group(
        waitingForYou(),
        home.mine,
        HOME_SHOWN.mine,
        (gate, index) => gateBlocks(gate, `mine-${index}`),
        nothingForYou(),
        moreNeedYou,
      ),
      ...(home.others.length === 0
        ? []
        : group(waitingForOthers(), home.others, HOME_SHOWN.others, (gate, index) => gateBlocks(gate, `others-${index}`), '')),
      ...group(runningUpgrades(), home.runs, HOME_SHOWN.runs, (run) => sections(runLines(run)), noUpgradeRunning()),
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

function group<T>(
  title: string,
  items: readonly T[],
  limit: number,
  blocks: (item: T, index: number) => KnownBlock[],
  none: string,
  more = (moreCount: number): string => `${moreCount} more: /eks-upgrade status`,
): KnownBlock[] {
  const rest = items.length - limit;
  return [
    header(items.length === 0 ? title : `${title} (${items.length})`),
    ...(items.length === 0 ? sections([none]) : items.slice(0, limit).flatMap(blocks)),
    ...context([rest > 0 ? more(rest) : '']),
  ];
}

/** Beside a button that opens it. `place`: sets the button's id apart from others of the view. */
export function gateBlocks(gate: HomeGate, place: string): KnownBlock[] {
  const { review } = gate;
  const open =
    review === undefined
      ? undefined
      : button({
          actionId: `${REVIEW_OPENS}${place}`,
          label: reviewLabel(),
          value: review,
          ...(gate.voted === true ? {} : { style: 'primary' }),
        });
  return sections(gateLines(gate)).map((section) => ({ ...section, ...defined({ accessory: open }) }));
}

function gateLines({ cluster, title, expiresAt, progress, voted, url, review }: HomeGate): string[] {
  const decides = voted !== true && review === undefined;
  const where = url === undefined ? '' : ` · ${link(url, decides ? 'Decide in the thread' : 'Open the thread')}`;
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

function buttons({ needCount, direct }: Home): NonNullable<ReturnType<typeof button>>[] {
  return [
    button({ actionId: HOME_ACTIONS.needs, label: needsYou(needCount), value: {}, ...(needCount > 0 ? { style: 'primary' } : {}) }),
    button({ actionId: HOME_ACTIONS.start, label: 'Upgrade a cluster', value: {} }),
    button({ actionId: HOME_ACTIONS.refresh, label: 'Refresh', value: {} }),
    direct === 'off' ? button({ actionId: NOTIFY_ACTIONS.on, label: messageMeLabel(), value: {} }) : undefined,
    direct === 'on' ? button({ actionId: NOTIFY_ACTIONS.off, label: stopMessagingLabel(), value: {} }) : undefined,
  ].filter((element) => element !== undefined);
}
