/** When a step counts as slower than usual, and when as stuck. */
import type { Usual } from '../../plan/model/usual.ts';
import type { Late } from '../record/status.ts';

const SLOWER = 1.5;
const STUCK = 3;

/**
 * Milliseconds of work after which people are told, from the step's beginning. What earlier upgrades have taken as well is not slow, however far it
 * is from their median; `pollMs`: ends are noticed no better than that.
 */
export function lateAfterMs(expectedMs: number, { maxMs }: Pick<Usual, 'maxMs'>, pollMs: number): Record<Late, number> {
  const slower = Math.max(SLOWER * expectedMs, maxMs) + pollMs;
  return { slower, stuck: Math.max(STUCK * expectedMs, slower + SLOWER * expectedMs) };
}
