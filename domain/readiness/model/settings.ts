/** What belay.yaml says about readiness of one cluster. */
import type { Waiver } from './waivers.ts';

export interface ReadinessSettings {
  /** Findings that people live with. */
  waivers: readonly Waiver[];
  /** Reads also what needs an optional role. */
  optional: boolean;
  /** There is no belay.yaml that could say who delivers what. */
  withoutFile?: true;
}
