/** `belay pause`, `resume` and `abort`. */
import type { Command } from 'commander';
import { steerCommand } from './steer.ts';

const DOES = {
  pause: 'start no further step until the upgrade is resumed; what runs is finished',
  resume: 'continue after a pause',
  abort: 'stop before the next step and restore what was changed for the run',
} as const;

export function controlCommand(kind: keyof typeof DOES): Command {
  return steerCommand(kind, DOES[kind], (upgrades, request) => upgrades[kind](request));
}
