/** What people are asked after a wave: whether to go on when it is well, what to do when its traffic is not. */
import type { GateChoice, GateEvidence } from '../../../domain/gates/gate.ts';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import type { WaveVerdict } from '../../../domain/health/mesh/wave-health.ts';
import { gateId } from '../../contract/ids.ts';
import { CHOICES } from '../../gates/choices.ts';
import type { GateRequest } from '../../gates/gate-request.ts';

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

export interface WaveGateInput {
  canary: IstioCanary;
  wave: { index: number; namespaces: string[] };
  seen: WaveSeen;
  step: string;
  round: number;
  /** Namespaces of earlier waves that can be moved back too. */
  earlier: string[];
  /** Tags that the canary moves: their namespaces go back together. */
  tags: readonly string[];
}

/** The gate after each wave; its choices depend on how the wave is. */
export function waveGate(input: WaveGateInput): GateRequest {
  const { canary, wave, step, round } = input;
  const place = { id: gateId('wave', step, round, `${canary.toRevision}.${wave.index + 1}`), step };
  const illness = illnessOf(input.seen);
  return { ...place, ...(illness === undefined ? wellWave(input) : illWave(input, illness)) };
}

/** Why a wave is not well, and how that is said: at its gate, after its undo, at Continue. */
export interface Illness {
  is: 'traffic' | 'balancer' | 'analysis';
  lines: string[];
  /** "the traffic of wave 2 of 3 got worse" */
  title: (wave: string) => string;
  why: string;
  goesOn: string;
}

const ILLNESSES: readonly (Omit<Illness, 'lines'> & { of: (seen: WaveSeen) => WaveVerdict | undefined })[] = [
  {
    is: 'traffic',
    of: ({ traffic }) => traffic,
    title: (wave) => `the traffic of ${wave} got worse`,
    why: 'its traffic got worse',
    goesOn: 'Continues although the traffic got worse.',
  },
  {
    is: 'balancer',
    of: ({ gateways }) => gateways,
    title: (wave) => `a load balancer of ${wave} is another one`,
    why: 'a load balancer is another one',
    goesOn: 'Continues with the new address: clients have to be told.',
  },
  {
    is: 'analysis',
    of: ({ analysis }) => analysis,
    title: (wave) => `istioctl finds new errors after ${wave}`,
    why: 'istioctl finds new errors',
    goesOn: 'Continues with these errors in the mesh.',
  },
];

/** The first of them; undefined: the wave is well, as far as can be seen. */
export function illnessOf(seen: WaveSeen): Illness | undefined {
  for (const { of, ...illness } of ILLNESSES) {
    const verdict = of(seen);
    if (verdict?.kind === 'fail') return { ...illness, lines: verdict.lines };
  }
  return undefined;
}

/** What a wave moves, for people: its namespaces, then its gateways. */
export function contentsOf({ waves, gateways = [] }: IstioCanary, index: number): string[] {
  const own = gateways.filter(({ wave, how }) => wave === index && how !== 'follows');
  return [...(waves[index] ?? []), ...own.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)];
}

type Question = Omit<GateRequest, 'id' | 'step'>;

function wellWave({ canary, wave, seen, earlier, tags }: WaveGateInput): Question {
  const { fromRevision, toRevision, waves } = canary;
  const next = wave.index + 1 < waves.length ? contentsOf(canary, wave.index + 1) : undefined;
  const together = togetherWith(tags);
  const is = isOpen(seen.traffic)
    ? 'is moved, its traffic could not be judged'
    : isOpen(seen.connections)
      ? 'is moved, istiod does not show all of its proxies'
      : 'is through';
  return {
    title: `Istio ${toRevision}: wave ${wave.index + 1} of ${waves.length} ${is}: continue?`,
    next:
      next === undefined
        ? canary.back?.keeps === true
          ? `Ends the way back; ${fromRevision} stays.`
          : `Checks whether ${fromRevision} can be retired.`
        : `Moves ${next.length} more${(canary.gateways ?? []).some((each) => each.wave === wave.index + 1) ? '' : ' namespaces'}: ${shown(next)}.`,
    evidence: evidenceOf(canary, wave.index, seen),
    undo: `Undo moves this wave back to ${fromRevision} (a rolling restart)${together}. Later, waves can be moved back until ${fromRevision} is retired.`,
    choices: [
      { ...CHOICES.approve, does: next === undefined ? 'Ends the waves of this revision.' : 'Moves the next wave.' },
      {
        ...CHOICES.reject,
        label: 'Undo this wave',
        does: `Moves this wave back to ${fromRevision}${together === '' ? '; earlier waves stay' : together}.`,
      },
      ...undoAll(fromRevision, earlier),
    ],
  };
}

function illWave({ canary, wave, seen, earlier, tags }: WaveGateInput, illness: Illness): Question {
  const { fromRevision, toRevision, waves } = canary;
  const undoes = `moves this wave back to ${fromRevision}, its labels exactly as they were${togetherWith(tags)}, restarts the same workloads and verifies them`;
  return {
    title: `Istio ${toRevision}: ${illness.title(`wave ${wave.index + 1} of ${waves.length}`)}: what now?`,
    next: `Nothing continues until somebody decides. Undo ${undoes}.`,
    evidence: evidenceOf(canary, wave.index, seen),
    undo: `The wave can be undone now, and later until ${fromRevision} is retired.`,
    choices: [
      { id: 'undo', label: 'Undo this wave', style: 'primary', does: `It ${undoes}.` },
      ...undoAll(fromRevision, earlier),
      {
        id: 'continue',
        label: 'Continue',
        needsReason: true,
        does: illness.goesOn,
      },
      { ...CHOICES.abort, does: `Moves this wave back to ${fromRevision} and ends the upgrade here.` },
    ],
  };
}

function undoAll(fromRevision: string, earlier: readonly string[]): GateChoice[] {
  if (earlier.length === 0) return [];
  return [{ id: 'undo-all', label: 'Undo all waves', style: 'danger', does: `Moves ${shown(earlier)} back to ${fromRevision} as well.` }];
}

const isOpen = (verdict: WaveVerdict | undefined): boolean => verdict?.kind === 'inconclusive';

const togetherWith = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `; namespaces that select tag ${tags.join(' or ')} go back together, those of earlier waves too`;

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
function evidenceOf(
  canary: IstioCanary,
  index: number,
  { podCount, traffic, connections, gateways, analysis, left = [] }: WaveSeen,
): GateEvidence[] {
  const { toRevision } = canary;
  const verified =
    podCount === 0
      ? `no pod with a proxy runs here: nothing shows that ${toRevision} works for it`
      : `${podCount} pods verified on ${toRevision} by annotation and proxy image`;
  return [
    { title: shown(contentsOf(canary, index)), lines: [verified, ...(connections?.lines ?? []), ...left] },
    ...(gateways === undefined ? [] : [{ title: SERVICES_ARE[gateways.kind], lines: gateways.lines }]),
    ...(analysis === undefined ? [] : [{ title: 'istioctl analyze', lines: analysis.lines }]),
    ...(traffic === undefined ? [] : [{ title: TRAFFIC_IS[traffic.kind], lines: traffic.lines }]),
  ];
}

const TRAFFIC_AFTER = {
  pass: 'Its traffic is as before the move',
  fail: 'Its traffic is still bad, so the move was not its cause',
  inconclusive: 'Its traffic could not be judged',
} as const;

/** After an undo, as a sentence; empty where traffic is not judged. */
export function trafficAfter(traffic: WaveVerdict | undefined): string {
  return traffic === undefined ? '' : ` ${TRAFFIC_AFTER[traffic.kind]}: ${traffic.lines.slice(0, 2).join('; ')}.`;
}

/** The first few. */
export const shown = (names: readonly string[]): string =>
  names.length > 6 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : names.join(', ');

export interface Wave {
  index: number;
  namespaces: string[];
}
