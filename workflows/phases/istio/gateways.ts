/** The gateways of a canary's waves: asked about where they would fail meanwhile, moved by Belay or by who keeps them, moved back with their wave. */
import type { GatewayMove, IstioCanary } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import { gatewayInterruptionGate, moveGateway } from '../../messages/istio/revisions.ts';
import type { Phase } from '../base/phase.ts';
import { shown } from './wave-gates.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { paramsOf } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { GatewayBefore, GatewayRef, HeldGateway, RestartResult } from '../../../activities/contract/istio-objects.ts';

export class CanaryGateways {
  readonly #phase: Phase;
  readonly #canary: IstioCanary;
  /** As they were before their wave moved them, of waves that stay. */
  readonly #moved: GatewayBefore[] = [];
  /** Gateways whose wave people approved. */
  readonly approved: GatewayRef[] = [];

  constructor(phase: Phase, canary: IstioCanary) {
    this.#phase = phase;
    this.#canary = canary;
  }

  /** Callers look here first: an await of nothing moves what comes after it in a history of before there were gateways. */
  of(wave: number): GatewayMove[] {
    return (this.#canary.gateways ?? []).filter((gateway) => gateway.wave === wave);
  }

  /** Before-images, for verification and for the way back. */
  async read(wave: number): Promise<GatewayBefore[]> {
    const gateways = this.of(wave);
    const { activities, cluster } = this.#phase;
    const summary = `Remember ${shown(gateways.map(objectTitle))}`;
    return (await activities.quick.readGateways.executeWithOptions({ summary }, [{ cluster, gateways: gateways.map(refOf) }])).before;
  }

  /** Their wave stays as it is now. */
  keep(before: readonly GatewayBefore[]): void {
    this.#moved.push(...before);
    this.approved.push(...before.map(({ kind, namespace, name }) => ({ kind, namespace, name })));
  }

  /** Those that go back with the wave: its own, what follows a tag that goes back, all where people undo all. */
  back(own: readonly GatewayBefore[], tags: readonly string[], all: boolean): GatewayBefore[] {
    const follows = (before: GatewayBefore): boolean =>
      (this.#canary.gateways ?? []).some(
        (each) => objectTitle(each) === objectTitle(before) && each.tag !== undefined && tags.includes(each.tag),
      );
    const earlier = this.#moved.filter((before) => all || follows(before));
    return [...new Map([...earlier, ...own].map((before) => [objectTitle(before), before])).values()];
  }

  /** Where the old istiod empties their configuration at the change of hands: nobody should be surprised by half a minute without answers. */
  async ask(wave: number, label: string): Promise<void> {
    const dropped = this.of(wave).filter(({ drops }) => drops === true);
    if (dropped.length === 0) return;
    const { step, round } = this.#phase.input;
    const { toRevision } = this.#canary;
    const state = await this.#phase.gates.ask({
      ...gatewayInterruptionGate(this.#canary, label, dropped.map(objectTitle)),
      id: gateId('gateways', step.id, round, `${toRevision}.${wave + 1}`),
      step: step.id,
    });
    if (state.kind === 'decided' && state.decision.choice === 'approve') return;
    throw phaseFailed(
      `Istio ${label} was not moved: ${state.kind === 'decided' ? 'the interruption of its gateways was rejected' : 'nobody decided in time'}`,
    );
  }

  /** Those that do not follow their namespace or tag. */
  async move(gateways: readonly GatewayMove[], restartedAt: string, label: string): Promise<RestartResult> {
    const { activities, cluster } = this.#phase;
    const { toRevision: revision } = this.#canary;
    const input = { cluster, gateways: gateways.map(refOf), revision, restartedAt };
    const { held = [], ...moved } = await activities.survey.moveGateways.executeWithOptions({ summary: `Move gateways of ${label}` }, [
      input,
    ]);
    if (held.length > 0) await this.#askFor(held, revision);
    return moved;
  }

  /** They go on serving with the old revision until their owners have changed it; only then the wave is verified. */
  async #askFor(held: readonly HeldGateway[], revision: string): Promise<void> {
    const { activities, target, input } = this.#phase;
    const { managedBy } = paramsOf(input, 'istio');
    for (const { gateway, what, by } of held) this.#phase.ask(moveGateway(gateway, { what, by, revision, managedBy }));
    const gateways = held.map(({ gateway }) => gateway);
    const summary = `Wait until ${shown(held.map(({ what }) => what))} name ${revision}`;
    const { moved, left } = await activities.watch.awaitGateways.executeWithOptions({ summary }, [{ ...target, gateways, revision }]);
    if (!moved) throw phaseFailed(`Waiting for gateways to name ${revision}: ${shown(left)}`);
  }
}

const refOf = ({ kind, namespace, name, how }: GatewayMove): Pick<GatewayMove, 'kind' | 'namespace' | 'name' | 'how'> => ({
  kind,
  namespace,
  name,
  how,
});
