/** What a rehearsal is asked to do. */
import type { Snapshot } from '../../domain/facts/snapshot/format.ts';
import type { RehearsalReport } from './report.ts';
import type { PersonaOptions } from '../neighbours/slack/persona.ts';
import type { BelayProcess } from '../processes/belay.ts';
import type { Stage } from './stage/stage.ts';

export interface RehearseOptions {
  scenario: string;
  /** Instead of a scenario: a cluster as it was recorded, and the minor to go to. */
  snapshot?: { of: Snapshot; target: string };
  /** World seconds per wall second. */
  speed: number;
  /** approve: a persona decides by buttons. ask: people do, on the page. */
  auto: 'approve' | 'ask';
  /** `worker@control-plane`, … */
  kills: string[];
  faults: string[];
  /** Of which Belay process two run, as where it must not be away; only the first is one that `kills` names. */
  twice?: readonly BelayProcess[];
  /** File for the report. */
  json?: string;
  /** twin: a stand-in. real: a real control plane with real Karpenter and Istio; only AWS, Slack, kubelets and Envoys are stand-ins. */
  kubernetes?: 'twin' | 'real';
  /** Only the stand-ins and Temporal, until interrupted. */
  worldOnly?: boolean;
  /** File for their addresses. */
  endpoints?: string;
  /** Of the channel's page. */
  port?: number;
  /** Path of the `belay` whose worker and Slack app are started; default: cli/main beside this code. */
  program?: string;
  keep?: boolean;
  /** Where lines for people go; standard output by default. */
  say?: (line: string) => void;
  /** With `approve`: how the persona decides, where not as usual. */
  decide?: PersonaOptions['decide'];
  /** The stand-ins are up, and nobody has typed anything yet. */
  onStage?: (stage: Stage) => void | Promise<void>;
  /** The run has closed and is reported; Temporal and Belay's processes are still up. */
  onEnd?: (ending: Ending) => void | Promise<void>;
  /** Ends the rehearsal from outside. */
  signal?: AbortSignal;
}

/** What can still be looked at when the run has closed. */
export interface Ending {
  report: RehearsalReport;
  temporalAddress: string;
  /** Where the run wrote its record. */
  recordsDirectory: string;
}

export interface RehearsalResult {
  ok: boolean;
  /** One or two sentences where it is not ok. */
  why: string;
  /** What --json writes; absent where no upgrade was played. */
  report?: RehearsalReport;
  /** The stand-ins, closed; their world stands still and can still be looked at. */
  stage?: Stage;
}
