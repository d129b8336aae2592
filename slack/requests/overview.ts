/** What is going on in a channel: `/eks-upgrade status`, `/eks-upgrade` alone where something runs, and `/eks-upgrade digest`. */
import { defined } from '../../domain/core/defined.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { rulesOf } from '../../domain/gates/approvals.ts';
import type { UpgradeReport, UpgradeStatus } from '../../domain/run/record/status.ts';
import { inTime } from '../../client/calls/in-time.ts';
import type { Listed, VisibilityStatus } from '../../client/calls/contract.ts';
import { gateStep } from '../../workflows/contract/ids.ts';
import { boardTitle } from '../blocks/board.ts';
import { HOME_ACTIONS } from '../blocks/home.ts';
import { actions, button, context, header, message, type Rendered, sections } from '../blocks/kit/elements.ts';
import { link, mentions, mrkdwn } from '../blocks/kit/text.ts';
import { when } from '../blocks/kit/time.ts';
import { OUTCOMES } from '../blocks/report.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { goingOn } from '../interaction/going-on.ts';
import type { Sought } from '../delivery/threads.ts';
import { gateUrl } from '../interaction/message-links.ts';
import { type Listener, tell } from '../interaction/reply.ts';
import {
  campaignsTitle,
  digestTitle,
  dueTitle,
  endedHere,
  freezeHere,
  gateDue,
  gateHere,
  nothingEnded,
  notListed,
  parkedHere,
  recordsUnread,
  runHere,
  runsHere,
  startsAnother,
  supportTitle,
  whoIsNeeded,
  windowDue,
} from '../messages/overview.ts';
import { campaignLines, supportLines } from '../interaction/fleet-lines.ts';
import { visibilityLine } from './status.ts';

/** Each is asked for its status, and Slack for its thread. */
const RUNS = 20;
const ENDED = 30;
/** A form can be opened for three seconds: docs.slack.dev/interactivity/handling-user-interaction. */
const LIST_LIMIT_MS = 1_200;

interface Here {
  run: VisibilityStatus;
  /** undefined: no worker answers. */
  status?: UpgradeStatus;
  url?: string;
  /** The run has ended and has kept its freeze, since then. */
  frozenSince?: string;
}

/** `clusters`: those of the channel. */
export async function runOverview(deps: SlackDeps, clusters: readonly string[], listener: Listener): Promise<void> {
  const going = await goingOn(deps, clusters);
  await tell(listener, message(runsHere(going.runs.length), await overview(deps, going)));
}

/** false, and nothing was said: nothing runs here, or Temporal does not say so while a form can still be opened. */
export async function tellWhatRuns(deps: SlackDeps, clusters: readonly string[], listener: Listener): Promise<boolean> {
  const going = await inTime(LIST_LIMIT_MS, goingOn(deps, clusters));
  if (going === undefined || going.runs.length + going.keptFreezes.length === 0) return false;
  const start = button({ actionId: HOME_ACTIONS.start, label: startsAnother(), value: {} });
  await tell(
    listener,
    message(runsHere(going.runs.length), [...(await overview(deps, going)), ...actions(start === undefined ? [] : [start])]),
  );
  return true;
}

/** What has happened since, what waits, and what is due. */
export async function runDigest(deps: SlackDeps, clusters: readonly string[], sinceMs: number, listener: Listener): Promise<void> {
  const since = Date.now() - sinceMs;
  const [going, records, campaigns, support] = await Promise.all([
    goingOn(deps, clusters),
    Promise.all(clusters.map((cluster) => recordsOf(deps, cluster))),
    campaignLines(deps, listener.channel),
    supportLines(deps, clusters),
  ]);
  const here = await lookAt(deps, going);
  const reports = records.flatMap((read) => (typeof read === 'string' ? [] : read));
  const ended = reports
    .filter(({ status }) => Date.parse(status.endedAt ?? '') >= since)
    .toSorted((one, other) => (other.status.endedAt ?? '').localeCompare(one.status.endedAt ?? ''));
  const unread = records.filter((read) => typeof read === 'string');
  // What could not be read is no quiet day.
  const none = unread.length === 0 ? [nothingEnded()] : [];
  const title = digestTitle(when(new Date(since).toISOString()));
  const due = dueLines(here, reports, Date.now());
  await tell(
    listener,
    message(`${title}: ${runsHere(going.runs.length)}`, [
      ...sections([`*${title}*`, ...(ended.length === 0 ? none : ended.slice(0, ENDED).map(endedLine))], 3),
      ...context(unread.slice(0, 5)),
      ...listing(deps, here, going),
      ...(campaigns.length === 0 ? [] : sections([campaignsTitle(), ...campaigns], 2)),
      ...(due.length === 0 ? [] : sections([dueTitle(), ...due], 2)),
      ...(support.length === 0 ? [] : sections([supportTitle(), ...support], 2)),
    ]),
  );
}

/** A sentence of mrkdwn where they cannot be read. */
async function recordsOf({ clusters, log }: SlackDeps, cluster: string): Promise<UpgradeReport[] | string> {
  try {
    return await clusters.recordsOf(cluster);
  } catch (error) {
    log.warn(`reading the records of ${cluster}: ${messageOf(error)}`);
    return recordsUnread(mrkdwn(cluster, 100), mrkdwn(messageOf(error), 200));
  }
}

const overview = async (deps: SlackDeps, going: Listed): Promise<Rendered['blocks']> => listing(deps, await lookAt(deps, going), going);

function listing(deps: SlackDeps, here: readonly Here[], { runs, keptFreezes }: Listed): Rendered['blocks'] {
  const left = runs.length + keptFreezes.length - here.length;
  return [
    header(runsHere(runs.length)),
    ...sections(
      here.flatMap((each) => linesOf(deps, each)),
      8,
    ),
    ...context(left > 0 ? [notListed(left)] : []),
  ];
}

async function lookAt(deps: SlackDeps, { runs, keptFreezes }: Listed): Promise<Here[]> {
  const all: Here[] = [...keptFreezes.map((run) => ({ run, frozenSince: run.startedAt })), ...runs.map((run) => ({ run }))];
  return await Promise.all(
    all.slice(0, RUNS).map(async (each): Promise<Here> => {
      const { run } = each;
      const channel = deps.clusters.channelOf(run.cluster);
      const [answer, url] = await Promise.all([
        deps.upgrades.status(run.cluster).catch(() => undefined),
        channel === undefined ? undefined : gateUrl(deps, channel, soughtOf(each)),
      ]);
      const status = answer?.source === 'workflow' ? answer.status : undefined;
      return { ...each, ...defined({ status, url }) };
    }),
  );
}

/** A freeze that was kept began long after the run whose thread it is in. */
const soughtOf = ({ run, frozenSince }: Here): Sought => (frozenSince === undefined ? { ...run, notBefore: run.startedAt } : run);

function linesOf(deps: SlackDeps, { run, status, url, frozenSince }: Here): string[] {
  const thread = url === undefined ? undefined : link(url, 'Open its thread');
  const name = mrkdwn(status === undefined ? run.cluster : boardTitle(status), 200);
  const gates = (status?.gates ?? []).map((gate) => gateLine(deps, run.cluster, gate));
  if (frozenSince !== undefined) return [freezeHere(name, { since: when(frozenSince), link: thread }), ...gates];
  if (status === undefined) return [`${visibilityLine(run)}${thread === undefined ? '' : ` · ${thread}`}`];
  const of = { state: status.state, headline: mrkdwn(status.headline, 300), since: when(status.startedAt), link: thread };
  return [runHere(name, of), ...gates];
}

function gateLine({ clusters }: SlackDeps, cluster: string, gate: UpgradeStatus['gates'][number]): string {
  const [title, by] = [mrkdwn(gate.title, 200), when(gate.expiresAt)];
  if (gate.byItself === true) return parkedHere(title, by);
  const who = rulesOf(clusters.approvalsOf(cluster), phaseOf(gateStep(gate.id))).map((rule) => whoIsNeeded(rule.quorum, mentions(rule)));
  return gateHere(title, { who: who.join(' and '), by, progress: gate.progress === undefined ? undefined : mrkdwn(gate.progress, 200) });
}

function endedLine({ status, outcome }: UpgradeReport): string {
  const of = { outcome: OUTCOMES[outcome], at: when(status.endedAt ?? ''), headline: mrkdwn(status.headline, 200) };
  return endedHere(mrkdwn(boardTitle(status), 200), of);
}

/** The next first: decisions, and windows in which EKS takes a control plane back. */
function dueLines(here: readonly Here[], reports: readonly UpgradeReport[], nowMs: number): string[] {
  const gates = here.flatMap(({ run, status }) =>
    (status?.gates ?? []).map(({ title, expiresAt }) => ({
      at: expiresAt,
      line: gateDue(mrkdwn(run.cluster, 100), mrkdwn(title, 200), when(expiresAt)),
    })),
  );
  const statuses = [...here.flatMap(({ status }) => status ?? []), ...reports.map(({ status }) => status)];
  const windows = new Map<string, { at: string; line: string }>();
  for (const { cluster, takeBack } of statuses) {
    if (takeBack === undefined || Date.parse(takeBack.until) <= nowMs || windows.has(cluster.name)) continue;
    const line = windowDue(mrkdwn(cluster.name, 100), mrkdwn(takeBack.to, 20), when(takeBack.until));
    windows.set(cluster.name, { at: takeBack.until, line });
  }
  return [...gates, ...windows.values()].toSorted((one, other) => one.at.localeCompare(other.at)).map(({ line }) => line);
}
