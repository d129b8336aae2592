/** `/eks-upgrade rollback CLUSTER list`: what can be undone, and the button of each step that plans its way back. */
import { describe, expect, test } from 'vitest';
import type { UndoOption } from '../../../domain/plan/undo/plan-undo.ts';
import { undoListBlocks } from '../../../slack/blocks/undo.ts';
import { UpgradesError } from '../../../client/upgrades-client.ts';
import { read } from '../reading.ts';
import { eventually } from '../../support/eventually.ts';
import { withApp } from '../support.ts';

const SAM = { kind: 'slack', id: 'U0SAM', name: 'sam' };
const OPTIONS: UndoOption[] = [
  {
    step: 'add-ons',
    title: 'Add-ons back to their versions before',
    possible: true,
    expectedMs: 240_000,
    cost: 'about 2 minutes each; their pods are replaced once',
    until: 'EKS offers these versions for 1.32',
    why: ['EKS does not offer coredns <v1.11.3> for 1.32.'],
  },
  { step: 'node-groups', possible: false, why: ['Nothing is newer. There is nothing to do.'] },
];

describe('what can be undone', () => {
  test('each step: how long, what it costs, until when, what stays; a button where it is possible', () => {
    const { text, buttons } = read(undoListBlocks('staging', OPTIONS));
    expect(text).toContain(
      '✓ *add-ons*: Add-ons back to their versions before, about 4 min\nAbout 2 minutes each; their pods are replaced once. Until EKS offers these versions for 1.32.\n• Stays: EKS does not offer coredns &lt;v1.11.3&gt; for 1.32.',
    );
    expect(text).toContain('✗ *node-groups*: cannot be undone now\n• Nothing is newer. There is nothing to do.');
    expect(buttons).toEqual(['undo/plan Plan to undo add-ons']);
    expect(undoListBlocks('staging', [])).toEqual({
      text: 'No run of staging on record has a step that can be undone on its own.',
      blocks: [],
    });
  });

  test('is shown to the one who asks; a press starts the way back of that step', async () => {
    await withApp({ upgrades: { undoOptions: () => Promise.resolve(OPTIONS) } }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade rollback staging list');
      const told = await eventually(() => bench.slack.messages().find(({ text }) => text.startsWith('Steps of the last run of')));
      expect(told.ephemeralTo).toBe('U0SAM');
      await bench.slack.click('U0SAM', told.ts, 'undo/plan');
      await eventually(() => bench.seenBy('U0SAM').some((text) => text.startsWith('Started: staging')));
      expect(bench.asked).toEqual([
        { what: 'undoOptions', request: 'staging' },
        { what: 'startBack', request: { cluster: 'staging', requestedBy: SAM, undo: 'add-ons' } },
      ]);
    });
  });

  test('what refuses to be read, or to be started, is said', async () => {
    const denied = () => Promise.reject(new UpgradesError('failed', 'reading the record of the last run of staging: EACCES'));
    await withApp({ upgrades: { undoOptions: denied } }, async (bench) => {
      await bench.slack.submitCommand('U0SAM', '/eks-upgrade rollback staging --list');
      await eventually(() => bench.seenBy('U0SAM').includes('reading the record of the last run of staging: EACCES'));
    });
  });

  test('a value that Belay has not made starts nothing', async () => {
    await withApp({}, async (bench) => {
      const { blocks, text } = undoListBlocks('staging', [{ ...OPTIONS[0]!, step: '1.32 && all' }]);
      const { ts = '' } = await bench.web.chat.postMessage({ channel: 'C0UPGRADES', text, blocks });
      await bench.slack.click('U0SAM', ts, 'undo/plan');
      await eventually(() =>
        bench.seenBy('U0SAM').some((said) => said.startsWith('Nothing was done: this button does not say what it decides')),
      );
      expect(bench.asked).toEqual([]);
    });
  });
});
