/** What a campaign does at each turn: ask for its ring, start what is due, look how everything is, and rest until something happens. */
import { allHandlersFinished, condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../../domain/core/defined.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { Actor } from '../../../domain/gates/actor.ts';
import { type CampaignState, hasRun, initialState } from '../../../domain/run/campaign/state.ts';
import { settle } from '../../../domain/run/campaign/rings.ts';
import { nextStartInMs, nextStarts } from '../../../domain/run/campaign/starts.ts';
import type { CampaignInput, CampaignStatus } from '../../contract/campaign.ts';
import { campaignStatus, memberEnded } from '../../contract/campaign.ts';
import { campaignDetails } from '../../reporting/campaign-details.ts';
import { useGrant } from '../../runtime/messages/grant.ts';
import { UsedIds } from '../../runtime/messages/used-ids.ts';
import { campaignEnded, campaignRefused, finishByPassed, settingsUnread } from '../../messages/campaigns.ts';
import { CampaignBundles } from './campaign-bundles.ts';
import { CampaignCommands } from './campaign-commands.ts';
import { CampaignMembers } from './campaign-members.ts';
import { readSettings } from './campaign-settings.ts';
import { CampaignVoice } from './campaign-voice.ts';
import { editPaceMs } from './edit-pace.ts';
import { RingGate } from './ring-gate.ts';
import { whyNotBegun } from './campaign-requester.ts';

/** Between two looks at everything: as often as a run polls at its slowest, ten times over. */
const LOOKS_OF_POLLS = 10;
/** Starts at the same time: each reads its cluster. */
const STARTS_AT_ONCE = 10;
const SHORTEST_REST_MS = 100;
/** Events of one run, well before Temporal suggests another one. */
const MOST_EVENTS = 3_000;

export class CampaignRun {
  readonly #input: CampaignInput;
  readonly #voice = new CampaignVoice();
  readonly #gate: RingGate;
  readonly #commands: CampaignCommands;
  readonly #members: CampaignMembers;
  readonly #bundles: CampaignBundles;
  #state: CampaignState;
  #plan: CampaignInput['plan'];
  #requestedBy: Actor;
  #grant: string | undefined;
  #policy: UpgradePolicy | undefined;
  #lookedAt: string | undefined;
  /** Something has happened that the next turn shall see at once. */
  #woken = false;
  /** A ring has come further: what comes next, most often a gate, does not wait for the next look. */
  #hasAdvanced = false;
  /** After a pause: people may have taken back what had arrived. */
  #looksAtAll = false;
  #isRefused = false;

  constructor(input: CampaignInput) {
    const { carried } = input;
    this.#input = input;
    this.#plan = input.plan;
    this.#state = carried?.state ?? initialState(input.plan);
    this.#requestedBy = carried?.requestedBy ?? input.requestedBy;
    this.#grant = carried?.grant;
    this.#looksAtAll = carried?.looksAtAll === true;
    const shared = {
      state: () => this.#state,
      plan: () => this.#plan,
      use: (state: CampaignState, plan = this.#plan) => {
        if (this.#state.pauses.length > 0 && state.pauses.length === 0) this.#looksAtAll = true;
        this.#state = state;
        this.#plan = plan;
        this.#wake();
      },
      voice: this.#voice,
      used: new UsedIds(carried?.used),
    };
    this.#gate = new RingGate(shared, carried?.gate);
    this.#commands = new CampaignCommands(shared);
    this.#bundles = new CampaignBundles(shared, carried?.bundles);
    this.#members = new CampaignMembers({
      state: () => this.#state,
      plan: () => this.#plan,
      use: (state) => void (this.#state = state),
      requestedBy: () => this.#requestedBy,
      everyMs: () => this.#everyMs,
      heartbeatTimeoutMs: () => this.#policy?.timing.heartbeatTimeoutMs ?? 10_000,
      voice: this.#voice,
      bundles: this.#bundles,
    });
    this.#gate.install();
    this.#bundles.install();
    this.#commands.install();
    setHandler(campaignStatus, () => this.status);
    setHandler(memberEnded, () => this.#wake());
  }

  get isOver(): boolean {
    if (this.#isRefused) return true;
    const { phase, members } = this.#state;
    // What runs is followed to its end, so that the record says what became of it.
    return (phase === 'stopped' || phase === 'complete') && !Object.values(members).some(hasRun);
  }

  get status(): CampaignStatus {
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    return {
      workflowId,
      runId,
      ...(firstExecutionRunId === runId ? {} : { firstRunId: firstExecutionRunId }),
      requestedBy: this.#requestedBy,
      startedAt: this.#startedAt,
      plan: this.#plan,
      state: this.#state,
      gates: this.#gate.open,
      ...(this.#lookedAt === undefined ? {} : { lookedAt: this.#lookedAt }),
    };
  }

  async begin(): Promise<void> {
    const { campaign, carried } = this.#input;
    const { policy, unread, altered } = await readSettings(this.#input);
    const { cluster } = policy;
    this.#policy = policy;
    const context = { cluster, policy, requestedBy: this.#requestedBy };
    this.#voice.start(policy, () => this.status, carried);
    const refused = carried === undefined ? ((await this.#prove(context)) ?? altered) : useGrant(this.#grant);
    if (typeof refused === 'string') {
      this.#isRefused = true;
      this.#state = { ...this.#state, phase: 'stopped' };
      this.#voice.note(campaignRefused(refused));
    }
    this.#voice.begin({ cluster, campaign, requestedBy: this.#requestedBy, resumed: carried !== undefined });
    this.#gate.attach({ ...context, requestedBy: this.#requestedBy });
    this.#commands.attach({ ...context, requestedBy: this.#requestedBy });
    this.#bundles.attach(editPaceMs(policy.timing));
    if (unread !== undefined)
      this.#voice.once(`settings-unread/${new Date().toISOString().slice(0, 10)}`, settingsUnread(campaign, unread));
    this.#show();
  }

  async #prove(context: { cluster: UpgradePolicy['cluster']; policy: UpgradePolicy; requestedBy: Actor }): Promise<string | undefined> {
    const proved = await whyNotBegun(this.#input, context);
    this.#requestedBy = proved.requestedBy;
    this.#grant = proved.grant;
    return proved.refused;
  }

  /** The gate of the ring that comes next is open beside everything else. */
  async askForRing(): Promise<void> {
    this.#members.beginTurn();
    await this.#gate.keep(this.#members);
  }

  /** As many as there are slots; what cannot start says why, and may be looked at again. */
  async startDue(): Promise<void> {
    if (this.#looksAtAll) await this.#lookAtAll();
    for (;;) {
      const now = new Date().toISOString();
      const due = nextStarts(this.#state, this.#plan, now).slice(0, STARTS_AT_ONCE);
      if (due.length === 0) return;
      await Promise.all(due.map((member) => this.#members.start(member)));
      this.#settle();
    }
  }

  async #lookAtAll(): Promise<void> {
    this.#looksAtAll = false;
    await this.#members.look({ all: true });
    this.#settle();
  }

  /** The look alone is enough: what ended without a word is found by it. */
  async lookAround(): Promise<void> {
    this.#woken = false;
    const now = new Date().toISOString();
    await this.#members.look({ all: false });
    await this.#members.lookAtSoak();
    this.#lookedAt = now;
    this.#settle();
    this.#show();
  }

  #settle(): void {
    const before = this.#state;
    const now = new Date().toISOString();
    this.#state = settle(before, this.#plan, now);
    if (this.#voice.rings(before, this.#state, this.#plan)) this.#hasAdvanced = true;
    const { finishBy, campaign } = this.#plan;
    if (finishBy !== undefined && now.slice(0, 10) > finishBy && !this.isOver)
      this.#voice.once(`finish-by/${finishBy}`, finishByPassed(campaign, finishBy));
  }

  /** Between rings, and before a history grows large: nothing is lost, and gates stay open with their votes. */
  async goOnInAnotherRun(): Promise<void> {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if ((!continueAsNewSuggested && historyLength < MOST_EVENTS) || this.isOver) return;
    this.#bundles.rest();
    await this.#voice.handOn();
    await continueAsNew<(input: CampaignInput) => Promise<CampaignStatus>>({
      campaign: this.#input.campaign,
      plan: this.#plan,
      requestedBy: this.#requestedBy,
      carried: {
        state: this.#state,
        requestedBy: this.#requestedBy,
        startedAt: this.#startedAt,
        ...defined({ grant: this.#grant, policy: this.#policy }),
        ...(this.#looksAtAll ? { looksAtAll: true } : {}),
        ...this.#voice.carried,
        ...this.#gate.carried,
        ...this.#commands.carried,
        ...this.#bundles.carried,
      },
    });
  }

  /** Until the next look, or until something happens. */
  async rest(): Promise<void> {
    if (this.isOver || this.#hasAdvanced) {
      this.#hasAdvanced = false;
      return;
    }
    const startMs = nextStartInMs(this.#state, this.#plan, new Date().toISOString()) ?? Infinity;
    await condition(() => this.#woken, Math.max(SHORTEST_REST_MS, Math.min(this.#everyMs, startMs)), { summary: 'Until the next look' });
  }

  async end(): Promise<CampaignStatus> {
    this.#gate.close();
    this.#bundles.close();
    await condition(allHandlersFinished);
    this.#voice.note(campaignEnded(this.#plan.campaign, this.#isRefused ? 'was refused' : `is ${this.#state.phase}`));
    this.#show();
    await this.#voice.end(`campaign ${this.#plan.campaign}: ${this.#state.phase}`);
    return this.status;
  }

  get #everyMs(): number {
    return LOOKS_OF_POLLS * (this.#policy?.timing.pollMaxMs ?? 30_000);
  }

  get #startedAt(): string {
    return this.#input.carried?.startedAt ?? workflowInfo().startTime.toISOString();
  }

  #wake(): void {
    this.#woken = true;
    this.#show();
  }

  #show(): void {
    setCurrentDetails(campaignDetails(this.status));
    this.#voice.board();
  }
}
