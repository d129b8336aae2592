/** What a rehearsal is asked to do. */
export interface RehearseOptions {
  scenario: string;
  /** World seconds per wall second. */
  speed: number;
  /** approve: a persona decides by buttons. ask: people do, on the page. */
  auto: 'approve' | 'ask';
  /** `worker@control-plane`, … */
  kills: string[];
  faults: string[];
  /** File for the report. */
  json?: string;
  /** Only the stand-ins and Temporal, until interrupted. */
  worldOnly?: boolean;
  /** File for their addresses. */
  endpoints?: string;
  /** Of the channel's page. */
  port?: number;
  keep?: boolean;
}

export interface RehearsalResult {
  ok: boolean;
  /** One or two sentences where it is not ok. */
  why: string;
}
