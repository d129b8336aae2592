/** How a campaign speaks: its board, its rings' messages and its thread in Slack, its events elsewhere, its audit record. */
import { allHandlersFinished, condition, workflowInfo } from '@temporalio/workflow';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { agree, count } from '../../../domain/core/text.ts';
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
import { whenSettled } from '../../runtime/when-settled.ts';
import { editPaceMs } from './edit-pace.ts';

const LAST_WORDS_MS = 60_000;
/** Between two runs of the campaign, in which nothing starts: what is left is told by the next one, or by a workflow of its own. */
const HAND_ON_MS = 5_000;
/** Likewise for the audit record: the next run writes what could not be written. */
const HAND_ON_RECORD_MS = 30_000;
/** Of the audit record, so that what a run begins with stays small. */
const MOST_UNWRITTEN = 50;

export class CampaignVoice {
  #policy: UpgradePolicy | undefined;
  #publisher: Publisher | undefined;
  #elsewhere: Elsewhere | undefined;
  #story: CampaignStory | undefined;
  #announcer = new Announcer({ notePrefix: 'campaign', deliver: undefined });
  /** Whose audit record it is, once it has one. */
  #recorded: ClusterRef | undefined;
  #trail: AuditTrail | undefined;
  #status: (() => CampaignStatus) | undefined;
  /** What is said while the queues are being closed, for those that follow them. */
  #late: Pending[] | undefined;
  #handedOnCount = 0;
  readonly #untold = new Set<string>();
  /** Of the audit record, of this run and of those before: the oldest first. */
  #unwritten: AuditEvent[] = [];
  readonly #said = new Set<string>();
  /** What was put last, by key, as JSON: what has not changed is not edited. */
  readonly #shown = new Map<string, string>();
  readonly #listed = new Set<string>();

  /** Before this nothing but Temporal UI is told. `before`: of the run before, with the keys of what it has not told; absent: there is none. */
  start(
    policy: UpgradePolicy,
    status: () => CampaignStatus,
    before?: Pick<CarriedCampaign, 'untold' | 'unwritten' | 'said' | 'gate'>,
  ): void {
    const { runId } = workflowInfo();
    this.#policy = policy;
    this.#status = status;
    for (const key of before?.said ?? []) this.#said.add(key);
    this.#unwritten = [...(before?.unwritten ?? [])];
    // What the run before has told of its start and of a gate that stays open is not told again.
    const told = [
      ...(before === undefined ? [] : ['campaign/started']),
      ...(before?.gate === undefined ? [] : [`gate/${before.gate.gate.id}/opened`]),
    ];
    const upgrade = ofAllRuns();
    this.#story = new CampaignStory(status(), { runId: upgrade.runId, told, ...wordsOf(policy, upgrade) });
    if (!this.#isHeard) return;
    this.#announcer = new Announcer({ notePrefix: `campaign/${runId.slice(0, 8)}`, deliver: (pending) => this.#put(pending) });
    if (before !== undefined) this.#skipTold(status(), before.untold ?? []);
  }

  get #isHeard(): boolean {
    const { channel, deliveries = [] } = this.#policy ?? {};
    return channel !== undefined || deliveries.length > 0;
  }

  #put(pending: Pending): void {
    if (this.#late !== undefined) return void this.#late.push(pending);
    this.#slack()?.put(pending);
    this.#others()?.put(pending);
  }

  /** Begins with what is said first, also after one that was handed on. */
  #slack(): Publisher | undefined {
    const { channel, timing, windows } = this.#policy ?? {};
    if (this.#publisher !== undefined || channel === undefined || timing === undefined) return this.#publisher;
    const { runId, firstExecutionRunId } = workflowInfo();
    const isFirst = runId === firstExecutionRunId && this.#handedOnCount === 0;
    this.#publisher = new Publisher({
      upgrade: ofAllRuns(),
      channel,
      boardEditMs: editPaceMs(timing),
      paced: { lastAtMs: isFirst ? 0 : Date.now() },
      ...(windows?.quietHours === undefined ? {} : { quietHours: windows.quietHours }),
    });
    this.#publisher.start();
    return this.#publisher;
  }

  #others(): Elsewhere | undefined {
    const [policy, story] = [this.#policy, this.#story];
    if (policy === undefined || story === undefined) return undefined;
    this.#elsewhere ??= Elsewhere.telling(policy, ofAllRuns(), (pending, nowIso) => story.hear(pending, nowIso));
    return this.#elsewhere;
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
    this.#recorded = { account: 'campaign', region: cluster.region, name: campaign };
    for (const event of this.#unwritten.splice(0)) this.audit(event);
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
    if (this.#recorded === undefined) return;
    const { firstExecutionRunId: runId } = workflowInfo();
    this.#trail ??= new AuditTrail({ cluster: this.#recorded, runId, shared: true }, (note) => this.note(note));
    this.#trail.note(event);
  }

  /** Tells what has changed of board and rings. */
  board(): void {
    if (this.#status === undefined || !this.#isHeard) return;
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

  /** For the next run of the campaign: until all that has arrived is answered, told and written down. Nothing may be waited for after it. */
  async handOn(): Promise<void> {
    do {
      await condition(allHandlersFinished);
      // What the last of them has decided is carried out and said.
      await whenSettled();
      await this.#closeOnce();
    } while (!allHandlersFinished() || !this.#isQuiet);
  }

  /** What is said or decided meanwhile begins queues of its own. */
  async #closeOnce(): Promise<void> {
    const part = this.#handedOnCount === 0 ? undefined : String(this.#handedOnCount);
    this.#handedOnCount += 1;
    this.#late = [];
    for (const key of (await this.#publisher?.handOn(HAND_ON_MS, part)) ?? []) this.#untold.add(key);
    await this.#elsewhere?.close(HAND_ON_MS, part);
    const late = this.#late;
    [this.#publisher, this.#elsewhere, this.#late] = [undefined, undefined, undefined];
    for (const pending of late) this.#put(pending);
    const trail = this.#trail;
    this.#trail = undefined;
    this.#unwritten.push(...((await trail?.finish(HAND_ON_RECORD_MS)) ?? []));
  }

  get #isQuiet(): boolean {
    return this.#publisher === undefined && this.#elsewhere === undefined && this.#trail === undefined;
  }

  get carried(): Pick<CarriedCampaign, 'untold' | 'unwritten' | 'said'> {
    const [untold, said, unwritten] = [[...this.#untold], [...this.#said], mostOf(this.#unwritten)];
    return {
      ...(untold.length === 0 ? {} : { untold }),
      ...(unwritten.length === 0 ? {} : { unwritten }),
      ...(said.length === 0 ? {} : { said }),
    };
  }

  async end(what: string): Promise<void> {
    this.audit({ id: 'end', at: new Date().toISOString(), kind: 'end', what: `Ended: ${what}` });
    await this.#trail?.finish(LAST_WORDS_MS);
    if (this.#status !== undefined && this.#story !== undefined)
      this.#others()?.tell(this.#story.end(campaignView(this.#status()), new Date().toISOString()));
    await Promise.all([this.#publisher?.close(LAST_WORDS_MS), this.#elsewhere?.close(LAST_WORDS_MS)]);
  }
}

/** The oldest, and how many more there are. */
function mostOf(events: readonly AuditEvent[]): AuditEvent[] {
  const lostCount = events.length - MOST_UNWRITTEN;
  if (lostCount <= 0) return [...events];
  const what = `${count(lostCount, 'event')} ${agree(lostCount, 'is', 'are')} not listed: the record could not be written, and too many waited.`;
  const lost: AuditEvent = { id: `lost/${workflowInfo().runId}`, at: new Date().toISOString(), kind: 'refused', what };
  return [...events.slice(0, MOST_UNWRITTEN), lost];
}

/** One thread, and buttons that stay good, over all runs of the campaign. */
function ofAllRuns(): PublishTo['upgrade'] {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return { workflowId, runId: firstExecutionRunId };
}
