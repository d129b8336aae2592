/** What a play has to itself once all is up, whoever presses the buttons. */
import type { GateObserver } from './gate-observer.ts';
import type { RehearseOptions } from './options.ts';
import type { Kills } from '../processes/kills.ts';
import type { Progress } from './progress.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Stage } from './stage/stage.ts';
import type { Watcher } from './watch.ts';

export interface Play {
  options: RehearseOptions;
  scenario: Scenario;
  stage: Stage;
  watcher: Watcher;
  kills: Kills;
  gates: GateObserver;
  progress: Progress;
  configPath: string;
  recordsDirectory: string;
  /** What the twin does not play of a recorded cluster. */
  limits?: readonly string[];
  say: (line: string) => void;
  /** Aborts when people end it, or a process cannot be kept alive. */
  signal: AbortSignal;
}
