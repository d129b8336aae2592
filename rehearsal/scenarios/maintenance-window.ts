/** Asked for in the morning; changes may be made for a while in the afternoon, which is too short, and by night. */
import { rollScenario } from './parts/roll-parts.ts';
import { small } from './small.ts';

export const maintenanceWindow = rollScenario({
  name: 'maintenance-window',
  title: 'Within maintenance windows, 1.31 → 1.32',
  description:
    'The run waits for the window of the afternoon, is parked when that closes before its next step would end, and continues by itself at night.',
  settings: {
    windows: {
      outside: 'queue',
      // Windows are by the world's clock, expected durations by the wall's: this is what a step has to have left.
      lastStart: '30m',
      maintenance: [
        { start: '14:00', end: '15:30' },
        { start: '18:00', end: '04:00' },
      ],
    },
  },
  build: (world) => small.build(world),
});
