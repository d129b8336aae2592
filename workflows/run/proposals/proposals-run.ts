/** What the workflow of proposals does at each turn: rest, look, propose what is new, and go on in another run. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { defined } from '../../../domain/core/defined.ts';
import { afterLook, newlyDue, NOTHING_PROPOSED, type ProposalsState } from '../../../domain/run/proposals/state.ts';
import { type ProposalsInput, proposalsConfigured, type ProposalsStatus, proposalsStatus } from '../../contract/proposals.ts';
import { proposalsDetails } from '../../messages/proposals.ts';
import { configActivities } from '../../runtime/activity-proxies.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { describeProposals, lookAtClusters, type ProposalSettings } from './look.ts';
import { ProposalCommands } from './proposal-commands.ts';
import { ProposalsVoice } from './proposals-voice.ts';

/** Where a look was not possible, as belay.yaml cannot be read, it is tried again after so long. */
const AGAIN_MS = 60 * 60_000;
/** Events of one run, where nothing is looked at but much is asked. */
const MOST_EVENTS = 2_000;

export class ProposalsRun {
  readonly #voice = new ProposalsVoice();
  #state: ProposalsState;
  #settings: ProposalSettings | undefined;
  /** Why no look is possible: belay.yaml cannot be read. */
  #trouble: string | undefined;
  #isLoaded = false;
  #dueAt: string | undefined;
  /** A look is due, or asked for. */
  #isWanted: boolean;
  /** belay.yaml is to be read again. */
  #isStale = false;
  #hasLooked = false;

  constructor({ carried }: ProposalsInput) {
    // Whoever starts the workflow could name everything dismissed.
    const own = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : carried;
    this.#state = own?.state ?? NOTHING_PROPOSED;
    this.#dueAt = own?.dueAt;
    this.#isWanted = own?.wanted === true;
    setHandler(proposalsConfigured, () => void (this.#isStale = true));
    setHandler(proposalsStatus, () => this.status);
    new ProposalCommands({
      settings: () => this.#settings,
      isLoaded: () => this.#isLoaded,
      trouble: () => this.#trouble,
      state: () => this.#state,
      use: (state) => {
        this.#state = state;
        this.#show();
      },
      look: () => void (this.#isWanted = true),
      voice: this.#voice,
    }).install();
  }

  get status(): ProposalsStatus {
    return { state: this.#state, ...defined({ nextAt: this.#settings?.nextAt, trouble: this.#trouble }) };
  }

  /** belay.yaml as it is now. */
  async load(): Promise<void> {
    this.#isStale = false;
    const { nextAt } = this.#settings ?? {};
    if (nextAt !== undefined && Date.parse(nextAt) <= Date.now()) {
      // Also where the file cannot be read now: it is made up for.
      this.#isWanted = true;
      this.#dueAt = nextAt;
    }
    try {
      const { proposals } = await configActivities.loadProposals.executeWithOptions({ summary: 'Read proposals from belay.yaml' }, [
        defined({ after: this.#dueAt }),
      ]);
      this.#settings = proposals;
      this.#trouble = undefined;
      if (proposals === undefined) this.#isWanted = false;
      else this.#voice.start(proposals.policy);
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.#trouble = messageOf(error);
    }
    this.#isLoaded = true;
    this.#show();
  }

  /** Until a look is due, or asked for, or belay.yaml may have changed or can be read again. */
  async rest(): Promise<void> {
    const summary = this.#trouble === undefined ? 'Until the next look' : 'Until it is tried again';
    const waitMs = this.#waitMs;
    if (waitMs === undefined) await condition(() => this.#isWoken);
    else if (waitMs > 0) await condition(() => this.#isWoken, waitMs, { summary });
    // Clusters and campaigns as they are now, and whether a look is due.
    await this.load();
  }

  get #isWoken(): boolean {
    return this.#isStale || (this.#isWanted && this.#settings !== undefined && this.#trouble === undefined);
  }

  /** undefined: for ever, as proposals are off. */
  get #waitMs(): number | undefined {
    if (this.#isWoken) return 0;
    if (this.#trouble !== undefined) return AGAIN_MS;
    return this.#settings === undefined ? undefined : Date.parse(this.#settings.nextAt) - Date.now();
  }

  async lookIfDue(): Promise<void> {
    if (!this.#isWanted || this.#trouble !== undefined || this.#settings === undefined) return;
    try {
      await this.#look(this.#settings);
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.#trouble = messageOf(error);
      this.#isWanted = true;
    }
    this.#show();
  }

  async #look({ clusters }: ProposalSettings): Promise<void> {
    this.#isWanted = false;
    const looked = await lookAtClusters(clusters);
    const proposals = await describeProposals(newlyDue(this.#state, looked));
    const { state, saysUnread } = afterLook(this.#state, looked, proposals, new Date().toISOString());
    this.#state = state;
    for (const { target } of proposals) this.#voice.propose(state.known[target]);
    if (saysUnread && looked.kind === 'unread') this.#voice.unread(looked.why);
    this.#hasLooked = true;
  }

  /** After each look: a week is a short history. */
  async goOnInAnotherRun(): Promise<void> {
    const { continueAsNewSuggested, historyLength } = workflowInfo();
    if (!this.#hasLooked && !continueAsNewSuggested && historyLength < MOST_EVENTS) return;
    do {
      await condition(allHandlersFinished);
      await this.#voice.finish();
    } while (!allHandlersFinished() || !this.#voice.isQuiet);
    await continueAsNew<(input: ProposalsInput) => Promise<void>>({
      carried: {
        state: this.#state,
        ...defined({ dueAt: this.#dueAt }),
        ...(this.#isWanted ? { wanted: true } : {}),
      },
    });
  }

  #show(): void {
    setCurrentDetails(proposalsDetails(this.#state, this.#settings?.nextAt, this.#trouble));
  }
}
