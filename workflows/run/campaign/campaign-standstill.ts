/** Tells people of a ring that stands still: it tries again by itself, and nothing else would say that it has come no further. */
import type { CampaignPlan } from '../../../domain/plan/campaign/types.ts';
import { type Standstill, standstillOf } from '../../../domain/run/campaign/rings.ts';
import type { CampaignState } from '../../../domain/run/campaign/state.ts';
import { ringHeldUp, soakHeldUp } from '../../messages/campaigns.ts';
import type { Note } from '../../messages/note.ts';
import type { CampaignVoice } from './campaign-voice.ts';

/** Looks after which it is said, and then once a day: what ends by itself within half an hour is no news. */
const LOOKS = 6;

interface StandstillDeps {
  state: () => CampaignState;
  plan: () => CampaignPlan;
  voice: Pick<CampaignVoice, 'once'>;
  everyMs: () => number;
}

export class CampaignStandstill {
  readonly #deps: StandstillDeps;
  /** Ring and kind, and since when. */
  #since: { what: string; ms: number } | undefined;

  constructor(deps: StandstillDeps) {
    this.#deps = deps;
  }

  look(): void {
    const { state, plan, voice, everyMs } = this.#deps;
    const still = standstillOf(state(), plan());
    const nowMs = Date.now();
    const what = still === undefined ? undefined : `${still.kind}/${still.ring}/${state().rings[state().ring]?.attempt ?? 1}`;
    if (still === undefined || what === undefined) return void (this.#since = undefined);
    if (this.#since?.what !== what) this.#since = { what, ms: nowMs };
    if (nowMs - this.#since.ms < LOOKS * everyMs()) return;
    voice.once(`${what}/${new Date(nowMs).toISOString().slice(0, 10)}`, noteOf(still, plan().campaign));
  }
}

const noteOf = (still: Standstill, campaign: string): Note =>
  still.kind === 'held' ? ringHeldUp(still, campaign) : soakHeldUp(still.ring, still.seen, still.why);
