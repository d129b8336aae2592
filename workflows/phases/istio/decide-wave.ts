/** What people make of a wave: it goes on, it goes back, or the run ends. */
import { abortRun } from '../../runtime/abort-run.ts';
import type { Phase } from '../base/phase.ts';
import { illnessOf, waveGate, type WaveGateInput } from './wave-gates.ts';

/** What comes of a wave. `was`: how it is called in the failure. */
export type Outcome = { kind: 'goes-on' } | { kind: 'undo' | 'undo-for-traffic' | 'undo-all'; why: string; was: string };

/** Says what is wrong with it, and asks. Throws where people abort the run. */
export async function decideWave(phase: Phase, wave: Omit<WaveGateInput, 'step' | 'round'>, label: string): Promise<Outcome> {
  const { step, round } = phase.input;
  const illness = illnessOf(wave.seen);
  const worse = illness?.lines.slice(0, 2).join('; ');
  if (illness !== undefined) {
    phase.announcer.note(`Istio ${label}: ${illness.why}, so nothing more is moved: ${worse}.`, { level: 'warning' });
  }
  const state = await phase.gates.ask(waveGate({ ...wave, step: step.id, round }));
  if (state.kind !== 'decided') return { kind: 'undo', why: 'nobody decided in time', was: 'was not decided in time' };
  switch (state.decision.choice) {
    case 'approve':
    case 'continue':
      return { kind: 'goes-on' };
    case 'abort':
      return await abortRun(state.decision, `Istio ${label}: ${worse ?? 'it is not well'}`);
    case 'undo-all':
      return { kind: 'undo-all', why: 'people undid all waves', was: 'and the waves before it were undone' };
    case 'undo':
      return {
        kind: illness?.is === 'traffic' ? 'undo-for-traffic' : 'undo',
        why: illness?.why ?? 'it is not well',
        was: `was undone (${worse ?? ''})`,
      };
    default:
      return { kind: 'undo', why: 'people rejected it', was: 'was rejected' };
  }
}
