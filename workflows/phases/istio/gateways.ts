/** The gateways of a canary's waves: asked about where they would fail meanwhile, moved by Belay or by who keeps them, moved back with their wave. */
import type { GatewayMove, IstioCanary } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { shown } from './wave-gates.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { paramsOf } from '../../contract/phase.ts';
import { CHOICES } from '../../gates/choices.ts';
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
    const { fromRevision, fromVersion, toRevision } = this.#canary;
    const names = shown(dropped.map(objectTitle));
    const state = await this.#phase.gates.ask({
      id: gateId('gateways', step.id, round, `${toRevision}.${wave + 1}`),
      step: step.id,
      title: `Istio ${label}: connections through ${names} fail for about half a minute: now?`,
      next: `istiod ${fromVersion} (${fromRevision}) empties the configuration of their pods as soon as ${toRevision} takes them over; new pods serve when they are Ready (istio/istio#59959).`,
      evidence: [
        { title: 'Gateways of the Gateway API', lines: [names] },
        {
          title: 'Ways around it',
          lines: ['istiod 1.29.5, 1.30.2 or later as the old revision', 'a second Gateway on the new revision, traffic led over to it'],
        },
      ],
      undo: `They go back with their wave, with the same interruption where ${toRevision} is such a version as well.`,
      choices: [
        { ...CHOICES.approve, label: 'Move now', does: `Moves ${label}.` },
        { ...CHOICES.reject, does: 'Stops here; waves before this one stay.' },
      ],
    });
    if (state.kind === 'decided' && state.decision.choice === 'approve') return;
    throw phaseFailed(
      `Istio ${label} was not moved: ${state.kind === 'decided' ? 'people rejected the interruption of its gateways' : 'nobody decided in time'}`,
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
    for (const { gateway, what, by } of held) {
      const where =
        gateway.kind === 'Gateway'
          ? `label istio.io/rev: "${revision}" of the Gateway`
          : `\`revision: ${revision}\` in the values of its chart (label istio.io/rev of its pod template)`;
      this.#phase.ask(
        { component: 'istio-gateway', name: `${gateway.namespace}/${gateway.name}`, version: revision, managedBy },
        `Please move ${what} to Istio ${revision} where it is declared: ${where}. It belongs to ${by}: an edit by Belay would be put back or is impossible. Belay continues once it names ${revision}.`,
      );
    }
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
