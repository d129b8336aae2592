/** What stands beside runs on a real Temporal server, while no worker is there: freezes and their guards, rollback windows, what Slack has not taken. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createGuards, type Guards } from '../../../client/reading/guards.ts';
import { connectUpgrades } from '../../../client/upgrades-client.ts';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import { EncryptionCodec } from '../../../worker/crypto/codec/encryption-codec.ts';
import { codecKeys } from '../../../worker/crypto/codec/keys.ts';
import { startWithActivity } from '../../support/one-activity.ts';
import { startTemporal } from '../../support/temporal.ts';
import { eventually } from '../../support/eventually.ts';

const KEYS = { BELAY_CODEC_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
const place = (name: string): string => `111122223333/eu-west-1/${name}`;
const cluster = (name: string) => ({ account: '111122223333', region: 'eu-west-1', name });
const LOOKED_AT = '2026-11-02T09:00:00.000Z';
const watched = (details: object): object => ({ kind: 'waiting', doing: 'guarding the freeze at 0', elapsedMs: 1, atMs: 2, details });
const open = {
  now: LOOKED_AT,
  back: { kind: 'open', window: { at: '1.34', backTo: '1.33', movedAt: LOOKED_AT, closesAt: '2026-11-09T09:00:00.000Z' } },
};

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const start = (what: Parameters<typeof startWithActivity>[2]) => startWithActivity(env.client, 'guards', what);

/** Visibility follows within a moment. */
const until = (guards: () => Promise<Guards>, seen: (found: Guards) => boolean): Promise<Guards> =>
  eventually(String(seen), async () => {
    const found = await guards();
    return seen(found) && found;
  });

const freeze = (name: string, outcome: Parameters<typeof start>[0]['outcome'], encode?: Parameters<typeof start>[0]['encode']) =>
  start({
    workflowType: 'freezeDrift',
    workflowId: `eks-upgrade/${place(name)}/freeze-drift@1.34`,
    activityType: 'watchFreeze',
    outcome,
    encode,
  });

test('a guard’s last look is what its watcher says, not that it is alive; a guard that has not looked has none', async () => {
  await freeze('looked', { heartbeats: watched({ pools: 2, lookedAt: LOOKED_AT }) });
  await freeze('alive', { heartbeats: watched({ pools: 0 }) });
  await freeze('forged', { heartbeats: watched({ lookedAt: 'let me in' }) });
  await freeze('unheard', undefined);
  const { freezes } = await until(createGuards(env.client), (found) => found.freezes.length === 4);
  const by = Object.fromEntries(freezes.map((one) => [one.cluster.name, one]));
  expect(by['looked']).toEqual({ cluster: cluster('looked'), since: expect.stringMatching(/^2\d{3}-/), lookedAt: LOOKED_AT });
  for (const name of ['alive', 'forged', 'unheard']) expect(by[name]).toEqual({ cluster: cluster(name), since: expect.anything() });
});

test('a rollback window closes when its clock has read that it does; one that has read nothing, or nothing that is open, has none', async () => {
  const clock = (name: string, outcome: Parameters<typeof start>[0]['outcome']) =>
    start({
      workflowType: 'rollbackWindow',
      workflowId: `eks-rollback-window/${place(name)}`,
      activityType: 'readRollbackWindow',
      outcome,
    });
  await clock('unread', undefined);
  await clock('gone', { gives: { now: LOOKED_AT, back: { kind: 'none', why: 'rolled-back' } } });
  await clock('forged', { gives: { back: { kind: 'open', window: { at: '1.34', closesAt: 'never' } } } });
  await clock('prod', { gives: open });
  const { windows } = await until(createGuards(env.client), (found) => found.windows.length > 0);
  expect(windows).toEqual([{ cluster: cluster('prod'), at: '1.34', closesAt: '2026-11-09T09:00:00.000Z' }]);
});

test('what Slack refuses has waited since it was first to be sent, however often that is tried', async () => {
  const before = new Date();
  const tell = (workflowType: string, workflowId: string, outcome: Parameters<typeof start>[0]['outcome']) =>
    start({ workflowType, workflowId, activityType: 'publish', outcome });
  await tell('upgradeCluster', `eks-upgrade/${place('refused')}`, { fails: 'Slack is away' });
  await tell('tellLater', `eks-upgrade/${place('over')}/last-words/1`, undefined);
  const { runId } = await tell('upgradeCluster', `eks-upgrade/${place('told')}`, { gives: [] });
  const { undelivered } = await until(createGuards(env.client), (found) => found.undelivered.count === 2);
  const { events } = await env.client.workflow.getHandle(`eks-upgrade/${place('refused')}`).fetchHistory();
  const scheduled = events?.find(({ activityTaskScheduledEventAttributes: one }) => one != null)?.eventTime;
  expect(undelivered.since).toBe(
    new Date(Number(String(scheduled?.seconds)) * 1000 + Math.floor((scheduled?.nanos ?? 0) / 1e6)).toISOString(),
  );
  expect(Date.parse(undelivered.since ?? '')).toBeGreaterThanOrEqual(before.getTime() - 1_000);
  // One that has ended holds nothing back.
  await env.client.workflow.getHandle(`eks-upgrade/${place('refused')}`).terminate();
  expect((await until(createGuards(env.client), (found) => found.undelivered.count === 1)).undelivered.count).toBe(1);
  expect(runId).not.toBe('');
});

test('under encryption nothing is read but what Belay has written for that activity', async () => {
  const codec = new EncryptionCodec(codecKeys(KEYS));
  const encodedFor =
    (workflowId: string) =>
    async (value: unknown, activityId: string): Promise<Payload> => {
      const context = { type: 'activity' as const, namespace: 'default', workflowId, activityId, isLocal: false };
      const [payload] = await codec.encode([defaultPayloadConverter.toPayload(value)], context);
      return payload ?? {};
    };
  const window = (name: string): string => `eks-rollback-window/${place(name)}`;
  const clock = (name: string, encode?: (value: unknown, activityId: string) => Promise<Payload>) =>
    start({
      workflowType: 'rollbackWindow',
      workflowId: window(name),
      activityType: 'readRollbackWindow',
      outcome: { gives: { seal: { as: 'result of readRollbackWindow', id: 'x', at: 1 }, body: open } },
      encode,
    });
  await clock('sealed', encodedFor(window('sealed')));
  await clock('plain');
  await clock('anothers', encodedFor(window('sealed')));
  await freeze('plain-look', { heartbeats: watched({ lookedAt: LOOKED_AT }) });
  const connected = connectUpgrades({
    resolveCluster: () => cluster('prod'),
    address: env.address,
    dataConverter: createDataConverter(KEYS),
  });
  try {
    const found = await until(
      connected.guards,
      (guards) => guards.windows.length > 0 && guards.freezes.some((one) => one.cluster.name === 'plain-look'),
    );
    expect(found.windows.map((one) => one.cluster.name)).toEqual(['sealed']);
    expect(found.freezes.find((one) => one.cluster.name === 'plain-look')?.lookedAt).toBeUndefined();
  } finally {
    await connected.close();
  }
});

test('Temporal out of reach is an error in our words', async () => {
  const [port] = await freePorts(1);
  const connected = connectUpgrades({ resolveCluster: () => cluster(''), address: `127.0.0.1:${port}` });
  await expect(connected.guards()).rejects.toMatchObject({ code: 'unreachable' });
  await connected.close();
}, 180_000);
