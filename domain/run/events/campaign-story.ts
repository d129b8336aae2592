/** Turns what a campaign tells into events, each once, as event-story.ts does for runs. The runs of its clusters tell their own. */
import { defined } from '../../core/defined.ts';
import type { People } from '../../policy/identities.ts';
import { campaignView, type CampaignView } from '../campaign/view.ts';
import type { Notification } from '../notifications.ts';
import { clip, linksOf, personOf } from './data.ts';
import type { CampaignData, RunEvent } from './event.ts';
import { GateEvents } from './gate-events.ts';

export interface CampaignStoryOf {
  /** Of the first run, over all that follow it. */
  runId: string;
  people?: People;
  temporalUrl?: string;
  inSlack: boolean;
  /** Keys of what the run before has told. */
  told: readonly string[];
}

const RINGS = 40;

export class CampaignStory {
  readonly #of: CampaignStoryOf;
  readonly #told: Set<string>;
  readonly #gates: GateEvents;
  #view: CampaignView;

  constructor(status: Parameters<typeof campaignView>[0], of: CampaignStoryOf) {
    this.#of = of;
    this.#told = new Set(of.told);
    this.#view = campaignView(status);
    // A ring is approved by a command of its own; whoever does not want it stops the campaign.
    const command = (): string => `belay campaign promote ${this.#view.campaign} --reason "…"`;
    this.#gates = new GateEvents({ command, inSlack: of.inSlack, ...defined({ people: of.people }) }, 'campaign');
  }

  /** `nowIso`: the workflow's. The same state told again gives none. */
  hear({ key, notification }: { key: string; notification: Notification }, nowIso: string): RunEvent[] {
    switch (notification.kind) {
      case 'campaign':
        this.#view = notification.view;
        return notification.view.phase === 'stopped' ? [] : this.#once([{ key: 'campaign/started', type: 'campaign.started', at: nowIso }]);
      case 'gate':
        return this.#once(this.#gates.hear(notification, nowIso));
      case 'note':
        return this.#once([
          { key, type: `campaign.note.${notification.level}`, at: nowIso, data: { note: { text: clip(notification.text, 2_000) } } },
        ]);
      default:
        // Rings are in every event; pictures, files and gates that are offered together are Slack's alone.
        return [];
    }
  }

  /** It is over: no cluster starts any more, and none of its runs goes on. */
  end(view: CampaignView, nowIso: string): RunEvent[] {
    this.#view = view;
    return this.#once([{ key: 'campaign/finished', type: 'campaign.finished', at: nowIso }]);
  }

  #once(events: (Omit<RunEvent, 'data'> & { data?: RunEvent['data'] })[]): RunEvent[] {
    return events.flatMap((event) => {
      if (this.#told.has(event.key)) return [];
      this.#told.add(event.key);
      return [{ ...event, data: { campaign: this.#data(), ...linksOf(this.#of.temporalUrl), ...event.data } }];
    });
  }

  #data(): CampaignData {
    const { campaign, target, workflowId, requestedBy, phase, headline, clusterCount, arrivedCount, rings, rollbackOf } = this.#view;
    return {
      name: campaign,
      target,
      workflowId,
      runId: this.#of.runId,
      requestedBy: personOf(requestedBy),
      phase,
      headline: clip(headline),
      clusterCount,
      arrivedCount,
      rings: rings.slice(0, RINGS).map(({ name, state, line }) => ({ name, state, line: clip(line) })),
      ...(rollbackOf === undefined ? {} : { rollbackOf: { campaign: rollbackOf.campaign, ring: rollbackOf.ring } }),
    };
  }
}
