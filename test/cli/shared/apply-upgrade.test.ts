/** What apply does with each state that a cluster and its last run may be in, and what it never does. */
import { describe, expect, test } from 'vitest';
import { applyUpgrade, type ApplyOptions } from '../../../cli/shared/apply-upgrade.ts';
import { type Upgrades, UpgradesError } from '../../../client/calls/contract.ts';
import type { UpgradeStatus } from '../../../domain/run/record/status.ts';
import { rejection } from '../../support/thrown.ts';
import { plan, status, UPGRADE } from '../../slack/fixtures.ts';
import { type Asked, fakeUpgrades } from '../../slack/support.ts';

const REQUEST = { name: 'up', cluster: 'staging', target: '1.32', at: 'u.yaml:1' };
const SENDER = { actor: { kind: 'cli', id: 'ci@host', name: 'ci' } } as const;
const ENDED = '2026-03-03T13:00:00Z';

const last = (change: Partial<UpgradeStatus>): Partial<Upgrades> => ({
  status: () => Promise.resolve({ source: 'workflow', status: status(change) }),
});
const NO_RUN: Partial<Upgrades> = {
  status: () => Promise.reject(new UpgradesError('not-running', 'Temporal knows no upgrade of staging.')),
};
const running = (change: Partial<UpgradeStatus>): Partial<Upgrades> => ({
  ...last(change),
  start: () => Promise.reject(new UpgradesError('already-running', 'staging is already being upgraded.')),
  list: () => Promise.resolve([{ ...UPGRADE, cluster: 'staging', execution: 'RUNNING', startedAt: ENDED }]),
});
const tooLow = (version: string): Partial<Upgrades> => ({
  start: () =>
    Promise.reject(
      new UpgradesError('refused', 'no', {
        violations: [{ rule: 'target-above-current', message: 'It is there.', remedy: 'Choose a newer one.' }],
      }),
    ),
  versions: () => Promise.resolve({ readAt: ENDED, clusters: [{ name: 'staging', version }], offered: [] }),
});

async function applied(change: Partial<Upgrades>, options: ApplyOptions = {}) {
  const asked: Asked[] = [];
  const result = await applyUpgrade(fakeUpgrades(asked, change), REQUEST, SENDER, options);
  return { result, sent: asked.map(({ what }) => what).filter((what) => what !== 'status' && what !== 'list' && what !== 'versions') };
}

const OTHER = (way: string): string =>
  `staging already has another run (${way}), not one to 1.32. Nothing was started: wait until that run has ended, or change the target in the file to match it.`;
const ADOPTED = 'staging: an upgrade to 1.32 is already running, requested by alex. No second one was started.';

test('a cluster without a run: one is started, by whoever applies, with the strategy of the file', async () => {
  const asked: Asked[] = [];
  const result = await applyUpgrade(fakeUpgrades(asked, NO_RUN), { ...REQUEST, strategy: 'every-hop' }, SENDER, {});
  expect(result).toMatchObject({ ...UPGRADE, kind: 'started', planned: { plan: plan() } });
  expect(asked).toEqual([
    { what: 'status', request: 'staging' },
    { what: 'start', request: { cluster: 'staging', target: '1.32', strategy: 'every-hop', requestedBy: SENDER.actor } },
  ]);
});

describe('a run that goes on', () => {
  test.each<[string, Partial<UpgradeStatus>, string, string]>([
    ['to the same version', {}, 'adopted', ADOPTED],
    ['to another version', { to: '1.33' }, 'refused', OTHER('1.31 → 1.33')],
    ['back to that version', { from: '1.33' }, 'refused', OTHER('1.33 → 1.32')],
    ['that undoes a step at that version', { from: '1.32', undoes: 'add-ons' }, 'refused', OTHER('add-ons back, at 1.32')],
  ])('%s', async (_what, change, kind, message) => {
    const { result } = await applied(running(change));
    expect(result).toMatchObject({ kind, message });
    const dry = await applied(running(change), { dryRun: true });
    expect(dry.result).toMatchObject({ kind: kind === 'adopted' ? 'would-adopt' : kind, message });
    expect(dry.sent).toEqual([]);
  });

  test('without a worker it is not taken for the wanted one', async () => {
    const blind: Partial<Upgrades> = {
      status: () =>
        Promise.resolve({
          source: 'visibility',
          status: { ...UPGRADE, cluster: 'staging', target: '1.32', execution: 'RUNNING', startedAt: ENDED },
          why: 'No worker answered.',
        }),
    };
    expect(await rejection(applied(blind))).toMatchObject({
      code: 'no-worker',
      message: 'Could not find out whether staging has to be upgraded, so nothing was started. No worker answered.',
    });
  });
});

describe('a run that has ended', () => {
  const AGAIN = 'To start another, use --again or "belay start staging --target 1.32".';
  test.each<[string, Partial<UpgradeStatus>, string | undefined]>([
    ['completed', { state: 'completed' }, undefined],
    ['refused by the rules', { state: 'refused' }, undefined],
    ['stopped on the way to another version', { state: 'stopped', to: '1.33' }, undefined],
    ['undone in part', { state: 'completed', from: '1.32', undoes: 'add-ons' }, undefined],
    ['rolled back from another version', { state: 'completed', from: '1.33', to: '1.32' }, undefined],
    ['not rolled back', { state: 'failed', from: '1.32', to: '1.31' }, undefined],
    [
      'stopped',
      { state: 'stopped', headline: 'Rejected by alex: not today' },
      `The last upgrade of staging to 1.32 was stopped: Rejected by alex: not today. Nothing was started, because apply does not repeat an upgrade that ended this way. ${AGAIN}`,
    ],
    [
      'aborted',
      { state: 'aborted', headline: 'Aborted.' },
      `The last upgrade of staging to 1.32 was aborted: Aborted. Nothing was started, because apply does not repeat an upgrade that ended this way. ${AGAIN}`,
    ],
    [
      'failed',
      { state: 'failed', headline: 'A step failed' },
      `The last upgrade of staging to 1.32 failed: A step failed. Nothing was started, because apply does not repeat an upgrade that ended this way. ${AGAIN}`,
    ],
    [
      'rolled back',
      { state: 'completed', from: '1.32', to: '1.31' },
      'staging was rolled back from 1.32 to 1.31 by its last run. Nothing was started: to upgrade it again, use --again or "belay start staging --target 1.32".',
    ],
  ])('%s', async (_what, change, refusal) => {
    const run = last({ ...change, endedAt: ENDED });
    const { result, sent } = await applied(run);
    if (refusal === undefined) expect({ kind: result.kind, sent }).toEqual({ kind: 'started', sent: ['start'] });
    else expect({ result, sent }).toEqual({ result: { kind: 'refused', message: refusal, violations: [] }, sent: [] });
    expect((await applied(run, { again: true })).sent).toEqual(['start']);
  });

  test('terminated in Temporal, it does not say so: Temporal’s list does', async () => {
    expect((await applied({ ...last({}), list: () => Promise.resolve([]) }, { dryRun: true })).result.kind).toBe('would-start');
  });
});

describe('a refused plan', () => {
  test('at the version already, as EKS says', async () => {
    expect((await applied({ ...NO_RUN, ...tooLow('1.32') })).result).toEqual({
      kind: 'there',
      message: 'staging: the control plane is already at 1.32. Nothing was started.',
    });
  });

  test.each(['1.33', '?'])('at %s it is refused', async (version) => {
    expect((await applied({ ...NO_RUN, ...tooLow(version) })).result).toMatchObject({
      kind: 'refused',
      violations: [{ rule: 'target-above-current' }],
    });
  });

  test('outside the window', async () => {
    const message = 'staging is not upgraded now: it is Thu. Nothing was started.';
    const closed: Partial<Upgrades> = { ...NO_RUN, start: () => Promise.reject(new UpgradesError('refused', message)) };
    expect((await applied(closed)).result).toEqual({ kind: 'refused', message, violations: [] });
  });
});
