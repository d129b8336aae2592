/** What reaches a run from outside without keys is refused at its door, whatever it is, and the run continues. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { AuditEvent } from '../../../../domain/gates/audit.ts';
import { createDataConverter } from '../../../../worker/crypto/codec/data-converter.ts';
import { EncryptionCodec } from '../../../../worker/crypto/codec/encryption-codec.ts';
import { codecKeys } from '../../../../worker/crypto/codec/keys.ts';
import { upgradeStatus } from '../../../../workflows/contract/messages.ts';
import { sealed } from '../../../../workflows/runtime/messages/seal.ts';
import { clientOf } from '../../../support/encrypted.ts';
import { eventually } from '../../../support/eventually.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { fakeActivities, withChange } from '../../../support/fake-activities.ts';
import { startTemporal, startWorker, workflowBundle } from '../../../support/temporal.ts';
import { follow, type RunningUpgrade, SAM, startUpgrade } from '../../../support/upgrade.ts';

const KEYS = { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` };
const OTHER_KEYS = { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` };
const UNKNOWN_KEYS = { BELAY_CODEC_KEYS: `z:${randomBytes(32).toString('base64')}` };
const GATE = 'before:pre-checks@1.32#1';
const FORGED = { gateId: GATE, decisionId: `${GATE}:U0SAM:approve:1`, actor: SAM, choice: 'approve' };

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal(new DefaultLogger('ERROR', () => undefined));
});
afterAll(() => env.teardown());

interface Stage {
  run: RunningUpgrade;
  /** Without keys. */
  attacker: Client;
  noted: AuditEvent[];
  taskFailuresCount(): Promise<number>;
}

interface Encryption {
  dataConverter: DataConverter;
  /** Of whoever starts the run. */
  starter: Client;
}

/** A run at its first gate, under encryption. */
async function atFirstGate(
  act: (stage: Stage) => Promise<void>,
  { dataConverter, starter }: Encryption = { dataConverter: createDataConverter(KEYS, 'worker'), starter: clientOf(env, KEYS) },
): Promise<void> {
  const taskQueue = `belay-${randomUUID()}`;
  const noted: AuditEvent[] = [];
  const fake = fakeActivities();
  const activities = withChange(fake, {
    appendAudit: async ({ head, events }) => {
      noted.push(...events);
      return { head: { seq: head.seq + events.length, hash: 'x' } };
    },
    appendRefusals: async ({ events }) => {
      noted.push(...events);
      return { head: { seq: 1, hash: 'x' } };
    },
  });
  const bundle = workflowBundle({ failureConverterPath: dataConverter.failureConverterPath });
  const worker = await startWorker(env, activities, taskQueue, { dataConverter, bundle });
  await worker.runUntil(async () => {
    const { workflowId } = await startUpgrade({ client: starter }, taskQueue);
    const run = follow({ client: clientOf(env, KEYS) }, workflowId);
    await run.until(({ gates }) => gates.some(({ id }) => id === GATE));
    const attacker = new Client({ connection: env.connection });
    const taskFailuresCount = async (): Promise<number> => {
      const { events } = await attacker.workflow.getHandle(workflowId).fetchHistory();
      return (events ?? []).filter((event) => event.workflowTaskFailedEventAttributes != null).length;
    };
    try {
      await act({ run, attacker, noted, taskFailuresCount });
    } finally {
      await run.handle.terminate('end of test').catch(() => undefined);
    }
  });
}

const refusedOnes = (noted: AuditEvent[]): string[] => noted.filter(({ kind }) => kind === 'refused').map(({ what }) => what);

describe('with keys', () => {
  test('RS1: forged signals, updates and queries decide nothing, hold up nothing, and are in the audit record', async () => {
    await atFirstGate(async ({ run, attacker, noted, taskFailuresCount }) => {
      const plain = attacker.workflow.getHandle(run.workflowId);
      await plain.signal('gateDecision', FORGED);
      await plain.signal('abortRequested');
      await plain.signal('abortRequested', null);
      for (const keys of [OTHER_KEYS, UNKNOWN_KEYS]) {
        await clientOf(env, keys).workflow.getHandle(run.workflowId).signal('gateDecision', FORGED);
      }
      await expect(plain.executeUpdate('decideGate', { args: [FORGED] })).rejects.toThrow();
      await expect(plain.executeUpdate('pauseUpgrade', { args: [] })).rejects.toThrow();
      await expect(plain.query(upgradeStatus.name, 'x')).rejects.toThrow('Encoded failure');
      await run.until(() => refusedOnes(noted).length >= 7);
      expect(refusedOnes(noted).map((what) => what.replace(/:.*/s, ''))).toEqual([
        'gateDecision was refused',
        'abortRequested was refused',
        'abortRequested was refused',
        'gateDecision was refused',
        'gateDecision was refused',
        'decideGate was refused',
        'pauseUpgrade was refused',
      ]);
      const { gates } = await run.status();
      expect(gates.map(({ id }) => id)).toEqual([GATE]);
      expect(await taskFailuresCount()).toBe(0);
      expect((await run.finish()).outcome).toBe('completed');
    });
  }, 360_000);

  test('RS1: of each message that is refused there is a line, however often another one was sent before', async () => {
    await atFirstGate(async ({ run, attacker, noted }) => {
      const plain = attacker.workflow.getHandle(run.workflowId);
      for (let sent = 0; sent < 25; sent += 1) await plain.signal('gateDecision', FORGED);
      await plain.signal('abortRequested');
      await expect(plain.executeUpdate('decideGate', { args: [FORGED] })).rejects.toThrow();
      await run.until(() => refusedOnes(noted).some((what) => what.startsWith('decideGate')));
      const names = refusedOnes(noted).map((what) => what.replace(/ was refused.*/s, ''));
      expect(names).toEqual([...Array.from({ length: 20 }, () => 'gateDecision'), 'abortRequested', 'decideGate']);
    });
  }, 360_000);

  test('RS1: what somebody recorded is taken neither again, nor as another message, nor in another workflow', async () => {
    await atFirstGate(async ({ run, attacker, noted, taskFailuresCount }) => {
      await run.until(
        ({ gates }) => gates.some(({ id }) => id.startsWith('before:control-plane')),
        (gate) => (gate.id === GATE ? 'approve' : undefined),
      );
      const { events } = await attacker.workflow.getHandle(run.workflowId).fetchHistory();
      const told = events?.find(({ workflowExecutionSignaledEventAttributes: it }) => it?.signalName === 'childProgress');
      const input = told?.workflowExecutionSignaledEventAttributes?.input;
      const started = events?.[0]?.workflowExecutionStartedEventAttributes?.input;
      expect([input?.payloads?.length, started?.payloads?.length]).toEqual([1, 1]);
      const send = (signalName: string, payloads: typeof input, workflowId = run.workflowId) =>
        attacker.workflowService.signalWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId },
          signalName,
          input: payloads,
          requestId: randomUUID(),
        });
      await send('childProgress', input);
      await send('gateDecision', input);
      await send('childProgress', started);
      await run.until(() => refusedOnes(noted).length >= 3);
      expect(refusedOnes(noted)).toEqual([
        'childProgress was refused: it was received before.',
        'gateDecision was refused: it was sent as childProgress.',
        'childProgress was refused: it was sent as start of upgradeCluster.',
      ]);
      expect(await taskFailuresCount()).toBe(0);
      expect((await run.finish()).outcome).toBe('completed');
    });
  }, 360_000);

  test('RS1: a start that a run has made is taken with a parent, or in the chain of that run: recorded and sent again it starts nothing', async () => {
    await atFirstGate(async ({ run, attacker, noted }) => {
      const { raw, runId } = await run.handle.describe();
      const taskQueue = raw.executionConfig?.taskQueue?.name ?? '';
      // As the next run of a campaign is started: what he records of it is bound to the id of its workflow alone.
      const workflowId = `eks-campaign/${randomUUID()}`;
      const start = sealed({ campaign: 'x' }, { as: 'start of runCampaign', id: `${runId}/7`, at: Date.now(), run: runId });
      const recorded = new Client({ connection: env.connection, dataConverter: createDataConverter(KEYS) });
      await recorded.workflow.start('runCampaign', { workflowId, taskQueue, args: [start] });
      await run.until(() => refusedOnes(noted).length > 0);
      expect(refusedOnes(noted)).toEqual([`start of runCampaign as ${workflowId} was refused: it was sent in run ${runId}.`]);
      await eventually('it has failed', async () => (await attacker.workflow.getHandle(workflowId).describe()).status.name === 'FAILED');
    });
  }, 360_000);

  test('RS1: a step that no run has started does nothing, although who starts it has the keys', async () => {
    await atFirstGate(async ({ run, noted }) => {
      const { raw } = await run.handle.describe();
      const taskQueue = raw.executionConfig?.taskQueue?.name ?? '';
      const workflowId = `${run.workflowId}/control-plane@1.32`;
      const step = await clientOf(env, KEYS).workflow.start('controlPlane', { workflowId, taskQueue, args: [{ cluster: CLUSTER }] });
      await expect(step.result()).rejects.toThrow();
      await run.until(() => refusedOnes(noted).length > 0);
      expect(refusedOnes(noted)).toEqual([`start of controlPlane as ${workflowId} was refused: it is a step, and no run has started it.`]);
    });
  }, 360_000);

  test('RS1: a plain decision is taken until the day of BELAY_CODEC_ALLOW_PLAIN is over, and by no worker afterwards, although it still runs', async () => {
    let nowMs = 0;
    const codec = new EncryptionCodec(codecKeys(KEYS), { onRefusal: 'mark', plainUntilMs: 1, now: () => nowMs });
    const dataConverter = { ...createDataConverter(KEYS, 'worker'), payloadCodecs: [codec] };
    const encryption = { dataConverter, starter: new Client({ connection: env.connection }) };
    await atFirstGate(async ({ run, attacker, noted, taskFailuresCount }) => {
      const SECOND = 'before:control-plane@1.32#1';
      const plain = attacker.workflow.getHandle(run.workflowId);
      await plain.signal('gateDecision', FORGED);
      await run.until(({ gates }) => gates.some(({ id }) => id === SECOND));
      nowMs = 1;
      const forged = { ...FORGED, gateId: SECOND, decisionId: `${SECOND}:U0SAM:approve:1` };
      await plain.signal('gateDecision', forged);
      await expect(plain.executeUpdate('decideGate', { args: [forged] })).rejects.toThrow();
      await run.until(() => refusedOnes(noted).length >= 2);
      expect(refusedOnes(noted)).toEqual([
        expect.stringContaining('gateDecision was refused: a payload is not encrypted'),
        expect.stringContaining('decideGate was refused: a payload is not encrypted'),
      ]);
      expect((await run.status()).gates.map(({ id }) => id)).toEqual([SECOND]);
      expect(await taskFailuresCount()).toBe(0);
    }, encryption);
  }, 360_000);
});
