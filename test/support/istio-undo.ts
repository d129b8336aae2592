/** A mesh that a run has moved from 1-28 to 1-30, and its way back: tests change one thing. */
import type { ClusterFacts, GatewayFact, IstioFact, MeshNamespaceFact } from '../../domain/facts/facts.ts';
import type { IstioCanary } from '../../domain/plan/model/changes.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { LastRun } from '../../domain/plan/undo/last-run.ts';
import { planUndo } from '../../domain/plan/undo/plan-undo.ts';
import type { KeptRelease, MeshBefore } from '../../domain/plan/undo/undo-input.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import { healthyFacts, meshNamespace, policy } from './facts.ts';
import { step } from './plan.ts';

export const OLD = { revision: '1-28', version: '1.28.3' };
export const NEW = { revision: '1-30', version: '1.30.1' };
export const runs = (each: { revision: string; version: string }, ready = true) => ({ ...each, namespace: 'istio-system', ready });

export const FORTH: IstioCanary = {
  fromRevision: '1-28',
  fromVersion: '1.28.3',
  toRevision: '1-30',
  toMinor: '1.30',
  retire: { bakeMs: 0 },
  waves: [['mail'], ['shop']],
};

export const FIRST: IstioCanary = { ...FORTH, fromRevision: '1-27', fromVersion: '1.27.3', toRevision: '1-28', toMinor: '1.28' };

export function run(...canaries: IstioCanary[]): LastRun {
  const params = { phase: 'istio' as const, canaries, managedBy: 'helm' as const, moveBy: 'label' as const, judgedBy: 'state' as const };
  return { runId: 'run-1', startedAt: '2026-09-01T08:00:00.000Z', begun: [step('istio', { id: 'istio@1.33', hop: '1.33', params })] };
}

export const before = (change: Partial<MeshBefore> = {}): MeshBefore => ({
  istioRevisions: [OLD],
  istioTags: [],
  meshNamespaces: ['mail', 'shop'].map((name) => ({ name, mode: 'revision', selector: '1-28' })),
  istioGateways: [],
  deliveredCharts: [],
  ...change,
});

export const at = (name: string, revision: string, change: Partial<MeshNamespaceFact> = {}): MeshNamespaceFact =>
  meshNamespace(name, { mode: 'revision', selector: revision, revision, ...change });

export function facts(change: Partial<IstioFact> = {}): ClusterFacts {
  const istio: IstioFact = {
    revisions: [runs(OLD), runs(NEW)],
    tags: [],
    namespaces: [at('mail', '1-30'), at('shop', '1-30')],
    hasCniOrZtunnel: false,
    gateways: [],
    ...change,
  };
  return healthyFacts({ istio });
}

export interface Seen {
  of?: LastRun;
  mesh?: MeshBefore | 'unknown';
  kept?: KeptRelease[];
  own?: Partial<UpgradePolicy>;
}

const result = (now: ClusterFacts, { of = run(FORTH), mesh = before(), kept = [], own = {} }: Seen = {}) =>
  planUndo(now, { run: of, ...(mesh === 'unknown' ? {} : { mesh }), kept }, 'istio', policy(own));

export function planned(now: ClusterFacts, seen: Seen = {}): UpgradePlan {
  const made = result(now, seen);
  if (made.kind === 'refused') throw new Error(made.violations.map(({ rule, message }) => `${rule} ${message}`).join('\n'));
  return made.plan;
}

export function canaries(now: ClusterFacts, seen: Seen = {}): IstioCanary[] {
  const params = planned(now, seen).steps[0]?.params;
  return params?.phase === 'istio' ? params.canaries : [];
}

export function refused(now: ClusterFacts, seen: Seen = {}): string[] {
  const made = result(now, seen);
  return made.kind === 'plan' ? ['planned'] : made.violations.map(({ rule, message, remedy }) => `${rule} ${message} ${remedy}`);
}

export const tagged = (revision: string) => ['default', 'prod'].map((tag) => ({ tag, revision }));
export const gateway = (change: Partial<GatewayFact> = {}): GatewayFact => ({
  kind: 'Deployment',
  namespace: 'edge',
  name: 'ingress',
  by: 'own-label',
  selector: '1-30',
  revision: '1-30',
  replicas: 2,
  ...change,
});

export const KEPT: KeptRelease = {
  revision: '1-28',
  namespace: 'istio-system',
  name: 'istiod-1-28',
  version: '1.28.3',
  appVersion: '1.28.3',
};

export const OLDER: KeptRelease = { ...KEPT, revision: '1-27', name: 'istiod-1-27', version: '1.27.3', appVersion: '1.27.3' };
