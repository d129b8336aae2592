/** The gate after a wave: what it is asked with, and how well the wave is. */
import { someOf } from '../../../domain/core/text.ts';
import type { WaveVerdict } from '../../../domain/health/mesh/wave-health.ts';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { defined } from '../../../domain/core/defined.ts';
import { gateId } from '../../contract/ids.ts';
import type { GateRequest } from '../../gates/gate-request.ts';
import { type Illness, waveGate, type WaveSeen } from '../../messages/istio/waves.ts';

export interface WaveGateInput {
  canary: IstioCanary;
  wave: Wave;
  seen: WaveSeen;
  step: string;
  round: number;
  /** Namespaces of earlier waves that can be moved back too. */
  earlier: string[];
  /** Tags that the canary moves: their namespaces go back together. */
  tags: readonly string[];
}

export function waveRequest({ canary, wave: { index }, seen, step, round, earlier, tags }: WaveGateInput): GateRequest {
  const { fromRevision, toRevision, waves, back, gateways = [] } = canary;
  const isLast = index + 1 >= waves.length;
  return {
    ...waveGate({
      fromRevision,
      toRevision,
      index,
      waveCount: waves.length,
      contents: contentsOf(canary, index),
      ...(isLast
        ? {}
        : { next: { contents: contentsOf(canary, index + 1), namespacesOnly: !gateways.some((each) => each.wave === index + 1) } }),
      keeps: back?.keeps === true,
      seen,
      illness: illnessOf(seen),
      earlier,
      tags,
    }),
    id: gateId('wave', step, round, `${toRevision}.${index + 1}`),
    step,
  };
}

/** The worst first. */
const ILLNESSES: readonly { is: Illness['is']; of: (seen: WaveSeen) => WaveVerdict | undefined }[] = [
  { is: 'traffic', of: ({ traffic }) => traffic },
  { is: 'balancer', of: ({ gateways }) => gateways },
  { is: 'analysis', of: ({ analysis }) => analysis },
];

/** The first of them; undefined: the wave is well, as far as can be seen. */
export function illnessOf(seen: WaveSeen): Illness | undefined {
  for (const { of, is } of ILLNESSES) {
    const verdict = of(seen);
    if (verdict?.kind === 'fail') return { is, lines: verdict.lines };
  }
  return undefined;
}

/** What a wave moves, for people: its namespaces, then its gateways. */
export function contentsOf({ waves, gateways = [] }: IstioCanary, index: number): string[] {
  const own = gateways.filter(({ wave, how }) => wave === index && how !== 'follows');
  return [...(waves[index] ?? []), ...own.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)];
}

/** For activities that restart or verify. */
export const uninjectedIn = ({ uninjected }: IstioCanary): Pick<IstioCanary, 'uninjected'> => defined({ uninjected });

/** The first few. */
export const shown = (names: readonly string[]): string => someOf(names, 6);

export interface Wave {
  index: number;
  namespaces: string[];
}
