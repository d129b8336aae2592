/** `/eks-upgrade history`: what has ended, and what is said where nothing has. */
import { expect, test } from 'vitest';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { historyBlocks } from '../../../slack/blocks/history.ts';
import { status } from '../fixtures.ts';
import { read } from '../reading.ts';

const report = (change: Partial<UpgradeReport> = {}): UpgradeReport => ({
  status: status({ endedAt: '2026-03-03T13:00:00Z', headline: 'staging runs 1.32' }),
  outcome: 'completed',
  decisions: [],
  leftBehind: [],
  ...change,
});

test('RT4: no record is no proof that there was no upgrade', () => {
  expect(read(historyBlocks('staging', [])).text.trim()).toBe('*staging: no ended upgrade on record*');
});

test('each with its outcome; twenty at most, and how many there are', () => {
  const { text } = read(historyBlocks('staging', [report({ outcome: 'aborted' }), ...Array.from({ length: 24 }, () => report())]));
  expect(text).toContain('*staging: 25 upgrades ended*');
  expect(text).toContain('• *1.31 → 1.32* aborted');
  expect(text.match(/• /g)).toHaveLength(20);
});
