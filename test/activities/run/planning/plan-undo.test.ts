/** Which record a step is undone by, and what lies beside the records without being one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRollbackPlanActivities } from '../../../../activities/run/planning/plan-rollback.ts';
import { createRecordStore, pointName } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import type { PlanResult } from '../../../../domain/plan/model/types.ts';
import { policy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';

const STARTED = '2026-02-01T08:00:00.000Z';

let twin: Twin;
let directory: string;
beforeEach(async () => {
  twin = await startTwin('up-and-down');
  directory = mkdtempSync(join(tmpdir(), 'belay-records-'));
});
afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
  await twin.close();
});

/** coredns has come to what the scenario has installed. */
function record(cluster: ClusterRef, from: string, undoes?: string): unknown {
  const changes = [{ name: 'coredns', from, to: 'v1.11.4-eksbuild.2', managed: true }];
  const step = { id: 'add-ons-bridge@1.32', phase: 'add-ons-bridge', params: { phase: 'add-ons-bridge', changes, managedBy: 'eks' } };
  const steps = [{ id: step.id, title: '', state: 'completed', expectedMs: 1, startedAt: STARTED }];
  const status = {
    runId: 'run-1',
    cluster,
    startedAt: STARTED,
    endedAt: STARTED,
    to: '1.32',
    steps,
    ...(undoes === undefined ? {} : { undoes }),
  };
  return { format: 1, report: { outcome: 'completed', status, decisions: [] }, plan: { steps: [step] } };
}

function keep(name: string, json: unknown): void {
  writeFileSync(join(directory, `${name}.json`), typeof json === 'string' ? json : JSON.stringify(json));
}
const named = ({ account, region, name }: ClusterRef, at: string): string => `${account}_${region}_${name}_${at}_run`;

const plan = (undo: string): Promise<PlanResult> =>
  createRollbackPlanActivities({ ...twin.clients, store: createRecordStore(createDirectoryStorage(directory).texts) }).planRollback({
    cluster: twin.ref,
    policy: policy({ cluster: twin.ref }),
    undo,
  });

test('the newest record of this very cluster; what is no record, and the point beside it, are passed over', async () => {
  const { ref } = twin;
  keep(named(ref, '2026-02-01T08-00-00-000Z'), record(ref, 'v1.11.3-eksbuild.1'));
  keep(named(ref, '2026-02-02T08-00-00-000Z'), '{"half": ');
  keep(named(ref, '2026-02-03T08-00-00-000Z'), record({ ...ref, name: `${ref.name}_2` }, 'v1.10.1-eksbuild.1'));
  keep(pointName(ref, { runId: 'run-1', startedAt: '2026-02-04T08:00:00.000Z' }), { format: 1 });
  twin.built.world.eks.cluster.version = '1.31';
  const result = await plan('add-ons');
  expect(result).toMatchObject({
    kind: 'plan',
    plan: {
      undoes: { step: 'add-ons', runId: 'run-1' },
      steps: [{ params: { changes: [{ name: 'coredns', to: 'v1.11.3-eksbuild.1' }] } }, {}],
    },
  });
  expect(await createRecordStore(createDirectoryStorage(directory).texts).newest(10)).toHaveLength(2);
});

test('what can be undone is listed by the same record, for people who look from Slack', async () => {
  const { ref } = twin;
  const listed = () =>
    createRollbackPlanActivities({ ...twin.clients, store: createRecordStore(createDirectoryStorage(directory).texts) }).listUndo({
      cluster: ref,
      policy: policy({ cluster: ref }),
    });
  expect(await listed()).toEqual({ options: [] });
  keep(named(ref, '2026-02-01T08-00-00-000Z'), record(ref, 'v1.11.3-eksbuild.1'));
  twin.built.world.eks.cluster.version = '1.31';
  expect(await listed()).toMatchObject({
    options: [
      { step: 'add-ons', possible: true, cost: expect.stringContaining('2 minutes'), until: expect.stringContaining('1.31'), why: [] },
    ],
  });
});

test('no record is said; records that cannot be read are no "there was none"', async () => {
  expect(await plan('add-ons')).toMatchObject({ kind: 'refused', violations: [{ rule: 'RBK101' }] });
  await expect(
    createRollbackPlanActivities({
      ...twin.clients,
      store: { newest: () => Promise.reject(new Error('the disk is gone')), read: async () => undefined },
    }).planRollback({
      cluster: twin.ref,
      policy: policy({ cluster: twin.ref }),
      undo: 'add-ons',
    }),
  ).rejects.toThrow('reading the record of the last run of up-and-down: the disk is gone');
});

test('a run that undid a step has brought the cluster to no version', async () => {
  const { ref } = twin;
  keep(named(ref, '2026-02-01T08-00-00-000Z'), record(ref, 'v1.11.3-eksbuild.1'));
  keep(named(ref, '2026-02-02T08-00-00-000Z'), record(ref, 'v1.11.3-eksbuild.1', 'add-ons'));
  expect(await createRecordStore(createDirectoryStorage(directory).texts).upgradesOf(ref)).toEqual([{ to: '1.32', endedAt: STARTED }]);
});
