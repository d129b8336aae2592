/** What is decided about a wave: the run continues, the wave goes back, or the run ends. */
import { waveBackReason, waveIsIll } from '../../messages/istio/waves.ts';
import type { Phase } from '../base/phase.ts';
import { illnessOf, type WaveGateInput, waveRequest } from './wave-gates.ts';

/** What comes of a wave. `was`: how it is called in the failure once it is back; `toBe`: where it could not be moved back, if that is called otherwise. */
export type Outcome = { kind: 'goes-on' } | { kind: 'undo' | 'undo-for-traffic' | 'undo-all'; why: string; was: string; toBe?: string };

/** Says what is wrong with it, and asks. Throws where people abort the run. */
export async function decideWave(phase: Phase, wave: Omit<WaveGateInput, 'step' | 'round'>, label: string): Promise<Outcome> {
  const { step, round } = phase.input;
  const illness = illnessOf(wave.seen);
  const worse = illness?.lines.slice(0, 2).join('; ');
  if (illness !== undefined) phase.announcer.note(waveIsIll(label, illness));
  const state = await phase.gates.ask(waveRequest({ ...wave, step: step.id, round }));
  if (state.kind !== 'decided') return { kind: 'undo', why: waveBackReason('undecided'), was: 'was not decided in time' };
  switch (state.decision.choice) {
    case 'approve':
    case 'continue':
      return { kind: 'goes-on' };
    case 'abort':
      return phase.abort(state.decision, `Istio ${label}: ${worse ?? 'it is not well'}`);
    case 'undo-all':
      return {
        kind: 'undo-all',
        why: waveBackReason('undo-all'),
        was: 'and the waves before it were undone',
        toBe: 'and the waves before it were to be undone',
      };
    case 'undo':
      return {
        kind: illness?.is === 'traffic' ? 'undo-for-traffic' : 'undo',
        why: waveBackReason(illness?.is),
        was: `was undone (${worse ?? ''})`,
        toBe: `was to be undone (${worse ?? ''})`,
      };
    default:
      return { kind: 'undo', why: waveBackReason('rejected'), was: 'was rejected' };
  }
}
