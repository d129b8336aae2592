/** What the way back of Istio reads beside the record of the run: its rollback point, and what Helm still has of a revision that is gone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRollbackPlanActivities } from '../../../../activities/run/planning/plan-rollback.ts';
import { createRecordStore, pointName } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { createRollbackPointActivities } from '../../../../activities/run/planning/rollback-point.ts';
import type { PlanResult } from '../../../../domain/plan/model/types.ts';
import type { RollbackPointRecord } from '../../../../domain/facts/rollback-point.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { isRecord } from '../../../../domain/core/unknown.ts';
import { installRevision } from '../../../../rehearsal/controllers/istio/revisions.ts';
import { settle } from '../../../../rehearsal/kubernetes/controllers/index.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { policy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const RUN = { runId: 'run-1', startedAt: '2026-07-10T01:00:00.000Z' };
const HELM_OWNS = { managedBy: { ...policy().managedBy, istio: 'helm' as const } };

let twin: Twin;
let directory: string;
beforeEach(async () => {
  twin = await startTwin('undone-istio');
  directory = mkdtempSync(join(tmpdir(), 'belay-records-'));
});
afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
  await twin.close();
});

/** Before the run; what it has written. */
async function capture(): Promise<RollbackPointRecord> {
  const store = createRecordStore(createDirectoryStorage(directory).texts);
  const { captureRollbackPoint } = createRollbackPointActivities({ ...twin.clients, store });
  await captureRollbackPoint({ cluster: twin.ref, run: RUN, policy: policy({ cluster: twin.ref, ...HELM_OWNS }) });
  return (await store.read(pointName(twin.ref, RUN))) as RollbackPointRecord;
}

/** A run that has moved both namespaces by label, and has retired the older revision where `retired`. */
function upgraded(retired: boolean): void {
  const { world } = twin.built;
  installRevision(world, { revision: '1-30', version: '1.30.2' });
  settle(world);
  for (const name of ['docs', 'shop'])
    world.store.update('namespaces', name, undefined, ({ metadata }) => void (metadata.labels = { 'istio.io/rev': '1-30' }));
  if (retired) {
    world.store.delete('deployments', 'istiod-1-28', 'istio-system');
    for (const secret of world.store.list('secrets').filter(({ metadata }) => metadata.name === 'sh.helm.release.v1.istiod-1-28.v1'))
      world.store.update('secrets', secret.metadata.name, 'istio-system', ({ metadata }) => {
        metadata.labels = { ...metadata.labels, status: 'uninstalled' };
      });
  }
  const canary = { fromRevision: '1-28', fromVersion: '1.28.3', toRevision: '1-30', toMinor: '1.30', waves: [['docs'], ['shop']] };
  const params = { phase: 'istio', canaries: [canary], managedBy: 'helm', moveBy: 'label' };
  const step = { id: 'istio@1.35', phase: 'istio', params };
  const steps = [{ id: step.id, title: '', state: 'completed', expectedMs: 1, startedAt: RUN.startedAt }];
  const status = { ...RUN, cluster: twin.ref, endedAt: RUN.startedAt, to: '1.35', steps };
  const { account, region, name } = twin.ref;
  const record = { format: 1, report: { outcome: 'stopped', status, decisions: [] }, plan: { steps: [step] } };
  writeFileSync(join(directory, `${account}_${region}_${name}_2026-07-10T01-00-00-000Z_run-1.json`), JSON.stringify(record));
}

const plan = (change: Partial<UpgradePolicy> = HELM_OWNS, clusterPorts = twin.clients.clusterPorts): Promise<PlanResult> =>
  createRollbackPlanActivities({
    ...twin.clients,
    clusterPorts,
    store: createRecordStore(createDirectoryStorage(directory).texts),
  }).planRollback({
    cluster: twin.ref,
    policy: policy({ cluster: twin.ref, ...change }),
    undo: 'istio',
  });

const canary = (result: PlanResult): unknown => {
  if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join('\n'));
  const [step] = result.plan.steps;
  return step?.params.phase === 'istio' ? step.params.canaries[0] : undefined;
};

test('labels as in the rollback point; a revision that is gone as Helm has it', async () => {
  const point = await capture();
  expect(point).toMatchObject({ releases: [{ namespace: 'istio-system', name: 'istiod-1-28', istio: '1-28' }], istioGateways: [] });
  upgraded(true);
  expect(canary(await plan())).toMatchObject({
    toRevision: '1-28',
    toVersion: '1.28.3',
    back: { release: { namespace: 'istio-system', name: 'istiod-1-28' }, labels: [{ namespace: 'shop', injection: 'enabled', rev: null }] },
  });
});

test('while the older revision runs Helm is not needed', async () => {
  await capture();
  upgraded(false);
  const { back } = canary(await plan()) as { back: unknown };
  expect(isRecord(back) && 'release' in back).toBe(false);
});

test.each([
  ['is not there', undefined],
  ['is cut off', '{"format": 1, "istioTags"'],
  ['is of another format', '{"format": 2}'],
])('a rollback point that %s is no mesh without labels', async (_what, text) => {
  upgraded(false);
  if (text !== undefined) writeFileSync(join(directory, `${pointName(twin.ref, RUN)}.json`), text);
  expect(await plan()).toMatchObject({ kind: 'refused', violations: [{ rule: 'RBK120' }] });
});

const RELEASE = 'sh.helm.release.v1.istiod-1-28.v1';
const gone = (message: string) => ({ kind: 'refused', violations: [{ rule: 'RBK122', message }] });

test.each<[string, () => void]>([
  [
    'calls deployed although its istiod is gone',
    () =>
      twin.built.world.store.update('secrets', RELEASE, 'istio-system', ({ metadata }) => {
        metadata.labels = { ...metadata.labels, status: 'deployed' };
      }),
  ],
  ['has forgotten', () => twin.built.world.store.delete('secrets', RELEASE, 'istio-system')],
])('a revision that Helm %s is nothing that it would install again', async (_what, change) => {
  await capture();
  upgraded(true);
  change();
  expect(await plan()).toMatchObject(gone('Revision 1-28 (1.28.3) is gone, and Helm has no retired release of it that can be read.'));
});

test('where Belay does not install Istio it reads no secrets of Helm', async () => {
  await capture();
  upgraded(true);
  const read: string[] = [];
  const { clusterPorts } = twin.clients;
  const watched = async (ref: ClusterRef) => {
    const ports = await clusterPorts(ref);
    const list: typeof ports.kubernetes.list = (query, keep) => (read.push(query.plural), ports.kubernetes.list(query, keep));
    return { ...ports, kubernetes: { ...ports.kubernetes, list } };
  };
  const istio = (by: 'argocd' | 'helm') => ({ managedBy: { ...policy().managedBy, istio: by } });
  const why = 'Revision 1-28 (1.28.3) is gone, and Belay does not install it where managedBy.istio is argocd.';
  expect(await plan(istio('argocd'), watched)).toMatchObject(gone(why));
  expect(read).not.toContain('secrets');
  await plan(istio('helm'), watched);
  expect(read).toContain('secrets');
});
