/** Whoever polls a network's queue without Belay's keys reads nothing there, and nothing of what they answer is believed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { DefaultLogger, Worker } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDataConverter } from '../../../../worker/crypto/codec/data-converter.ts';
import { networkQueue } from '../../../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { clientOf } from '../../../support/encrypted.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { fakeActivities } from '../../../support/fake-activities.ts';
import { plan } from '../../../support/plan.ts';
import { startTemporal, startWorker, workflowBundle } from '../../../support/temporal.ts';
import { ALEX } from '../../../support/upgrade.ts';

const KEYS = { BELAY_CODEC_KEYS: `a:${randomBytes(32).toString('base64')}` };
const LONG_MS = 180_000;

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal(new DefaultLogger('ERROR', () => undefined));
});
afterAll(() => env.teardown());

test(
  'O37: a plan that a stranger on the network’s queue has made is refused, and its question was not readable there',
  async () => {
    const network = `n-${randomUUID().slice(0, 8)}`;
    const cluster = { ...CLUSTER, name: 'secret-cluster', network };
    const taken: Payload[] = [];
    const curious: PayloadCodec = {
      encode: async (payloads) => payloads,
      decode: async (payloads) => {
        taken.push(...payloads);
        return payloads.map(() => defaultPayloadConverter.toPayload(null));
      },
    };
    let answers = 0;
    const makePlan = async (): Promise<unknown> => {
      answers += 1;
      return { kind: 'plan', plan: plan(['control-plane']) };
    };
    const stranger = await Worker.create({
      connection: env.nativeConnection,
      namespace: env.namespace ?? 'default',
      taskQueue: networkQueue(network),
      dataConverter: { payloadCodecs: [curious] },
      activities: { makePlan },
    });
    const dataConverter = createDataConverter(KEYS, 'worker');
    const taskQueue = `belay-${randomUUID()}`;
    const bundle = workflowBundle({ failureConverterPath: dataConverter.failureConverterPath });
    const worker = await startWorker(env, fakeActivities().activities, taskQueue, { dataConverter, bundle });
    const args = [{ cluster, target: '1.32', requestedBy: ALEX }];
    const asked = () => clientOf(env, KEYS).workflow.execute(WORKFLOWS.plan, { workflowId: `eks-plan/${randomUUID()}`, taskQueue, args });
    const failure = await worker.runUntil(() => stranger.runUntil(() => asked().catch((error: unknown) => error)));
    expect(answers).toBe(1);
    expect(String((failure as Error).cause)).toMatch(/reading from Temporal: /);
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.map(({ data }) => Buffer.from(data ?? new Uint8Array()).toString('latin1')).join()).not.toContain('secret-cluster');
  },
  LONG_MS,
);
