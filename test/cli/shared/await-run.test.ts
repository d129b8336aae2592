/** How waiting for a run ends: at its first gate, at its end, without it, or when the time is over. */
import { expect, test } from 'vitest';
import { awaitRun, type WaitFor } from '../../../cli/shared/await-run.ts';
import { type Upgrades, UpgradesError } from '../../../client/calls/contract.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import { RUN_ID, status, UPGRADE } from '../../slack/fixtures.ts';

const LISTED = [{ ...UPGRADE, cluster: 'staging', execution: 'RUNNING', startedAt: '2026-03-03T12:00:00Z' }];
const PLANNING: Partial<UpgradeStatus> = { state: 'planning', headline: 'Planning', steps: [], gates: [] };

/** Each look sees the next of `looks`; the last one stays. */
async function wait(
  until: WaitFor,
  looks: (Partial<UpgradeStatus> | Error)[],
  { listed = true, limitMs = 60_000, signal }: { listed?: boolean; limitMs?: number; signal?: AbortSignal } = {},
) {
  const told: string[] = [];
  let at = 0;
  const upgrades: Pick<Upgrades, 'status' | 'list'> = {
    status: () => {
      const look = looks[Math.min(at, looks.length - 1)] ?? {};
      at += 1;
      return look instanceof Error ? Promise.reject(look) : Promise.resolve({ source: 'workflow', status: status(look) });
    },
    list: () => Promise.resolve(listed ? LISTED : []),
  };
  const stand = await awaitRun(upgrades, {
    cluster: 'staging',
    runId: RUN_ID,
    until,
    limitMs,
    onProgress: (line) => void told.push(line),
    signal,
  });
  return { kind: stand.kind, message: stand.message, told };
}

test('a Temporal that is away for a moment is waited for, and each change is told once', async () => {
  const away = new UpgradesError('unreachable', 'Temporal does not answer.');
  expect(await wait('gate', [PLANNING, away, { state: 'completed', headline: 'Done.', endedAt: '2026-03-03T13:00:00Z' }])).toEqual({
    kind: 'ended',
    message: 'staging: completed. Done.',
    told: ['Planning', 'Temporal does not answer.', 'Done.'],
  });
});

test('one that is past its first gate need not open another', async () => {
  expect(await wait('gate', [{ headline: 'The control plane moves' }])).toMatchObject({
    kind: 'past-gate',
    message: 'staging: its first gate is decided. The control plane moves.',
  });
});

test('a status of an earlier run is not that of this one', async () => {
  expect(await wait('gate', [{ runId: 'earlier', endedAt: '2026-03-03T11:00:00Z' }], { limitMs: 10 })).toMatchObject({
    kind: 'not-yet',
    message: 'staging: no gate opened within 0 s. The run continues: see "belay status staging", or apply again to wait longer.',
  });
});

test('one that was terminated never says that it has ended', async () => {
  expect(await wait('end', [{}], { listed: false })).toMatchObject({
    kind: 'gone',
    message: 'staging: the run was terminated in Temporal, without clean-up. "belay reconcile staging" shows what it left.',
  });
});

test('a pipeline that is cancelled waits no longer, and says that the run goes on', async () => {
  expect(await wait('gate', [PLANNING], { signal: AbortSignal.abort() })).toEqual({
    kind: 'not-yet',
    message: 'staging: stopped waiting. The run continues: see "belay status staging"; "belay abort staging" ends it.',
    told: ['Planning'],
  });
});
