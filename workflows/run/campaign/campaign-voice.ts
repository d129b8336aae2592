/** How a campaign speaks: its board, its rings' messages and its thread in Slack, its events elsewhere, its audit record. */
import { workflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { CampaignPlan } from '../../../domain/plan/campaign/types.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { CampaignStory } from '../../../domain/run/events/campaign-story.ts';
import type { CampaignState } from '../../../domain/run/campaign/state.ts';
import { AuditTrail } from '../../reporting/audit/audit-trail.ts';
import type { CampaignStatus, CarriedCampaign } from '../../contract/campaign.ts';
import { ringSoaking, ringStopped } from '../../messages/campaigns.ts';
import type { Note } from '../../messages/note.ts';
import { campaignView } from '../../../domain/run/campaign/view.ts';
import { Announcer, type Pending } from '../../reporting/announcer.ts';
import { campaignMessages, ringLists } from '../../reporting/campaign-messages.ts';
import { Elsewhere, wordsOf } from '../../reporting/elsewhere.ts';
import { Publisher, type PublishTo } from '../../reporting/publisher.ts';
import { editPaceMs } from './edit-pace.ts';

const LAST_WORDS_MS = 60_000;
/** Between two runs of the campaign, in which nothing starts: what is left is told by the next one, or by a workflow of its own. */
const HAND_ON_MS = 5_000;

export class CampaignVoice {
  #publisher: Publisher | undefined;
  #elsewhere: Elsewhere | undefined;
  #story: CampaignStory | undefined;
  #announcer = new Announcer({ notePrefix: 'campaign', deliver: undefined });
  #trail: AuditTrail | undefined;
  #status: (() => CampaignStatus) | undefined;
  readonly #said = new Set<string>();
  /** What was put last, by key, as JSON: what has not changed is not edited. */
  readonly #shown = new Map<string, string>();
  readonly #listed = new Set<string>();

  /** Before this nothing but Temporal UI is told. `before`: of the run before, with the keys of what it has not told; absent: there is none. */
  start(policy: UpgradePolicy, status: () => CampaignStatus, before?: Pick<CarriedCampaign, 'untold' | 'said' | 'gate'>): void {
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    const isFirst = runId === firstExecutionRunId;
    const { channel, timing, windows } = policy;
    this.#status = status;
    for (const key of before?.said ?? []) this.#said.add(key);
    // One thread, and buttons that stay good, over all runs of the campaign.
    const upgrade = { workflowId, runId: firstExecutionRunId };
    this.#tellElsewhere(policy, upgrade, status(), before);
    if (channel !== undefined) {
      this.#publisher = new Publisher({
        upgrade,
        channel,
        boardEditMs: editPaceMs(timing),
        paced: { lastAtMs: isFirst ? 0 : Date.now() },
        ...(windows?.quietHours === undefined ? {} : { quietHours: windows.quietHours }),
      });
      this.#publisher.start();
    }
    if (channel === undefined && this.#elsewhere === undefined) return;
    this.#announcer = new Announcer({ notePrefix: `campaign/${runId.slice(0, 8)}`, deliver: (pending) => this.#put(pending) });
    if (before !== undefined) this.#skipTold(status(), before.untold ?? []);
  }

  /** What the run before has told of its start and of a gate that stays open is not told again. */
  #tellElsewhere(
    policy: UpgradePolicy,
    upgrade: PublishTo['upgrade'],
    status: CampaignStatus,
    before: Pick<CarriedCampaign, 'gate'> | undefined,
  ): void {
    const told = [
      ...(before === undefined ? [] : ['campaign/started']),
      ...(before?.gate === undefined ? [] : [`gate/${before.gate.gate.id}/opened`]),
    ];
    const story = new CampaignStory(status, { runId: upgrade.runId, told, ...wordsOf(policy, upgrade) });
    this.#story = story;
    this.#elsewhere = Elsewhere.telling(policy, upgrade, (pending, nowIso) => story.hear(pending, nowIso));
  }

  #put(pending: Pending): void {
    this.#publisher?.put(pending);
    this.#elsewhere?.put(pending);
  }

  /** Rings that ended long ago are not edited again by each run of the campaign. */
  #skipTold(status: CampaignStatus, untold: readonly string[]): void {
    for (const { key, notification } of campaignMessages(status))
      if (!untold.includes(key)) this.#shown.set(key, JSON.stringify(notification));
    for (const { key } of ringLists(status)) if (!untold.includes(key)) this.#listed.add(key);
  }

  begin({
    cluster,
    campaign,
    requestedBy,
    resumed,
  }: {
    cluster: ClusterRef;
    campaign: string;
    requestedBy: Actor;
    resumed: boolean;
  }): void {
    const { firstExecutionRunId } = workflowInfo();
    const of = { account: 'campaign', region: cluster.region, name: campaign };
    this.#trail = new AuditTrail({ cluster: of, runId: firstExecutionRunId, shared: true }, (note) => this.note(note));
    if (!resumed)
      this.audit({
        id: 'start',
        at: new Date().toISOString(),
        kind: 'start',
        what: `Campaign ${campaign} was requested`,
        actor: requestedBy,
      });
  }

  get announcer(): Announcer {
    return this.#announcer;
  }

  note(note: Note): void {
    this.#announcer.note(note);
  }

  /** Said once, however often it is so. */
  once(key: string, note: Note): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.note(note);
  }

  /** What rings have come to; true: one has come further. */
  rings(before: CampaignState, { rings }: CampaignState, { rings: planned, campaign, rollbackOf }: CampaignPlan): boolean {
    const changed = [...rings.entries()].filter(([index, { state }]) => before.rings[index]?.state !== state);
    for (const [index, { name, state, why }] of changed) {
      const ring = planned[index];
      if (state === 'stopped') this.note(ringStopped(name, why ?? 'no reason given', campaign));
      if (state === 'soaking' && ring !== undefined && rollbackOf === undefined) this.note(ringSoaking(ring, why));
    }
    return changed.length > 0;
  }

  audit(event: AuditEvent): void {
    this.#trail?.note(event);
  }

  /** Tells what has changed of board and rings. */
  board(): void {
    if (this.#status === undefined || (this.#publisher === undefined && this.#elsewhere === undefined)) return;
    const status = this.#status();
    for (const { key, notification } of campaignMessages(status)) {
      const json = JSON.stringify(notification);
      if (this.#shown.get(key) === json) continue;
      this.#shown.set(key, json);
      this.#put({ key, notification });
    }
    for (const { key, notification } of ringLists(status)) {
      if (this.#listed.has(key)) continue;
      this.#listed.add(key);
      this.#put({ key, notification: notification() });
    }
  }

  /** For the next run of the campaign. */
  async handOn(): Promise<Pick<CarriedCampaign, 'untold' | 'said'>> {
    await this.#trail?.finish(LAST_WORDS_MS);
    const untold = (await this.#publisher?.handOn(HAND_ON_MS)) ?? [];
    // Afterwards: what is decided while Slack is waited for is an event, too.
    await this.#elsewhere?.close(HAND_ON_MS);
    return { ...(untold.length === 0 ? {} : { untold }), ...(this.#said.size === 0 ? {} : { said: [...this.#said] }) };
  }

  async end(what: string): Promise<void> {
    this.audit({ id: 'end', at: new Date().toISOString(), kind: 'end', what: `Ended: ${what}` });
    await this.#trail?.finish(LAST_WORDS_MS);
    if (this.#status !== undefined && this.#story !== undefined)
      this.#elsewhere?.tell(this.#story.end(campaignView(this.#status()), new Date().toISOString()));
    await Promise.all([this.#publisher?.close(LAST_WORDS_MS), this.#elsewhere?.close(LAST_WORDS_MS)]);
  }
}
