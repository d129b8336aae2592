/** A campaign and its clusters: starts what is due, looks at what runs and at what has arrived. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { type CampaignPlan, memberKey, type PlannedMember } from '../../../domain/plan/campaign/types.ts';
import { defined } from '../../../domain/core/defined.ts';
import { applyLook, type Look } from '../../../domain/run/campaign/looks.ts';
import { type HealthReading, lookAtSoak, worstOf } from '../../../domain/run/campaign/soak.ts';
import { type CampaignState, hasArrived, leftOutOf, membersOf, withRing } from '../../../domain/run/campaign/state.ts';
import { applyStart, mayStart, type StartResult } from '../../../domain/run/campaign/starts.ts';
import { soakRestarted } from '../../messages/campaigns.ts';
import { inParts } from '../../requests/plan-campaign.ts';
import { campaignActivities, startActivities } from '../../runtime/activity-proxies.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import type { CampaignBundles } from './campaign-bundles.ts';
import { CampaignNetworks } from './campaign-networks.ts';
import { CampaignStandstill } from './campaign-standstill.ts';
import type { CampaignVoice } from './campaign-voice.ts';
import { count } from '../../../domain/core/text.ts';

/** Clusters of one look. */
const LOOK_PART = 50;

interface MembersDeps {
  state: () => CampaignState;
  plan: () => CampaignPlan;
  use: (state: CampaignState) => void;
  requestedBy: () => Actor;
  everyMs: () => number;
  heartbeatTimeoutMs: () => number;
  voice: CampaignVoice;
  bundles: CampaignBundles;
}

export class CampaignMembers {
  readonly #deps: MembersDeps;
  readonly #networks: CampaignNetworks;
  readonly #standstill: CampaignStandstill;

  constructor(deps: MembersDeps) {
    this.#deps = deps;
    this.#networks = new CampaignNetworks(deps.voice);
    this.#standstill = new CampaignStandstill(deps);
  }

  beginTurn(): void {
    this.#networks.beginTurn();
    this.#standstill.look();
  }

  /** A killed worker is noticed as soon as in every run. */
  #called(summary: string): { summary: string; heartbeatTimeout: number } {
    return { summary, heartbeatTimeout: this.#deps.heartbeatTimeoutMs() };
  }

  async start(member: PlannedMember): Promise<void> {
    const { state, plan, use, requestedBy, everyMs } = this.#deps;
    const { cluster, p90Ms, verdict } = member;
    const { target, campaign, rings, rollbackOf } = plan();
    const index = rings.findIndex(({ members }) => members.includes(member));
    const { name = '', coversStart = false } = rings[index] ?? {};
    const { attempt = 1, startedAt } = state().rings[index] ?? {};
    const applied = (result: StartResult): void => use(applyStart(state(), memberKey(cluster), notAtOnce(result, everyMs()), now()));
    /** People may have left it out, or begun another attempt of its ring, while it was looked at. */
    const isMeant = (): boolean => !this.#isLeftOut(memberKey(cluster)) && (state().rings[index]?.attempt ?? 1) === attempt;
    try {
      const needMs = (p90Ms ?? 0) * (verdict.kind === 'upgrade' ? verdict.minors : 1);
      const examined =
        rollbackOf === undefined
          ? await this.#examine(cluster, `May ${cluster.name} start?`, { needMs, since: startedAt ?? now() })
          : await this.#examineWayBack(cluster, rollbackOf.campaign);
      if (!isMeant()) return;
      if (examined.kind !== 'ready') return applied(examined);
      // People may have paused or stopped meanwhile.
      if (!mayStart(state())) return;
      const of = { campaign, ring: name, attempt, ...(coversStart ? { coversStart: true as const } : {}) };
      applied(
        await startActivities.startMember.executeWithOptions(this.#called(`Start ${cluster.name}`), [
          { cluster, target, of, requestedBy: requestedBy(), askedAt: now(), ...backOf(plan()) },
        ]),
      );
    } catch (error) {
      if (isMeant()) applied({ kind: 'unknown', why: messageOf(error), again: new Date(Date.now() + everyMs()).toISOString() });
    }
  }

  #isLeftOut(key: string): boolean {
    const is = this.#deps.state().members[key];
    return is !== undefined && leftOutOf(is) !== undefined;
  }

  /** EKS is asked where the cluster is reached; only workers without a network ask Temporal. */
  async #examine(cluster: ClusterRef, summary: string, when: { needMs: number; since: string }): Promise<{ kind: 'ready' } | StartResult> {
    const { target } = this.#deps.plan();
    const found = await this.#networks.ask(cluster, () =>
      campaignActivities.examineMember.executeWithOptions(this.#called(summary), [{ cluster, target, ...when }]),
    );
    if (found.kind !== 'arrived' && found.kind !== 'ahead') return found;
    // A run that is open goes on with nodes and add-ons after the control plane has arrived.
    const { isOpen } = await campaignActivities.findOpenRun.executeWithOptions(this.#called(`Is a run of ${cluster.name} open?`), [
      { cluster },
    ]);
    return isOpen ? { kind: 'ready' } : found;
  }

  async #examineWayBack(cluster: ClusterRef, campaign: string): Promise<{ kind: 'ready' } | StartResult> {
    const summary = `May ${cluster.name} go back?`;
    const { ways } = await this.#networks.ask(cluster, () =>
      campaignActivities.readWaysBack.executeWithOptions(this.#called(summary), [{ clusters: [cluster] }]),
    );
    const way = ways[memberKey(cluster)] ?? { unread: 'it was not read' };
    return await campaignActivities.examineWayBack.executeWithOptions(this.#called(summary), [
      { cluster, campaign, target: this.#deps.plan().target, way },
    ]);
  }

  /** Held when the plan was made: can any of them start by now? */
  async lookAgain(members: readonly { key: string; member: PlannedMember }[]): Promise<void> {
    const { state, use, everyMs } = this.#deps;
    for (const { key, member } of members) {
      const { cluster } = member;
      const asked = this.#examine(cluster, `Can ${cluster.name} start by now?`, { needMs: 0, since: now() });
      const result = await asked.catch((error: unknown) => ({
        kind: 'unknown' as const,
        why: messageOf(error),
        again: new Date(Date.now() + everyMs()).toISOString(),
      }));
      if (this.#isLeftOut(key)) continue;
      // Its window is looked at when its ring has begun.
      const can = result.kind === 'ready' || result.kind === 'waiting';
      use(
        can
          ? { ...state(), members: { ...state().members, [key]: { kind: 'planned' } } }
          : applyStart(state(), key, notAtOnce(result, everyMs()), now()),
      );
    }
  }

  /** `all`: also what has arrived in rings before the one that is worked on. */
  async look({ all }: { all: boolean }): Promise<void> {
    const { state, plan, bundles } = this.#deps;
    const { rings, target, rollbackOf, campaign } = plan();
    const current = state().ring;
    const isWatched = (index: number): boolean =>
      rollbackOf === undefined &&
      ((all && index < current) || (index === current && ['running', 'soaking'].includes(state().rings[current]?.state ?? '')));
    const members = rings.flatMap((ring) =>
      membersOf(state(), ring).flatMap(({ key, member: { cluster }, is }) =>
        'runId' in is ? [{ cluster, runId: is.runId, ring: ring.name, ...defined({ known: bundles.known(key) }) }] : [],
      ),
    );
    // Of the ring that is worked on, those that have arrived are looked at, too: somebody may take them back.
    const arrived = rings.flatMap((ring, index) =>
      isWatched(index) ? membersOf(state(), ring).flatMap(({ member, is }) => (is.kind === 'done' ? [member.cluster] : [])) : [],
    );
    const meanwhile = Promise.all(inParts(arrived, (cluster) => cluster).map((part) => this.#lookAtArrived(part)));
    for (let at = 0; at < members.length; at += LOOK_PART) {
      const part = members.slice(at, at + LOOK_PART);
      try {
        const { looks } = await campaignActivities.lookAtMembers.executeWithOptions(
          this.#called(`Look at ${count(part.length, 'cluster')}`),
          [{ target, campaign, members: part, ...backOf(plan()) }],
        );
        this.#see(looks);
      } catch {
        // Unread: everything stays as it was, and keeps its slot.
      }
    }
    await meanwhile;
    bundles.settle();
  }

  /** Where each is reached: a part is of one network. */
  async #lookAtArrived(clusters: ClusterRef[]): Promise<void> {
    const [first] = clusters;
    if (first === undefined) return;
    const summary = `Still there: ${count(clusters.length, 'cluster')}?`;
    try {
      const { looks } = await this.#networks.ask(first, () =>
        campaignActivities.lookAtArrived.executeWithOptions(this.#called(summary), [{ clusters, target: this.#deps.plan().target }]),
      );
      this.#see(looks);
    } catch {
      // Unread: they stay as they were.
    }
  }

  #see(looks: Readonly<Record<string, Look>>): void {
    const { state, plan, use, bundles } = this.#deps;
    for (const [key, look] of Object.entries(looks)) {
      bundles.see(key, look);
      use(applyLook(state(), key, look, now(), plan().limits.stuckAfterMs));
    }
  }

  async lookAtSoak(): Promise<void> {
    const { state, plan, use, everyMs, voice } = this.#deps;
    const index = state().ring;
    const [ring, is] = [plan().rings[index], state().rings[index]];
    if (ring === undefined || is?.state !== 'soaking' || is.soak === undefined) return;
    const arrived = membersOf(state(), ring).flatMap(({ member, is: of }) => (hasArrived(of) ? [member.cluster] : []));
    const parts = inParts(arrived, (cluster) => cluster);
    const reading =
      state().pauses.length > 0 ? ('paused' as const) : worstOf(await Promise.all(parts.map((part) => this.#readHealth(ring.name, part))));
    const soak = lookAtSoak(is.soak, reading, { now: now(), everyMs: everyMs(), soakOnRed: ring.soakOnRed });
    if (soak.restarted !== undefined && soak.restarted.at !== is.soak.restarted?.at)
      voice.note(soakRestarted(ring.name, soak.restarted.why));
    use(withRing(state(), index, { soak }));
  }

  /** Where each is reached: a part is of one network. */
  async #readHealth(ring: string, clusters: ClusterRef[]): Promise<HealthReading> {
    const [first] = clusters;
    if (first === undefined) return { seen: 'green' };
    const read = this.#networks.ask(first, () =>
      campaignActivities.readSoakHealth.executeWithOptions(this.#called(`How is ring ${ring}?`), [{ clusters }]),
    );
    return await read.catch((error: unknown) => ({ seen: 'unread', why: messageOf(error) }));
  }
}

const now = (): string => new Date().toISOString();
const backOf = ({ rollbackOf }: CampaignPlan): { back?: true } => (rollbackOf === undefined ? {} : { back: true });

/** Times are those of the cluster's own clock, which may be behind: what cannot start is looked at again no sooner than all else. */
function notAtOnce(result: StartResult, everyMs: number): StartResult {
  const soonest = new Date(Date.now() + everyMs).toISOString();
  const after = (at: string | undefined): string | undefined => (at !== undefined && at < soonest ? soonest : at);
  if (result.kind === 'waiting') return { ...result, until: after(result.until) ?? soonest };
  if (result.kind === 'held' && result.again !== undefined) return { ...result, again: after(result.again) };
  return result.kind === 'unknown' ? { ...result, again: after(result.again) ?? soonest } : result;
}
