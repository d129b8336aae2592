/** What a rehearsal of a fleet is asked to do. */
import type { FleetMember } from '../../scenarios/fleet.ts';
import type { FleetStage } from '../stage/fleet-stage.ts';
import type { RehearseOptions } from '../options.ts';
import type { RehearsalReport } from '../report.ts';

export interface FleetOptions
  extends Pick<RehearseOptions, 'speed' | 'auto' | 'json' | 'worldOnly' | 'endpoints' | 'port' | 'program' | 'keep' | 'say' | 'signal'> {
  /** How many clusters. */
  fleet: number;
  /** The stand-ins are up, and nobody has typed anything yet. */
  onStage?: (stage: FleetStage) => void | Promise<void>;
}

/** What became of one cluster: the report of its last run, and in short of all. */
export interface MemberReport extends RehearsalReport {
  environment: string;
  account: string;
  region: string;
  expected: FleetMember['ends'];
  /** One after the other. */
  runs: RunReport[];
  /** undefined: it is as it should be. */
  problem?: string;
}

export interface RunReport {
  runId: string;
  /** ISO 8601, as Temporal says. */
  startedAt: string;
  outcome: string;
}

/** What became of a ring, as the campaign says; its gates as people saw them. */
export interface RingReport {
  name: string;
  state: string;
  why?: string;
  attempts: AttemptReport[];
}

/** ISO 8601 in wall time. */
export interface AttemptReport {
  gate: string;
  askedAt: string;
  choice?: string;
  by?: string;
  decidedAt?: string;
}

export interface CampaignReport {
  name: string;
  /** complete, or what else it came to. */
  state: string;
  rings: RingReport[];
}

export interface FleetReport {
  wallSeconds: number;
  campaign: CampaignReport;
  clusters: MemberReport[];
}

export interface FleetResult {
  ok: boolean;
  /** A sentence, and a line for each cluster, where it is not ok. */
  why: string;
  /** What --json writes; absent where nothing was played. */
  report?: FleetReport;
}
