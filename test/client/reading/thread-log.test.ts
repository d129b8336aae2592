/** What a run has told, read from a real server's histories. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { readThread, type ThreadOptions, type ToldMessage } from '../../../client/reading/thread-log.ts';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import type { Notification } from '../../../domain/run/notifications.ts';
import { clientOf } from '../../support/encrypted.ts';
import { eventually } from '../../support/eventually.ts';
import { startTemporal } from '../../support/temporal.ts';
import { CLUSTER } from '../../slack/fixtures.ts';
import { defined } from '../../../domain/core/defined.ts';
import type { ThreadInput } from './thread-workflow.ts';

const QUEUE = 'thread-log';
let env: TestWorkflowEnvironment;
let bundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  env = await startTemporal();
  const workflowsPath = fileURLToPath(new URL('thread-workflow.ts', import.meta.url));
  bundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
});
afterAll(() => env.teardown());

const note = (text: string): Notification => ({ kind: 'note', level: 'info', text });
const told = (text: string): ThreadInput['messages'][number][number] => ({ key: `note/run/${text}`, notification: note(text) });

/** Slack takes none of it: what was to be told is told here all the same. */
const worker = (codec: NodeJS.ProcessEnv = {}, taskQueue = QUEUE): Promise<Worker> =>
  Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle: bundle,
    dataConverter: createDataConverter(codec, 'worker'),
    activities: { publish: () => Promise.resolve([]) },
  });

const start = (client: Client, workflowId: string, input: ThreadInput, type = 'upgradeCluster') =>
  client.workflow.start(type, { workflowId, taskQueue: QUEUE, args: [input] });

const idOf = (name: string): string => `eks-upgrade/${CLUSTER.account}/${CLUSTER.region}/${name}`;

async function textsOf(name: string, options: ThreadOptions = {}, client: Client = env.client): Promise<string[]> {
  const texts: string[] = [];
  for await (const each of readThread(client, { ...CLUSTER, name }, options)) texts.push(textOf(each));
  return texts;
}

const textOf = ({ notification }: ToldMessage): string =>
  'text' in notification && typeof notification.text === 'string' ? notification.text : notification.kind;

test('the newest run, a run by its id, and one that has ended, without a worker', async () => {
  const [first, second] = await (await worker()).runUntil(async () => {
    const one = await start(env.client, idOf('logs'), { messages: [[told('one'), told('two')], [told('three')]] });
    await one.result();
    const two = await start(env.client, idOf('logs'), { messages: [[told('later')]] });
    await two.result();
    return [one.firstExecutionRunId, two.firstExecutionRunId];
  });
  expect(await textsOf('logs')).toEqual(['later']);
  expect(await textsOf('logs', { runId: first })).toEqual(['one', 'two', 'three']);
  for await (const each of readThread(env.client, { ...CLUSTER, name: 'logs' }, { runId: second })) {
    expect(each).toEqual({ at: expect.stringMatching(/^\d{4}-.+Z$/), runId: second, key: 'note/run/later', notification: note('later') });
  }
});

test('a message that is edited back to what it was is told again, and one that stays as it is is not', async () => {
  const [asked, voted] = [note('0 of 2 approvals'), note('1 of 2 approvals')].map((notification) => ({ key: 'gate/1', notification }));
  await (await worker()).runUntil(async () => {
    const messages = [asked, voted, voted, asked].map((message) => (message === undefined ? [] : [message]));
    await (await start(env.client, idOf('edited'), { messages })).result();
  });
  expect(await textsOf('edited')).toEqual(['0 of 2 approvals', '1 of 2 approvals', '0 of 2 approvals']);
});

test('what outlives a run is told of that run alone, and nothing twice', async () => {
  const run = await (await worker()).runUntil(async () => {
    const outlived = await start(env.client, idOf('outlived'), { messages: [[told('done')]] });
    await outlived.result();
    const { firstExecutionRunId: runId } = outlived;
    const later = async (workflowId: string, input: ThreadInput): Promise<void> => {
      // To its end, as the worker ends with this function.
      await (await start(env.client, workflowId, input, 'tellLater')).result();
    };
    const window = `eks-rollback-window/${CLUSTER.account}/${CLUSTER.region}/outlived`;
    // Its last message was cut off, and is told again with another.
    await later(`${idOf('outlived')}/last-words/${runId}`, { messages: [[told('done'), told('last words')]], ofRun: runId });
    await later(window, { messages: [[told('one day left')]], ofRun: runId });
    await later(`${idOf('outlived')}/freeze-drift@1.32`, { messages: [[told('of another run')]], ofRun: 'another' });
    return runId;
  });
  const texts = await eventually('all that outlives', async () => {
    const found = await textsOf('outlived', { runId: run });
    return found.length >= 3 && found;
  });
  expect(texts[0]).toBe('done');
  expect(texts.toSorted()).toEqual(['done', 'last words', 'one day left']);
});

test('what outlives a run began with it; the clock may be that of an earlier run, and later runs hide nothing', async () => {
  const name = 'guarded';
  const run = await (await worker()).runUntil(async () => {
    const input = (text: string, ofRun?: string): ThreadInput => ({ messages: [[told(text)]], ...defined({ ofRun }), waits: true });
    const clock = await start(
      env.client,
      `eks-rollback-window/${CLUSTER.account}/${CLUSTER.region}/${name}`,
      input('of the run before', 'before'),
    );
    const upgrade = await start(env.client, idOf(name), input('begun'));
    const { firstExecutionRunId: runId } = upgrade;
    const guard = await start(env.client, `${idOf(name)}/freeze-drift@1.32`, input('it is kept', runId));
    await upgrade.signal('end');
    await upgrade.result();
    await clock.signal('say', { messages: [told('one more day')], ofRun: runId });
    // Steps of a later run, more than are looked at.
    const later = await Promise.all(
      Array.from({ length: 25 }, (_, at) => start(env.client, `${idOf(name)}/step-${at}`, input('later', 'later'))),
    );
    for (const each of [guard, clock, ...later]) await each.signal('end');
    await Promise.all([guard, clock, ...later].map((each) => each.result()));
    return runId;
  });
  const texts = await eventually('all that outlives', async () => {
    const found = await textsOf(name, { runId: run });
    return found.length >= 4 && found;
  });
  expect(texts.toSorted()).toEqual(['It is over.', 'begun', 'it is kept', 'one more day']);
});

test('a follower hears what comes, and ends with the run, or when it is told to', async () => {
  await (await worker()).runUntil(async () => {
    const run = await start(env.client, idOf('followed'), { messages: [[told('first')]], waits: true });
    const stop = new AbortController();
    const heard: string[] = [];
    for await (const each of readThread(env.client, { ...CLUSTER, name: 'followed' }, { follow: true, signal: stop.signal })) {
      heard.push(textOf(each));
      stop.abort();
    }
    const whole: string[] = [];
    for await (const each of readThread(env.client, { ...CLUSTER, name: 'followed' }, { follow: true })) {
      whole.push(textOf(each));
      if (whole.length === 1) await run.signal('end');
    }
    expect({ heard, whole }).toEqual({ heard: ['first'], whole: ['first', 'It is over.'] });
  });
});

test('messages that are encrypted are read with the keys, and without them the error says which is missing', async () => {
  const codec = { BELAY_CODEC_KEYS: `now:${randomBytes(32).toString('base64')}` };
  const client = new Client({ connection: env.connection, dataConverter: createDataConverter(codec) });
  await (await worker(codec, `${QUEUE}-sealed`)).runUntil(async () => {
    const messages = [[told('quite secret')]];
    const run = await client.workflow.start('upgradeCluster', {
      workflowId: idOf('sealed'),
      taskQueue: `${QUEUE}-sealed`,
      args: [{ messages, waits: true }],
    });
    await eventually('that it is handed to Slack', async () => (await textsOf('sealed', {}, client)).length > 0);
    await run.terminate();
  });
  expect(await textsOf('sealed', {}, client)).toEqual(['quite secret']);
  await expect(textsOf('sealed', {}, clientOf(env, {}))).rejects.toThrow(/BELAY_CODEC_KEYS/);
});

test('no run, and no such run', async () => {
  await expect(textsOf('never')).rejects.toThrow('Temporal knows no upgrade of never. Start one with "belay start never".');
  const runId = '0198c0de-0000-7000-8000-000000000001';
  await expect(textsOf('never', { runId })).rejects.toThrow(`Temporal knows no run ${runId} of never`);
});
