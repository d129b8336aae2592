/** What commands ask on a terminal, whole. */
import { expect, test } from 'vitest';
import {
  abortQuestion,
  campaignStartQuestion,
  campaignStopQuestion,
  ringRollbackQuestion,
  rollbackQuestion,
  skipQuestion,
  startQuestion,
} from '../../../cli/render/questions.ts';
import type { StatusAnswer } from '../../../client/upgrades-client.ts';
import { initialState } from '../../../domain/run/campaign/state.ts';
import { campaignView } from '../../../domain/run/campaign/view.ts';
import { CAMPAIGN, CAMPAIGN_PLAN } from '../../slack/campaign-fixture.ts';
import { RUN_ID, status, WORKFLOW_ID } from '../../slack/fixtures.ts';

const FAILED = 'failed:control-plane@1.32#2';
const gate = {
  workflowId: WORKFLOW_ID,
  id: FAILED,
  title: 'Control plane to 1.32 has failed',
  choices: ['retry', 'skip'],
  offers: [
    { label: 'Retry', does: 'Runs the step again.' },
    { label: 'Skip', does: 'Continues without the step.', needsReason: true },
  ],
  undo: 'Within 7 days the control plane can be rolled back.',
  expiresAt: '2026-03-04T12:00:00Z',
  revision: 3,
};
const takeBack = { to: '1.31', until: '2026-03-10T12:00:00Z' };
const answer: StatusAnswer = { source: 'workflow', status: status({ gates: [gate], takeBack }) };
const blind: StatusAnswer = {
  source: 'visibility',
  status: {
    workflowId: WORKFLOW_ID,
    runId: RUN_ID,
    cluster: 'staging',
    target: '1.32',
    execution: 'RUNNING',
    startedAt: '2026-03-03T12:00:00Z',
    waitingFor: FAILED,
  },
  why: 'No worker answered.',
};
const view = campaignView({
  plan: CAMPAIGN_PLAN,
  state: initialState(CAMPAIGN_PLAN),
  workflowId: 'eks-campaign/to-1-34',
  requestedBy: { kind: 'slack', id: 'U0ALEX' },
});

test.each([
  [
    startQuestion('staging', '1.32', 'every-hop'),
    [
      "Belay plans it, opens a thread in the cluster's channel, and waits at the first gate. Nothing is changed before somebody approves that gate.",
      'Nodes: every-hop',
      'To end it at any time: belay abort staging',
      'Start the upgrade of staging to 1.32?',
    ],
  ],
  [
    rollbackQuestion('staging', undefined),
    [
      'Opens its own thread with the plan, and waits at its first gate. Nothing is changed before somebody approves that gate. EKS can roll a control plane back for seven days after its upgrade.',
      'To end it at any time: belay abort staging',
      'Roll staging back?',
    ],
  ],
  [
    rollbackQuestion('staging', 'add-ons'),
    [
      'Opens its own thread with the plan to undo add-ons, and waits at its first gate. Nothing is changed before somebody approves that gate.',
      'To end it at any time: belay abort staging',
      'Undo add-ons of staging?',
    ],
  ],
  [
    abortQuestion('staging', answer),
    [
      'Now: staging 1.31 → 1.32 – The control plane moves to 1.32',
      'Running: Control plane to 1.32. Belay waits for what EKS has already started.',
      'EKS can roll the control plane back to 1.31 until 2026-03-10 12:00 UTC: belay rollback staging --dry-run',
      'No further step starts. Versions already changed stay; temporary changes are undone, but a Karpenter freeze stays while nodes lag behind the control plane.',
      'An abort cannot be undone. A new upgrade starts from the state that the cluster is in by then.',
      'Abort the upgrade of staging?',
    ],
  ],
  [
    abortQuestion('staging', blind),
    [
      `Now: staging → 1.32 – ${FAILED}`,
      'No worker answered.',
      'No further step starts. Versions already changed stay; temporary changes are undone, but a Karpenter freeze stays while nodes lag behind the control plane.',
      'An abort cannot be undone. A new upgrade starts from the state that the cluster is in by then.',
      'Abort the upgrade of staging?',
    ],
  ],
  [
    skipQuestion('staging', answer, { gateId: FAILED, revision: 3 }, 'done by hand'),
    [
      'Control plane to 1.32 has failed',
      'Continues without the step.',
      'Your reason, as the thread and the record will show it: done by hand',
      'What can be undone: Within 7 days the control plane can be rolled back.',
      'Skip this step of staging?',
    ],
  ],
  [
    skipQuestion('staging', blind, { gateId: FAILED, revision: 1 }, undefined),
    [`Could not read gate ${FAILED}: No worker answered.`, 'Skip this step of staging?'],
  ],
  [
    campaignStartQuestion(CAMPAIGN),
    [
      'Belay checks every cluster, which takes a few minutes, opens a thread, and waits at the gate of ring dev. No cluster is upgraded before somebody approves that gate.',
      'To end it at any time: belay campaign stop to-1-34. Upgrades that have started finish on their own.',
      'Start campaign to-1-34 to 1.34?',
    ],
  ],
  [
    campaignStopQuestion('to-1-34', view),
    [
      'Ring dev waits for approval.',
      '  dev: 0/2 done · 1 held',
      '  prod: 0/1 done',
      'No further cluster starts. Running upgrades finish on their own, and their gates still need decisions.',
      'A stop cannot be undone. To pause the campaign instead: belay campaign pause to-1-34',
      'Stop campaign to-1-34?',
    ],
  ],
  [
    ringRollbackQuestion('to-1-34', 'prod'),
    [
      'Pauses the campaign, and reads which clusters EKS can still roll back (for seven days after their upgrade). Belay then opens a thread with the list, and waits for one approval with a reason. No cluster is rolled back before that.',
      'To end it at any time: belay campaign stop to-1-34.rollback.prod. To continue the campaign afterwards: belay campaign resume to-1-34',
      'Roll ring prod of campaign to-1-34 back?',
    ],
  ],
])('%#', ({ lines, asks }, expected) => {
  expect([...lines, asks]).toEqual(expected);
});

test('a stop whose campaign cannot be read says why', () => {
  expect(campaignStopQuestion('to-1-34', 'No worker answers.').lines[0]).toBe('Could not read where it is: No worker answers.');
});
