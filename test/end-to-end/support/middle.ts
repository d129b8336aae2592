/** Acts in the middle of a phase, at a moment that the twin can hold. */
import { PhaseObserver } from '../../../rehearsal/processes/phase-observer.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import type { Forwarder } from './forwarder.ts';
import type { Play } from './play.ts';
import { eventually } from '../../support/eventually.ts';

/** Phases that show themselves to the twin only by what they read, with the phase before each. */
const READING: Record<string, string | undefined> = {
  'pre-checks': undefined,
  'karpenter-controller': 'pre-checks',
  bake: 'control-plane',
  validation: 'add-ons-target',
};

const SLOW_MS = 150;

type Act = () => void | Promise<void>;

/** The phase's first mutation is accepted and not answered; one that only reads waits for AWS. */
export async function inTheMiddle(play: Pick<Play, 'world' | 'step'>, aws: Forwarder, phase: string, act: Act): Promise<void> {
  if (!Object.hasOwn(READING, phase)) return await atFirstMutation(play.world, phase, act);
  const before = READING[phase];
  if (before !== undefined) {
    await eventually(`${before} runs`, async () => (await play.step(before)) !== undefined);
    // A phase that reads for a few milliseconds would be over before it is seen.
    aws.delayMs = SLOW_MS;
  }
  await eventually(`${phase} runs`, async () => (await play.step(phase)) !== undefined);
  const release = aws.hold();
  aws.delayMs = 0;
  try {
    await act();
  } finally {
    release();
  }
}

function atFirstMutation(world: World, phase: string, act: Act): Promise<void> {
  const observer = new PhaseObserver();
  return new Promise((resolve, reject) => {
    const remove = world.journal.onMutation(async (mutation) => {
      if (observer.observe(mutation) !== phase) return;
      remove();
      try {
        await act();
        resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}
