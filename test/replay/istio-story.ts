/** Istio by Helm, by Flux, and by tags, with gateways, node agents, what others keep, and what only a deletion restarts. For the recording. */
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { DeliveredChart } from '../../domain/facts/facts.ts';
import type { GatewayMove, IstioCanary, NodeAgentChange } from '../../domain/plan/model/changes.ts';
import type { StepParams } from '../../domain/plan/model/step-params.ts';
import { fakeActivities } from '../support/fake-activities.ts';
import { plan, step } from '../support/plan.ts';
import { approveAll } from '../support/upgrade.ts';
import { type Story, told } from './story.ts';

type IstioParams = Extract<StepParams, { phase: 'istio' }>;

const AGENTS: NodeAgentChange[] = [
  { kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.27.3', toMinor: '1.28' },
  { kind: 'ztunnel', namespace: 'istio-system', daemonSet: 'ztunnel', from: '1.27.3', toMinor: '1.28' },
];
const EDGE: GatewayMove = { kind: 'Deployment', namespace: 'edge', name: 'public', wave: 2, how: 'relabel' };
const PARTNERS: GatewayMove = { kind: 'Gateway', namespace: 'edge', name: 'partners', wave: 2, how: 'relabel', drops: true };

function istioRun(params: Partial<IstioParams>, canary: Partial<IstioCanary>, change: Partial<BelayActivities>): Story {
  const base = plan(['istio']);
  const steps = base.steps.map((each) =>
    each.params.phase === 'istio'
      ? step('istio', {
          params: { ...each.params, ...params, canaries: each.params.canaries.map((one) => ({ ...one, ...canary })) },
        })
      : each,
  );
  return told(fakeActivities({ plan: { ...base, steps } }), change, (run) =>
    run.finish((gate) => {
      const byHand = ['roll-and-delete', 'roll'].find((choice) => gate.choices.includes(choice));
      return byHand ?? (gate.id.startsWith('failed:') ? 'abort' : approveAll(gate, 0));
    }),
  );
}

/** Tags, agents and gateways; a DaemonSet of a wave is rolled by hand, and a gateway's Argo CD is asked. */
export function istioByHelm(): Story {
  const set = { kind: 'StatefulSet' as const, namespace: 'shop', name: 'cart' };
  return istioRun(
    { managedBy: 'helm', moveBy: 'tag', judgedBy: 'state' },
    { agentsAfter: AGENTS, gateways: [EDGE, PARTNERS], tags: ['default', 'prod'], waves: [['shop'], ['pay', 'web'], []] },
    {
      moveTag: async () => ({ restarted: 2, skipped: [], byHand: { sets: [set], pods: [] } }),
      moveGateways: async ({ gateways }) => ({
        restarted: 1,
        skipped: [],
        held: gateways.map(({ kind, namespace, name }) => ({ gateway: { kind, namespace, name }, what: `${kind} ${name}`, by: 'Argo CD' })),
      }),
    },
  );
}

const OWNER = 'Kustomization flux-system/platform';
const chart = (name: string, of: string): DeliveredChart => ({
  kind: 'HelmRelease',
  namespace: 'flux-system',
  name,
  chart: of,
  version: '1.27.3',
});
const FLUX: Partial<IstioParams> = { managedBy: 'flux', delivery: { kind: 'HelmRelease', charts: [chart('istiod-1-26', 'istiod')] } };
const fresh = (owner?: string) => ({
  chart: chart('istiod-1-28', 'istiod'),
  changes: ['revision: 1-26 → 1-28'],
  manifest: 'kind: HelmRelease\n',
  withheld: false,
  ...(owner === undefined ? {} : { owner }),
});

/** Belay makes the object of the new revision and deletes that of the old; a label of a namespace is somebody else's. */
export function istioByFlux(): Story {
  let moves = 0;
  return istioRun(
    FLUX,
    { agentsAfter: AGENTS.slice(0, 1) },
    {
      examineIstioDelivery: async () => ({
        old: chart('istiod-1-26', 'istiod'),
        fresh: fresh(),
        base: { chart: chart('istio-base', 'base'), values: [], changes: [] },
      }),
      findDeliveredAgent: async ({ agent }) => ({ chart: chart(agent.kind, 'cni'), values: [{ path: ['tag'] }] }),
      findDeliveredRevision: async () => ({ chart: chart('istiod-1-26', 'istiod'), manifest: 'kind: HelmRelease\n' }),
      moveNamespaces: async ({ namespaces }) => ({
        restarted: 1,
        skipped: [],
        ...(namespaces.includes('shop') && (moves += 1) === 1 ? { heldLabels: [{ namespace: 'shop', by: 'Argo CD' }] } : {}),
      }),
      moveDefaults: async () => ({ held: [{ what: 'ValidatingWebhookConfiguration istiod-default-validator', by: 'Flux' }] }),
    },
  );
}

/** Git keeps the objects: Belay asks for the new revision, its tag, and the removal of the old. */
export const istioKeptInGit = (): Story =>
  istioRun(
    { ...FLUX, moveBy: 'tag' },
    { tags: ['prod'] },
    {
      examineIstioDelivery: async () => ({ old: chart('istiod-1-26', 'istiod'), fresh: fresh(OWNER) }),
      findDeliveredRevision: async () => ({ chart: chart('istiod-1-26', 'istiod'), owner: OWNER }),
      moveTag: heldOnce(),
      moveDefaults: async () => ({ held: [{ tag: 'default', what: 'tag default', by: 'Flux' }] }),
    },
  );

function heldOnce(): BelayActivities['moveTag'] {
  let calls = 0;
  return async ({ tag }) => ({
    restarted: 2,
    skipped: [],
    ...((calls += 1) === 1 ? { held: { tag, what: `tag ${tag}`, by: 'Flux' } } : {}),
  });
}

/** The gates of a run by Helm, with an undone wave that rolls by hand once more. */
export const istioRolledByHand = (): Story =>
  istioRun(
    { managedBy: 'helm', judgedBy: 'state' },
    {},
    {
      moveNamespaces: async () => ({
        restarted: 1,
        skipped: [{ workload: 'Deployment shop/paused', why: 'it is paused' }],
        byHand: {
          sets: [{ kind: 'StatefulSet', namespace: 'shop', name: 'cart' }],
          pods: [{ namespace: 'shop', name: 'naked', uid: 'c0ffee' }],
        },
      }),
    },
  );
