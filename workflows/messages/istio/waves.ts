/** Waves of namespaces to a new Istio revision: how each is, what can be done with it, and what has moved back. */
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { WaveVerdict } from '../../../domain/health/mesh/wave-health.ts';
import { capital, count, someOf } from '../../../domain/core/text.ts';
import { alarm, type GateText, info, type Note, warning } from '../note.ts';

const SHOWN = 6;

/** What was seen of a wave that has moved. */
export interface WaveSeen {
  podCount: number;
  /** undefined: traffic is not judged. */
  traffic?: WaveVerdict;
  /** Their Services against those before; undefined: there are none. */
  gateways?: WaveVerdict;
  /** Errors of the mesh by istioctl against those before; undefined: there is none. */
  analysis?: WaveVerdict;
  /** What istiod counts; undefined: as traffic. */
  connections?: WaveVerdict;
  /** What was left as it is. */
  left?: string[];
}

/** Why a wave is not well. */
export interface Illness {
  is: 'traffic' | 'balancer' | 'analysis';
  lines: string[];
}

export interface WaveText {
  fromRevision: string;
  toRevision: string;
  index: number;
  waveCount: number;
  /** Namespaces and gateways. */
  contents: readonly string[];
  /** Absent: it is the last one. */
  next?: { contents: readonly string[]; namespacesOnly: boolean };
  /** A way back whose newer revision stays. */
  keeps: boolean;
  seen: WaveSeen;
  /** undefined: it is well, as far as can be seen. */
  illness: Illness | undefined;
  /** Namespaces of earlier waves that can be moved back too. */
  earlier: readonly string[];
  /** Tags that the canary moves: their namespaces go back together. */
  tags: readonly string[];
}

const ILLNESSES: Record<Illness['is'], { title: (wave: string) => string; why: string; goesOn: string }> = {
  traffic: {
    title: (wave) => `the traffic of ${wave} got worse`,
    why: 'its traffic got worse',
    goesOn: 'Continues although the traffic got worse.',
  },
  balancer: {
    title: (wave) => `a load balancer of ${wave} changed`,
    why: 'a load balancer changed',
    goesOn: 'Continues with the new address: tell its clients.',
  },
  analysis: {
    title: (wave) => `istioctl finds new errors after ${wave}`,
    why: 'istioctl finds new errors',
    goesOn: 'Continues with these errors in the mesh.',
  },
};

/** Why a wave moves back. */
export type BackReason = Illness['is'] | 'undecided' | 'rejected' | 'undo-all';

/** A part of a sentence, after "because". */
export function waveBackReason(reason: BackReason | undefined): string {
  if (reason === 'undecided') return 'nobody decided in time';
  if (reason === 'rejected') return 'it was rejected';
  if (reason === 'undo-all') return 'all waves were undone';
  return reason === undefined ? 'it is not well' : ILLNESSES[reason].why;
}

/** What waits for a window: "Istio wave 1 of 3 to 1-28". */
export const waveTitle = (index: number, waveCount: number, toRevision: string): string =>
  `Istio wave ${index + 1} of ${waveCount} to ${toRevision}`;

/** What can be undone while a wave waits for a window. */
export const movedWavesStay = ({ fromRevision, toRevision }: Pick<WaveText, 'fromRevision' | 'toRevision'>): string =>
  `Waves that have moved stay at ${toRevision}; until ${fromRevision} is retired they can be moved back.`;

/** `label`: "wave 1 of 3 to 1-28". */
export const movingWave = (label: string, contents: readonly string[]): string => `Moving ${label}: ${someOf(contents, SHOWN)}.`;

export const waveBakeEnded = (label: string): Note => info(`The bake of ${label} ended early, as decided.`);

export const waveIsIll = (label: string, { is, lines }: Illness): Note =>
  warning(`Istio ${label}: ${ILLNESSES[is].why}, so nothing more is moved. Seen: ${lines.slice(0, 2).join('; ')}.`);

/** The gate after each wave; its choices depend on how the wave is. */
export const waveGate = (wave: WaveText): GateText => (wave.illness === undefined ? wellWave(wave) : illWave(wave, wave.illness));

function wellWave(wave: WaveText): GateText {
  const { fromRevision, toRevision, index, waveCount, next, keeps, seen, earlier, tags } = wave;
  const together = togetherWith(tags);
  const is = isOpen(seen.traffic)
    ? 'is moved, but its traffic could not be judged'
    : isOpen(seen.connections)
      ? 'is moved, but istiod does not show all of its proxies'
      : 'is finished';
  const then = keeps ? `Ends the rollback; ${fromRevision} stays.` : `Checks whether ${fromRevision} can be retired.`;
  return {
    title: `Istio ${toRevision}: wave ${index + 1} of ${waveCount} ${is}. Continue?`,
    next:
      next === undefined
        ? then
        : `Moves ${next.namespacesOnly ? count(next.contents.length, 'more namespace') : `${next.contents.length} more`}: ${someOf(next.contents, SHOWN)}.`,
    evidence: evidenceOf(wave),
    undo: `Undo moves this wave back to ${fromRevision} (a rolling restart)${together}. Later, waves can be moved back until ${fromRevision} is retired.`,
    choices: [
      {
        id: 'approve',
        label: 'Approve',
        style: 'primary',
        does: next === undefined ? 'Ends the waves of this revision.' : 'Moves the next wave.',
      },
      {
        id: 'reject',
        label: 'Undo this wave',
        style: 'danger',
        does: `Moves this wave back to ${fromRevision}${together === '' ? '; earlier waves stay' : together}.`,
      },
      ...undoAll(fromRevision, earlier),
    ],
  };
}

function illWave(wave: WaveText, { is }: Illness): GateText {
  const { fromRevision, toRevision, index, waveCount, earlier, tags } = wave;
  const undoes = `moves this wave back to ${fromRevision}, its labels exactly as they were, restarts the same workloads and verifies them${togetherWith(tags)}`;
  return {
    title: `Istio ${toRevision}: ${ILLNESSES[is].title(`wave ${index + 1} of ${waveCount}`)}. What now?`,
    next: `Nothing continues until someone decides. Undo ${undoes}.`,
    evidence: evidenceOf(wave),
    undo: `The wave can be undone now, and later until ${fromRevision} is retired.`,
    choices: [
      { id: 'undo', label: 'Undo this wave', style: 'primary', does: `${capital(undoes)}.` },
      ...undoAll(fromRevision, earlier),
      { id: 'continue', label: 'Continue', needsReason: true, does: ILLNESSES[is].goesOn },
      { id: 'abort', label: 'Abort', style: 'danger', does: `Moves this wave back to ${fromRevision} and ends the upgrade here.` },
    ],
  };
}

function undoAll(fromRevision: string, earlier: readonly string[]): GateText['choices'] {
  if (earlier.length === 0) return [];
  return [
    { id: 'undo-all', label: 'Undo all waves', style: 'danger', does: `Moves ${someOf(earlier, SHOWN)} back to ${fromRevision} as well.` },
  ];
}

const isOpen = (verdict: WaveVerdict | undefined): boolean => verdict?.kind === 'inconclusive';

const togetherWith = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `; namespaces that select tag ${tags.join(' or ')} move back together, including those of earlier waves`;

const TRAFFIC_IS = {
  pass: 'Traffic: as before',
  fail: 'Traffic: worse than before',
  inconclusive: 'Traffic: could not be judged',
} as const;

const SERVICES_ARE = {
  pass: 'Services of gateways: as before',
  fail: 'Services of gateways: not as before',
  inconclusive: 'Services of gateways: could not be read',
} as const;

/** Nothing to look at is no proof. */
function evidenceOf({ toRevision, contents, seen }: WaveText): GateEvidence[] {
  const { podCount, traffic, connections, gateways, analysis, left = [] } = seen;
  const verified =
    podCount === 0
      ? `no pod with a proxy runs here: nothing shows that ${toRevision} works for it`
      : `${count(podCount, 'pod')} verified on ${toRevision} by annotation and proxy image`;
  return [
    { title: someOf(contents, SHOWN), lines: [verified, ...(connections?.lines ?? []), ...left] },
    ...(gateways === undefined ? [] : [{ title: SERVICES_ARE[gateways.kind], lines: gateways.lines }]),
    ...(analysis === undefined ? [] : [{ title: 'istioctl analyze', lines: analysis.lines }]),
    ...(traffic === undefined ? [] : [{ title: TRAFFIC_IS[traffic.kind], lines: traffic.lines }]),
  ];
}

interface MovedBack {
  /** Namespaces and gateways. */
  names: readonly string[];
  to: string;
  why: string;
}

export const movingWaveBack = ({ names, to, why }: MovedBack): string => `Moving ${someOf(names, SHOWN)} back to ${to}, because ${why}.`;

export const verifyingWaveBack = (namespaces: readonly string[], revision: string): string =>
  `Verifying that ${someOf(namespaces, SHOWN)} run ${revision} again.`;

/** What is true of pods after a move back. */
export type BackProof = { kind: 'verified'; podCount: number; traffic?: WaveVerdict } | { kind: 'not-verified'; why: string };

const TRAFFIC_AFTER = {
  pass: 'Its traffic is as before the move',
  fail: 'Its traffic is still bad, so the move was not its cause',
  inconclusive: 'Its traffic could not be judged',
} as const;

/** `proof` undefined: the run is being stopped, and nobody waits for it. */
export function waveMovedBack({ names, to, why }: MovedBack, proof: BackProof | undefined): Note {
  return warning(`Istio: ${someOf(names, SHOWN)} moved back to ${to}, because ${why}.${proof === undefined ? '' : proofWords(proof, to)}`);
}

function proofWords(proof: BackProof, revision: string): string {
  if (proof.kind === 'not-verified') return ` NOT verified: ${proof.why}.`;
  const { podCount, traffic } = proof;
  const after = traffic === undefined ? '' : ` ${TRAFFIC_AFTER[traffic.kind]}: ${traffic.lines.slice(0, 2).join('; ')}.`;
  return ` Verified: ${count(podCount, 'pod')} ${podCount === 1 ? 'runs' : 'run'} ${revision} again.${after}`;
}

/** `what`: a tag, labels or a gateway, whose owner would put a patch back. */
export const heldNotMovedBack = (what: string, { by, to }: { by: string; to: string }): Note =>
  alarm(
    `ALARM: ${what} belongs to ${by} and was not moved back: point it at ${to} at its source, then restart the workloads that select it. Until then their new pods get the other revision.`,
  );

export const waveNotMovedBack = (names: readonly string[], { to, problem }: { to: string; problem: string }): Note =>
  alarm(
    `ALARM: ${someOf(names, SHOWN)} could not be moved back to Istio ${to}: ${problem}. Annotation belay.dev/istio-before has their labels from before.`,
  );
