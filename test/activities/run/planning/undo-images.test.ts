/** The way back of node classes against the twin: which images are looked up, and what is made of those that are gone or cannot be seen. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRollbackPlanActivities } from '../../../../activities/run/planning/plan-rollback.ts';
import { createRecordStore, pointName } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { latestAmi } from '../../../../rehearsal/aws/eks/nodes/amis.ts';
import { policy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const STARTED = '2026-02-01T08:00:00.000Z';
const RUN = { runId: 'run-1', startedAt: STARTED };
const imageOf = (minor: string): string => latestAmi('al2023', minor, new Date('2026-02-10T01:00:00Z'))?.id ?? '';

let twin: Twin;
let directory: string;
beforeEach(async () => {
  twin = await startTwin('alias-without-build');
  directory = mkdtempSync(join(tmpdir(), 'belay-records-'));
});
afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
  await twin.close();
});

/** Of a run that has brought EC2NodeClass fixed to what it chooses in the scenario, and pinned to its alias. */
function record(fixedBefore: string, pinnedBefore: string): void {
  const moves = [
    { nodeClass: 'fixed', nodePools: ['batch'], before: fixedBefore, terms: [{ id: imageOf('1.32') }], why: '' },
    { nodeClass: 'pinned', nodePools: ['default'], before: pinnedBefore, terms: [{ alias: 'al2023@v20250403' }], why: '' },
  ];
  const params = { phase: 'karpenter-drift', to: '1.32', nodePools: ['batch', 'default'], nodeCount: 5, paces: [], moves };
  const step = { id: 'karpenter-drift@1.32', phase: 'karpenter-drift', params };
  const steps = [{ id: step.id, title: '', state: 'completed', expectedMs: 1, startedAt: STARTED }];
  const status = { ...RUN, cluster: twin.ref, endedAt: STARTED, to: '1.32', steps };
  const { account, region, name } = twin.ref;
  keep(`${account}_${region}_${name}_2026-02-01T08-00-00-000Z_run-1`, {
    format: 1,
    report: { outcome: 'completed', status, decisions: [] },
    plan: { steps: [step] },
  });
}

const keep = (name: string, json: unknown): void => writeFileSync(join(directory, `${name}.json`), JSON.stringify(json));

const plan = () =>
  createRollbackPlanActivities({ ...twin.clients, store: createRecordStore(createDirectoryStorage(directory).texts) }).planRollback({
    cluster: twin.ref,
    policy: policy({ cluster: twin.ref }),
    undo: 'node-classes',
  });

async function refusals(): Promise<string[]> {
  const result = await plan();
  return result.kind === 'plan' ? ['planned'] : result.violations.map(({ message }) => message);
}

test('by id and by alias; the rollback point says which family there was', async () => {
  record(imageOf('1.31'), 'al2023@v20251016');
  keep(pointName(twin.ref, RUN), {
    format: 1,
    nodeGroups: [],
    nodeClasses: [{ name: 'fixed', amiFamily: 'AL2' }, { name: 'pinned' }],
  });
  const result = await plan();
  expect(result).toMatchObject({
    kind: 'plan',
    plan: {
      steps: [
        { id: 'freeze-drift@1.32' },
        {
          params: {
            to: '1.31',
            nodePools: ['batch'],
            nodeCount: 2,
            pinnedPools: ['default'],
            moves: [{ nodeClass: 'fixed', before: imageOf('1.32'), terms: [{ id: imageOf('1.31') }], amiFamily: 'AL2', owner: 'argocd' }],
          },
        },
        { id: 'validation@1.32' },
      ],
      findings: [{ code: 'RBK112' }],
    },
  });
});

test('what is gone is said, and so is what cannot be seen', async () => {
  record('ami-00000000000000000', 'al2023@v20191231');
  expect(await refusals()).toEqual([
    'ami-00000000000000000, which EC2NodeClass fixed chose, does no longer exist, or not for this account.',
    'Amazon has no image of al2023@v20191231 for 1.32: EC2NodeClass pinned would find none, and Karpenter would keep what it has.',
  ]);
  twin.grant({ aws: (action) => action !== 'ec2:DescribeImages' && action !== 'ssm:GetParameter' });
  expect(await refusals()).toEqual([
    expect.stringMatching(/^Whether ami-00000000000000000, .* cannot be seen \(.*ssm:GetParameter.*ec2:DescribeImages.*\)\.$/s),
    expect.stringMatching(/^Whether Amazon has an image of al2023@v20191231 for 1\.32, .* cannot be seen \(/),
  ]);
});
