/**
 * Series about open campaigns, as their workflows say. Labels are campaigns and rings of belay.yaml and closed lists: whoever may start workflows may
 * have started any other, which all count as one. What a campaign has not said for two minutes is gone, but for its last look: that grows old.
 */
import { Gauge, type Registry } from 'prom-client';
import type { OpenCampaign } from '../../../client/campaigns/open-campaigns.ts';
import { soakLeftMs } from '../../../domain/run/campaign/soak.ts';
import type { PlannedRing } from '../../../domain/plan/campaign/types.ts';
import { membersOf, RING_STATES, type RingState } from '../../../domain/run/campaign/state.ts';
import { type CampaignView, campaignView } from '../../../domain/run/campaign/view.ts';
import { MEMBER_STATES } from '../../../domain/run/fleet-view/board.ts';
import type { CampaignSaid } from '../../../domain/run/fleet-view/reading.ts';
import { STALE_MS } from './run-series.ts';

const PHASES = ['proposed', 'running', 'paused', 'stopped', 'complete'] as const satisfies readonly CampaignView['phase'][];
/** Open, and its workflow does not answer, or not as a campaign. */
const UNREAD = 'unread';
const UNKNOWN = 'unknown';
const DAY_MS = 24 * 3_600_000;

export interface CampaignSeriesOptions {
  /** Rings of a campaign in belay.yaml; undefined for one that it does not name. */
  ringsOf: (campaign: string) => readonly string[] | undefined;
  /** Epoch milliseconds; injected by tests. */
  nowMs?: () => number;
}

export interface CampaignSeries {
  saw(open: readonly OpenCampaign[]): void;
  /** Temporal did not answer. */
  missed(): void;
}

interface Known {
  said: CampaignSaid;
  atMs: number;
}

export function campaignSeries(registry: Registry, { ringsOf, nowMs = Date.now }: CampaignSeriesOptions): CampaignSeries {
  const series = gauges(registry);
  const clear = (): void => Object.values(series).forEach((gauge) => gauge.reset());
  let seenMs = -Infinity;
  let known = new Map<string, Known>();
  return {
    saw(open) {
      seenMs = nowMs();
      clear();
      const now = new Map<string, Known>();
      const [looks, days] = [new Soonest(), new Soonest()];
      for (const each of open) {
        const last = 'status' in each ? { said: each.status, atMs: seenMs } : known.get(each.name);
        if (last !== undefined) now.set(each.name, last);
        const rings = ringsOf(each.name);
        const campaign = rings === undefined ? UNKNOWN : each.name;
        const read = last !== undefined && seenMs - last.atMs <= STALE_MS ? readingOf(last.said, rings ?? []) : undefined;
        series.campaigns.inc({ campaign, phase: read?.phase ?? UNREAD });
        looks.add(campaign, lookMs(last?.said.lookedAt, each.since, seenMs));
        if (read === undefined) continue;
        if (read.finishMs !== undefined) days.add(campaign, read.finishMs);
        for (const ring of read.rings) show(series, campaign, ring);
      }
      looks.show(series.lookedAt);
      days.show(series.finishBy);
      known = now;
    },
    missed() {
      if (nowMs() - seenMs > STALE_MS) clear();
    },
  };
}

/** Of several that have one label, the one that alarms first. */
class Soonest {
  readonly #byCampaign = new Map<string, number>();

  add(campaign: string, ms: number): void {
    this.#byCampaign.set(campaign, Math.min(ms, this.#byCampaign.get(campaign) ?? Infinity));
  }

  show(gauge: Gauge<'campaign'>): void {
    for (const [campaign, ms] of this.#byCampaign) gauge.set({ campaign }, ms / 1000);
  }
}

type Series = ReturnType<typeof gauges>;

function gauges(registry: Registry) {
  const registers = [registry];
  const ofRing = ['campaign', 'ring'] as const;
  return {
    campaigns: new Gauge({
      name: 'belay_campaigns',
      help: 'Open campaigns. phase: proposed, running, paused, stopped, complete, or unread where its workflow does not answer.',
      labelNames: ['campaign', 'phase'],
      registers,
    }),
    rings: new Gauge({
      name: 'belay_campaign_rings',
      help: 'Rings of open campaigns by state.',
      labelNames: [...ofRing, 'state'],
      registers,
    }),
    clusters: new Gauge({
      name: 'belay_campaign_clusters',
      help: 'Clusters of open campaigns by what has become of them.',
      labelNames: [...ofRing, 'kind'],
      registers,
    }),
    lookedAt: new Gauge({
      name: 'belay_campaign_last_look_timestamp_seconds',
      help: 'When an open campaign last looked at its clusters, as far as is known; before its first look, when it began.',
      labelNames: ['campaign'],
      registers,
    }),
    soakWatched: new Gauge({
      name: 'belay_campaign_soak_watched_seconds',
      help: 'Time under watch of a ring that soaks.',
      labelNames: ofRing,
      registers,
    }),
    soakLeft: new Gauge({
      name: 'belay_campaign_soak_left_seconds',
      help: 'Time under watch that a ring that soaks still needs.',
      labelNames: ofRing,
      registers,
    }),
    finishBy: new Gauge({
      name: 'belay_campaign_finish_by_timestamp_seconds',
      help: 'End of the day by which an open campaign should finish, while some of its clusters have not arrived.',
      labelNames: ['campaign'],
      registers,
    }),
  };
}

interface RingReading {
  ring: string;
  state: string;
  /** By kind; none is a figure, too: it falls to nothing where people look. */
  clusters: Map<string, number>;
  soak?: { watchedMs: number; leftMs: number };
}

/** undefined for what is no campaign: what one forged answer breaks is that one. */
function readingOf(
  said: CampaignSaid,
  known: readonly string[],
): { phase: string | undefined; finishMs: number | undefined; rings: RingReading[] } | undefined {
  try {
    const { plan, state } = said;
    const { phase, arrivedCount, clusterCount } = campaignView(said);
    const finishMs = Date.parse(plan.finishBy ?? '') + DAY_MS;
    return {
      phase: PHASES.find((each) => each === phase),
      finishMs: Number.isNaN(finishMs) || arrivedCount === clusterCount ? undefined : finishMs,
      rings: plan.rings.map((ring, index) => ringOf(ring, state.rings[index], membersOf(state, ring), known)),
    };
  } catch {
    return undefined;
  }
}

function ringOf(
  planned: PlannedRing,
  is: RingState | undefined,
  members: ReturnType<typeof membersOf>,
  known: readonly string[],
): RingReading {
  const ring = among(known, planned.name);
  const clusters = new Map<string, number>(MEMBER_STATES.map((kind) => [kind, 0]));
  for (const { is: of } of members) {
    const kind = among(MEMBER_STATES, of.kind);
    clusters.set(kind, (clusters.get(kind) ?? 0) + 1);
  }
  const read = { ring, state: among(RING_STATES, is?.state), clusters };
  if (ring === UNKNOWN || is?.state !== 'soaking' || is.soak === undefined) return read;
  const soak = { watchedMs: is.soak.watchedMs, leftMs: soakLeftMs(is.soak, planned) };
  return Number.isFinite(soak.watchedMs) && Number.isFinite(soak.leftMs) ? { ...read, soak } : read;
}

function show(series: Series, campaign: string, { ring, state, clusters, soak }: RingReading): void {
  series.rings.inc({ campaign, ring, state });
  for (const [kind, count] of clusters) series.clusters.inc({ campaign, ring, kind }, count);
  if (soak === undefined) return;
  series.soakWatched.set({ campaign, ring }, soak.watchedMs / 1000);
  series.soakLeft.set({ campaign, ring }, soak.leftMs / 1000);
}

const among = (list: readonly string[], value: unknown): string => list.find((each) => each === value) ?? UNKNOWN;

/** A campaign that has gone on in another run has not looked there yet; and nobody has looked later than now, whatever is said. */
function lookMs(lookedAt: string | undefined, since: string, nowMs: number): number {
  const times = [Date.parse(lookedAt ?? ''), Date.parse(since)].filter((ms) => !Number.isNaN(ms));
  return Math.min(nowMs, Math.max(...times));
}
