/** What a rehearsal of a fleet is asked to do. */
import type { FleetMember } from '../../scenarios/fleet.ts';
import type { FleetStage } from '../../stage/fleet-stage.ts';
import type { RehearseOptions } from '../options.ts';
import type { RehearsalReport } from '../report.ts';

export interface FleetOptions
  extends Pick<RehearseOptions, 'speed' | 'auto' | 'json' | 'worldOnly' | 'endpoints' | 'port' | 'keep' | 'say' | 'signal'> {
  /** How many clusters. */
  fleet: number;
  /** The stand-ins are up, and nobody has typed anything yet. */
  onStage?: (stage: FleetStage) => void | Promise<void>;
}

/** What became of one cluster. */
export interface MemberReport extends RehearsalReport {
  environment: string;
  account: string;
  region: string;
  expected: FleetMember['ends'];
  /** undefined: it is as it should be. */
  problem?: string;
}

export interface FleetReport {
  wallSeconds: number;
  clusters: MemberReport[];
}

export interface FleetResult {
  ok: boolean;
  /** A sentence, and a line for each cluster, where it is not ok. */
  why: string;
  /** What --json writes; absent where nothing was played. */
  report?: FleetReport;
}
