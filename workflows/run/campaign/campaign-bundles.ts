/** Equal gates of a ring's runs, offered with one message: kept as runs come to their gates and leave them. Decides nothing: votes go to the runs. */
import { condition, isCancellation, setHandler } from '@temporalio/workflow';
import { type Bundle, bundlesOf, bundleView, hashOfOffer, type Offer } from '../../../domain/run/campaign/bundles.ts';
import type { CampaignPlan } from '../../../domain/plan/campaign/types.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import type { Look } from '../../../domain/run/campaign/looks.ts';
import { type CampaignState, membersOf } from '../../../domain/run/campaign/state.ts';
import { campaignBundles, type CarriedBundles, type ShownBundle } from '../../contract/bundles.ts';
import { leftBundle } from '../../messages/bundles.ts';
import type { CampaignVoice } from './campaign-voice.ts';

/** What a message has said and may still be pressed for: somebody reads the list while it changes. */
const SAID = 3;
const DROPPED_NAMED = 10;

interface BundlesDeps {
  state: () => CampaignState;
  plan: () => CampaignPlan;
  voice: CampaignVoice;
}

export class CampaignBundles {
  readonly #deps: BundlesDeps;
  readonly #offers: Map<string, Offer>;
  readonly #rounds: Record<string, number>;
  #shown: ShownBundle[];
  /** Why a run that asks for something is decided by itself. */
  readonly #alone = new Map<string, string>();
  readonly #unsaid = new Set<string>();
  readonly #saidAtMs = new Map<string, number>();
  #isClosed = false;

  constructor(deps: BundlesDeps, { offers, shown, rounds }: CarriedBundles = { offers: {}, shown: [], rounds: {} }) {
    this.#deps = deps;
    this.#offers = new Map(Object.entries(offers));
    this.#shown = shown;
    this.#rounds = { ...rounds };
    // The run before has said them at its end.
    for (const { key } of shown) this.#saidAtMs.set(key, Date.now());
  }

  install(): void {
    setHandler(campaignBundles, () => ({
      open: this.#shown.map(({ now }) => now),
      earlier: this.#shown.flatMap(({ now, said }) => said.filter(({ id }) => id !== now.id)),
    }));
  }

  /** `paceMs`: between two edits of a message. */
  attach(paceMs: number): void {
    void this.#tell(paceMs).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
  }

  /** What is known of it, so that the look says no more than what is new. */
  known(key: string): string | undefined {
    const offer = this.#offers.get(key);
    return offer === undefined ? undefined : hashOfOffer(offer);
  }

  see(key: string, look: Look): void {
    // It is read anew when somebody presses: what cannot be seen for a moment stays.
    if (look.kind === 'unread') return;
    const asks = look.kind === 'open' ? look.asks : undefined;
    const stays = look.kind === 'open' && this.#offers.get(key)?.gate === look.gate;
    if (asks?.kind === 'same' || (asks?.kind === 'unread' && stays)) return;
    this.#alone.delete(key);
    if (asks?.kind === 'offer') this.#offers.set(key, asks.offer);
    else this.#offers.delete(key);
    if (asks?.kind === 'alone') this.#alone.set(key, asks.why);
  }

  /** Brings the messages to what was seen. */
  settle(): void {
    const { state, plan } = this.#deps;
    const found = plan().rings.flatMap((ring, index) => {
      const offers = membersOf(state(), ring).flatMap(({ key, member, is }) => {
        const offer = is.kind === 'needs-people' ? this.#offers.get(key) : undefined;
        return offer === undefined ? [] : [{ cluster: member.cluster, offer }];
      });
      return bundlesOf({ campaign: plan().campaign, ring: ring.name, attempt: state().rings[index]?.attempt ?? 1 }, offers);
    });
    const open = new Set(found.map(groupOf));
    for (const shown of this.#shown) if (!open.has(groupOf(shown.now))) this.#closeOne(shown);
    for (const bundle of found) this.#show(bundle);
  }

  #show(bundle: Bundle): void {
    const group = groupOf(bundle);
    const before = this.#shown.find((each) => groupOf(each.now) === group);
    if (before === undefined) {
      const round = (this.#rounds[group] ?? 0) + 1;
      this.#rounds[group] = round;
      const shown = { key: `bundle/${group}/${round}`, now: bundle, said: [], dropped: [] };
      this.#shown.push(shown);
      this.#unsaid.add(shown.key);
      return;
    }
    const isSaid = before.now.id === bundle.id;
    if (!isSaid) this.#notice(before, bundle);
    // Also where only revisions have changed: whoever was refused at one of them may press again.
    before.now = bundle;
    if (!isSaid) this.#unsaid.add(before.key);
  }

  /** Who drops out is said by name where it still waits for somebody. */
  #notice(shown: ShownBundle, now: Bundle | undefined): void {
    const stay = new Set(now?.members.map(({ cluster }) => memberKey(cluster)));
    const fresh = shown.now.members.flatMap(({ cluster }) => {
      const key = memberKey(cluster);
      const why = this.#alone.get(key);
      return stay.has(key) || why === undefined ? [] : [leftBundle(cluster.name, why)];
    });
    shown.dropped = [...shown.dropped, ...fresh].slice(-DROPPED_NAMED);
  }

  #closeOne(shown: ShownBundle): void {
    this.#notice(shown, undefined);
    this.#shown = this.#shown.filter((each) => each !== shown);
    this.#unsaid.delete(shown.key);
    this.#saidAtMs.delete(shown.key);
    this.#deps.voice.announcer.say(shown.key, { kind: 'bundle', view: bundleView(shown.now, shown.dropped, true) });
  }

  /** One message is edited once in `paceMs`: runs come to their gates by the dozen. */
  async #tell(paceMs: number): Promise<void> {
    while (!this.#isClosed) {
      await condition(() => this.#unsaid.size > 0 || this.#isClosed);
      if (this.#isClosed) return;
      if (this.#unsaid.size === 0) continue;
      const waitMs = Math.min(...[...this.#unsaid].map((key) => (this.#saidAtMs.get(key) ?? 0) + paceMs - Date.now()));
      if (waitMs > 0) await condition(() => this.#isClosed, waitMs, { summary: 'Collect changes of equal gates' });
      for (const key of this.#unsaid) if ((this.#saidAtMs.get(key) ?? 0) + paceMs <= Date.now()) this.#say(key);
    }
  }

  #say(key: string): void {
    this.#unsaid.delete(key);
    const shown = this.#shown.find((each) => each.key === key);
    if (shown === undefined) return;
    this.#saidAtMs.set(key, Date.now());
    shown.said = [...shown.said.filter(({ id }) => id !== shown.now.id), shown.now].slice(-SAID);
    this.#deps.voice.announcer.say(key, { kind: 'bundle', view: bundleView(shown.now, shown.dropped, false) });
  }

  /** What was not said yet is said, for the next run of the campaign. */
  rest(): void {
    this.#isClosed = true;
    for (const key of this.#unsaid) this.#say(key);
  }

  close(): void {
    for (const shown of this.#shown) this.#closeOne(shown);
    this.rest();
  }

  get carried(): { bundles?: CarriedBundles } {
    if (this.#offers.size === 0 && this.#shown.length === 0 && Object.keys(this.#rounds).length === 0) return {};
    return { bundles: { offers: Object.fromEntries(this.#offers), shown: this.#shown, rounds: this.#rounds } };
  }
}

/** What is equal, of one attempt of one ring. */
const groupOf = ({ ring, attempt, gate, key }: Bundle): string => `${ring}#${attempt}/${gate}/${key}`;
