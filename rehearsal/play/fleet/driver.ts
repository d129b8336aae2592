/** Who brings a fleet to its target: it needs the scene, and says what became of campaign and clusters. */
import type { Progress } from '../progress.ts';
import type { FleetScene } from './backstage.ts';
import type { FleetReport } from './options.ts';

export interface FleetPlay {
  scene: FleetScene;
  progress: Progress;
  speed: number;
  /** Aborts when people end it, or a process cannot be kept alive. */
  signal: AbortSignal;
}

/** Resolves when all has come to its end; clusters in the order of the members. */
export type FleetDriver = (play: FleetPlay) => Promise<Omit<FleetReport, 'wallSeconds'>>;
