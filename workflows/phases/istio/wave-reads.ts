/** What is read of a wave of namespaces around its move: labels, gateways, traffic, and which revision its pods run. */
import type { GatewayBefore, WaveBaseline, WaveBefore } from '../../../activities/contract/istio-objects.ts';
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import type { Phase } from '../base/phase.ts';
import type { CanaryGateways } from './gateways.ts';
import { shown, uninjectedIn, type Wave } from './wave-gates.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface Look {
  before: WaveBefore[];
  gateways: GatewayBefore[];
  traffic: WaveBaseline | undefined;
}

/** Does it select no revision at all? Then its new pods get no proxy, and moving it would put it into the mesh. */
export const isOutside = ({ injection, rev }: WaveBefore): boolean => (injection === null ? rev === null : injection !== 'enabled');

export class WaveReads {
  readonly #phase: Phase;
  readonly #canary: IstioCanary;
  readonly #judgedBy: 'prometheus' | 'state';
  readonly #gateways: CanaryGateways;

  constructor(phase: Phase, canary: IstioCanary, { judgedBy, gateways }: { judgedBy: 'prometheus' | 'state'; gateways: CanaryGateways }) {
    this.#phase = phase;
    this.#canary = canary;
    this.#judgedBy = judgedBy;
    this.#gateways = gateways;
  }

  /** How it is before it is moved, for the way back and to compare with. */
  async look({ index, namespaces }: Wave, label: string, holdsGateways: boolean): Promise<Look> {
    const remember = `Remember the labels of ${label}`;
    if (!holdsGateways) {
      const seen = await this.#readTraffic(namespaces, [], true);
      if (seen === undefined) return { before: await this.read(remember, namespaces), gateways: [], traffic: undefined };
      const { labels, ...traffic } = seen;
      return { before: labels ?? (await this.read(remember, namespaces)), gateways: [], traffic };
    }
    const before = await this.read(remember, namespaces);
    const gateways = holdsGateways ? await this.#gateways.read(index) : [];
    return { before, gateways, traffic: await this.#readTraffic(namespaces, gateways) };
  }

  async read(summary: string, namespaces: string[]): Promise<WaveBefore[]> {
    const { quick } = this.#phase.activities;
    return (await quick.readWave.executeWithOptions({ summary }, [{ cluster: this.#phase.cluster, namespaces }])).before;
  }

  /** undefined: this plan's waves are not judged by their traffic. */
  async #readTraffic(namespaces: string[], gateways: readonly GatewayBefore[], labels?: true): Promise<WaveBaseline | undefined> {
    if (this.#judgedBy !== 'prometheus') return undefined;
    const { quick } = this.#phase.activities;
    const refs = gateways.map(({ kind, namespace, name }) => ({ kind, namespace, name }));
    const summary = `5xx and latency of ${shown([...namespaces, ...refs.map(({ name }) => name)])} before the move`;
    return await quick.readWaveTraffic.executeWithOptions({ summary }, [
      {
        cluster: this.#phase.cluster,
        namespaces,
        revision: this.#canary.toRevision,
        ...(refs.length === 0 ? {} : { gateways: refs }),
        ...defined({ labels }),
      },
    ]);
  }

  /** One look, without waiting. A wave without pods shows nothing. */
  async runsOneOf(canaries: readonly IstioCanary[], { namespaces }: Wave, gateways: GatewayBefore[]): Promise<boolean> {
    const { activities, cluster, timing } = this.#phase;
    for (const { toRevision: revision, toMinor: minor } of canaries) {
      const seen = await activities.watch.awaitProxies.executeWithOptions(
        { summary: `Does ${shown(namespaces)} run ${revision} already?` },
        [
          {
            cluster,
            timing: { ...timing, rolloutTimeoutMs: 1 },
            namespaces,
            revision,
            minor,
            ...uninjectedIn(this.#canary),
            ...(gateways.length === 0 ? {} : { gateways }),
          },
        ],
      );
      if (seen.ok && seen.podCount > 0) return true;
    }
    return false;
  }
}
