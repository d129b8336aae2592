/** Approve and reject as they are typed: whoever types sees what is asked, and decides by a button. */
import { expect, test } from 'vitest';
import type { OpenGate } from '../../../domain/gates/gate.ts';
import type { StatusAnswer } from '../../../client/upgrades-client.ts';
import { eventually } from '../../support/eventually.ts';
import { RUN_ID, status, WORKFLOW_ID } from '../fixtures.ts';
import { type Bench, withApp } from '../support.ts';

const GATE: OpenGate & { workflowId: string } = {
  id: 'before:control-plane@1.32#1',
  title: 'Move the control plane?',
  choices: ['approve', 'reject'],
  offers: [
    { label: 'Approve', does: 'Moves it.', style: 'primary' },
    { label: 'Reject', does: 'Stops the upgrade.', style: 'danger', needsReason: true },
  ],
  expiresAt: '2026-03-04T12:00:00.000Z',
  revision: 3,
  planHash: 'a1b2c3d4e5f6a7b8',
  next: 'EKS moves the control plane to 1.32.',
  evidence: [{ title: 'Health', lines: ['All checks are green'] }],
  undo: 'For seven days EKS takes it back.',
  progress: '0 of 1 approvals',
  workflowId: WORKFLOW_ID,
};

const answers = (gates: (typeof GATE)[]) => ({
  upgrades: { status: () => Promise.resolve<StatusAnswer>({ source: 'workflow', status: status({ gates }) }) },
});
const shown = async ({ slack }: Bench) => await eventually(() => slack.messages().find(({ ephemeralTo }) => ephemeralTo === 'U0SAM'));

test('U1: approve shows the gate to whoever typed it, and its button decides for exactly that', async () => {
  await withApp(answers([GATE]), async (bench) => {
    await bench.slack.submitCommand('U0SAM', '/eks-upgrade approve staging');
    const message = await shown(bench);
    const text = JSON.stringify(message.blocks);
    for (const part of [GATE.title, GATE.next, 'All checks are green', GATE.undo, 'plan a1b2c3d4e5f…', '0 of 1 approvals'])
      expect(text).toContain(part);
    expect(bench.asked.filter(({ what }) => what === 'decide')).toEqual([]);
    await bench.slack.click('U0SAM', message.ts, 'gate/approve');
    const { request } = await eventually(() => bench.asked.find(({ what }) => what === 'decide'));
    expect(request).toMatchObject({
      gateId: GATE.id,
      workflowId: WORKFLOW_ID,
      choice: 'approve',
      revision: 3,
      run: RUN_ID,
      planHash: GATE.planHash,
      actor: { kind: 'slack', id: 'U0SAM' },
    });
  });
});

test('U1: reject asks for the reason where the gate wants one', async () => {
  await withApp(answers([GATE]), async (bench) => {
    await bench.slack.submitCommand('U0SAM', '/eks-upgrade reject staging before:control-plane');
    await bench.slack.click('U0SAM', (await shown(bench)).ts, 'gate/reject');
    const view = await eventually(() => bench.slack.openViews('U0SAM').at(-1));
    expect(JSON.stringify(view)).toContain('Stops the upgrade.');
    expect(bench.asked.filter(({ what }) => what === 'decide')).toEqual([]);
  });
});

test.each<[string, (typeof GATE)[], string]>([
  ['approve staging', [], 'No gate of staging is open.'],
  [
    'approve staging',
    [GATE, { ...GATE, id: 'wave:istio@1.32#1.1-26.1' }],
    'Several gates of staging are open: before:control-plane@1.32#1, wave:istio@1.32#1.1-26.1. Name the one that you mean.',
  ],
  ['reject staging', [{ ...GATE, choices: ['retry'] }], 'before:control-plane@1.32#1 has no choice "reject". It has: retry.'],
])('U1: %s, where it cannot be shown', async (command, gates, why) => {
  await withApp(answers(gates), async (bench) => {
    await bench.slack.submitCommand('U0SAM', `/eks-upgrade ${command}`);
    expect((await shown(bench)).text).toContain(why);
  });
});

test('U1: without a worker nothing is shown, and nothing is decided', async () => {
  const why = 'No worker answers.';
  const run = { workflowId: WORKFLOW_ID, runId: RUN_ID, cluster: 'staging', execution: 'RUNNING', startedAt: status().startedAt } as const;
  const upgrades = { status: () => Promise.resolve<StatusAnswer>({ source: 'visibility', status: run, why }) };
  await withApp({ upgrades }, async (bench) => {
    await bench.slack.submitCommand('U0SAM', '/eks-upgrade approve staging');
    expect((await shown(bench)).text).toBe(`Could not read what staging waits for, so nothing was decided: ${why}`);
  });
});
