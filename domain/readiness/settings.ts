/** What belay.yaml says about readiness of one cluster. */
import type { OptionalSource } from './sources.ts';
import type { Waiver } from './waivers.ts';

export interface ReadinessSettings {
  /** Findings that people live with. */
  waivers: readonly Waiver[];
  /** Sources that need an optional role, and have it. */
  optional: ReadonlySet<OptionalSource>;
}
