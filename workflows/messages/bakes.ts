/** Bakes: the gate that closes by itself when one is over. */
import { duration } from '../../domain/core/text.ts';
import type { GateEvidence } from '../../domain/gates/gate.ts';
import type { GateText } from './note.ts';

export interface BakeWords {
  /** "at 1.34", "after zone eu-1a" */
  where: string;
  /** Of what follows: "when the control plane is verified once more". */
  afterwards: string;
  /** Of ending it early: "Verifies the control plane once more now, and continues." */
  does: string;
}

/** What has just changed. `label`: "wave 1 of 3 to 1-28". */
export type Baked =
  | { after: 'control-plane'; to: string }
  | { after: 'istio-wave'; label: string }
  | { after: 'istio-canary'; fromRevision: string; toRevision: string };

/** `until`: "2026-05-08 10:00 UTC". */
export function bakeGate(
  baked: Baked | BakeWords,
  { until, lastsMs, seen, undo }: { until: string; lastsMs: number; seen: GateEvidence; undo: string },
): GateText {
  const { where, afterwards, does } = wordsOf(baked);
  return {
    title: `Baking ${where} until ${until}`,
    next: `Continues by itself after ${duration(lastsMs)}, ${afterwards}.`,
    evidence: [seen],
    undo,
    choices: [
      {
        id: 'end-bake',
        label: 'End the bake now',
        style: 'danger',
        needsReason: true,
        does: `${does} Problems that only show later are missed.`,
      },
    ],
  };
}

function wordsOf(baked: Baked | BakeWords): BakeWords {
  if (!('after' in baked)) return baked;
  switch (baked.after) {
    case 'control-plane':
      return {
        where: `at ${baked.to}`,
        afterwards: 'when the control plane is verified once more',
        does: 'Verifies the control plane once more now, and continues.',
      };
    case 'istio-wave':
      return {
        where: `after ${baked.label}`,
        afterwards: 'or asks about the wave as soon as it is unhealthy',
        does: 'Checks the wave once more now, and asks about it.',
      };
    case 'istio-canary':
      return {
        where: `on ${baked.toRevision}, before ${baked.fromRevision} is retired,`,
        afterwards: `when it checks whether anything still uses ${baked.fromRevision}`,
        does: `Checks now whether anything still uses ${baked.fromRevision}, and asks before it is removed.`,
      };
  }
}

/** What can be undone while a wave of Istio bakes. */
export const waveBakeUndo = (fromRevision: string): string =>
  `Until ${fromRevision} is retired the wave can be moved back; its own gate follows the bake.`;
