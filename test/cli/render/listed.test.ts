/** `belay status` without a cluster. */
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { renderListed } from '../../../cli/render/status.ts';
import type { VisibilityStatus } from '../../../client/calls/contract.ts';
import { RUN_ID, WORKFLOW_ID } from '../../slack/fixtures.ts';

const RUN: VisibilityStatus = {
  workflowId: WORKFLOW_ID,
  runId: RUN_ID,
  cluster: 'staging',
  target: '1.32',
  phase: 'control-plane',
  execution: 'RUNNING',
  startedAt: '2026-03-03T12:00:00Z',
};
const KEPT = { ...RUN, cluster: 'prod', phase: 'freeze-drift', waitingFor: 'kept:freeze-drift@1.32#2' };
const RUNS = `CLUSTER  TARGET  STATE    PHASE          WAITS FOR  SINCE
staging  1.32    running  control-plane  -          2026-03-03 12:00 UTC`;
const FREEZES = `Freezes kept after their run, until somebody decides ("belay status CLUSTER" shows the gate):
CLUSTER  TARGET  WAITS FOR                 SINCE
prod     1.32    kept:freeze-drift@1.32#2  2026-03-03 12:00 UTC`;

test.each<[string, VisibilityStatus[], VisibilityStatus[], string]>([
  ['nothing', [], [], 'No upgrade is running.'],
  ['a run', [RUN], [], RUNS],
  ['a freeze that has outlived its run', [], [KEPT], `No upgrade is running.\n\n${FREEZES}`],
  [
    'clusters of one name in two regions',
    [RUN, { ...RUN, runId: 'other', workflowId: 'eks-upgrade/111122223333/us-east-1/staging' }],
    [],
    `CLUSTER                           TARGET  STATE    PHASE          WAITS FOR  SINCE
staging (111122223333 eu-west-1)  1.32    running  control-plane  -          2026-03-03 12:00 UTC
staging (111122223333 us-east-1)  1.32    running  control-plane  -          2026-03-03 12:00 UTC`,
  ],
  ['both', [RUN], [KEPT], `${RUNS}\n\n${FREEZES}`],
])('%s', (_what, runs, keptFreezes, expected) => {
  expect(stripVTControlCharacters(renderListed({ runs, keptFreezes }))).toBe(expected);
});
