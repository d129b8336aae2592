/** What the App Home shows somebody: read from Temporal and from Slack's groups, with a sentence for what could not be read. */
import { isEscalatedAt, rulesOf } from '../../domain/gates/approvals.ts';
import { workLeftMs } from '../../domain/run/durations/left.ts';
import { phaseOf } from '../../domain/core/phases.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { duration } from '../../domain/core/text.ts';
import { gateStep } from '../../workflows/contract/ids.ts';
import type { Home, HomeGate, HomeRun } from '../blocks/home.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { shownGroups } from '../api/group-cache.ts';
import { gateUrl } from '../interaction/message-links.ts';
import type { VisibilityStatus } from '../../client/upgrades-client.ts';
import type { OpenGate } from '../../domain/gates/gate.ts';
import { groupUnread, moreRuns, runProgress, seenWithoutWorker } from '../messages/home.ts';

/** Each is asked for its status, and Slack for its thread. */
const RUNS = 20;

/** `clusters`: those that the person may see. Without versions: those take longer, and come after. Never throws. */
export async function gatherHome(deps: SlackDeps, user: string, nowMs: number, clusters: readonly string[]): Promise<Home> {
  const home: Home = { mine: [], others: [], runs: [], problems: [], at: new Date(nowMs).toISOString() };
  let running: VisibilityStatus[] = [];
  try {
    running = (await deps.upgrades.list()).filter(({ cluster }) => clusters.includes(cluster));
  } catch (error) {
    home.problems.push(failureSentence(error, deps.log, 'listing upgrades for the App Home'));
  }
  const standstill = await deps.upgrades.standstill();
  if (standstill !== undefined) home.problems.push(standstill);
  const membership = new Membership(deps, user, nowMs);
  for (const run of running.slice(0, RUNS)) await addRun(deps, home, run, membership);
  home.problems.push(...membership.unreadable());
  if (running.length > RUNS) home.problems.push(moreRuns(running.length - RUNS));
  return home;
}

async function addRun(deps: SlackDeps, home: Home, run: VisibilityStatus, membership: Membership): Promise<void> {
  const status = await workflowStatus(deps, run);
  const channel = channelOf(deps, run.cluster);
  const url = async (gateId?: string): Promise<string | undefined> =>
    channel === undefined ? undefined : await gateUrl(deps, channel, run, gateId);
  home.runs.push({ ...shownRun(run, status, Date.parse(home.at)), url: await url() });
  if (status === undefined) return;
  for (const gate of status.gates) {
    const { id, title, expiresAt, progress } = gate;
    const voted = membership.hasVoted(gate);
    const shown: HomeGate = { cluster: run.cluster, title, expiresAt, progress, voted, url: await url(id) };
    const mine = !voted && (await membership.isAsked(run.cluster, gate, status));
    (mine ? home.mine : home.others).push(shown);
  }
}

/** undefined: no worker answers. */
async function workflowStatus({ upgrades, log }: SlackDeps, { cluster }: VisibilityStatus): Promise<UpgradeStatus | undefined> {
  try {
    const answer = await upgrades.status(cluster);
    return answer.source === 'workflow' ? answer.status : undefined;
  } catch (error) {
    log.warn(`reading the status of ${cluster} for the App Home: ${messageOf(error)}`);
    return undefined;
  }
}

function channelOf({ clusters }: SlackDeps, cluster: string): string | undefined {
  try {
    return clusters.channelOf(cluster);
  } catch {
    // A run that was started with another belay.yaml.
    return undefined;
  }
}

function shownRun(run: VisibilityStatus, status: UpgradeStatus | undefined, nowMs: number): HomeRun {
  const { cluster, target, phase, waitingFor, startedAt } = run;
  if (status === undefined) {
    return { cluster, to: target, state: seenWithoutWorker({ waitingFor, phase }), startedAt };
  }
  const leftMs = workLeftMs(status, nowMs);
  const done = status.steps.filter((step) => step.state === 'completed' || step.state === 'skipped').length;
  return {
    cluster,
    from: status.from,
    to: status.to,
    state: runProgress({
      doneCount: done,
      count: status.steps.length,
      left: leftMs > 0 ? duration(leftMs) : undefined,
      headline: status.headline,
    }),
    startedAt,
  };
}

/** At which gates one person is asked to vote, as far as it can be read now: a hint that the decision itself never relies on. */
class Membership {
  readonly #deps: SlackDeps;
  readonly #user: string;
  readonly #nowMs: number;
  readonly #groups = new Map<string, readonly string[]>();
  readonly #unreadable = new Set<string>();

  constructor(deps: SlackDeps, user: string, nowMs: number) {
    this.#deps = deps;
    this.#user = user;
    this.#nowMs = nowMs;
  }

  hasVoted({ voted = [] }: OpenGate): boolean {
    return voted.includes(this.#user);
  }

  async isAsked(cluster: string, gate: OpenGate, { requestedBy, formerly = [] }: UpgradeStatus): Promise<boolean> {
    if (gate.byItself === true) return false;
    try {
      const approvals = this.#deps.clusters.approvalsOf(cluster);
      const hasAsked = [requestedBy, ...formerly].some(({ kind, id }) => kind === 'slack' && id === this.#user);
      if (hasAsked && !approvals.allowRequester) return false;
      const { openedAt, expiresAt } = gate;
      const isEscalated = openedAt !== undefined && isEscalatedAt(approvals, { openedAt, expiresAt }, this.#nowMs);
      const escalation = isEscalated && approvals.escalation !== undefined ? [approvals.escalation] : [];
      for (const { users, groups } of [...rulesOf(approvals, phaseOf(gateStep(gate.id))), ...escalation]) {
        if (users.includes(this.#user)) return true;
        for (const group of groups) if ((await this.#members(group)).includes(this.#user)) return true;
      }
    } catch (error) {
      this.#deps.log.warn(`whether ${this.#user} may vote at ${gate.id} of ${cluster}: ${messageOf(error)}`);
    }
    return false;
  }

  unreadable(): string[] {
    return [...this.#unreadable].map(groupUnread);
  }

  async #members(group: string): Promise<readonly string[]> {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const read = await shownGroups(this.#deps.web)
      .members(group)
      .catch(() => {
        this.#unreadable.add(group);
        return [];
      });
    this.#groups.set(group, read);
    return read;
  }
}
