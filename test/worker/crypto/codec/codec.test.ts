/** What Temporal stores is encrypted where BELAY_CODEC_KEYS says so; keys come, change and are missed without a run being lost. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, type Payload, type SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import { DefaultLogger } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDataConverter } from '../../../../worker/crypto/codec/data-converter.ts';
import { bindingOf } from '../../../../worker/crypto/codec/binding.ts';
import { EncryptionCodec } from '../../../../worker/crypto/codec/encryption-codec.ts';
import { codecKeys } from '../../../../worker/crypto/codec/keys.ts';
import { plainAllowedUntilMs } from '../../../../worker/crypto/codec/plain-until.ts';
import { gateDecision } from '../../../../workflows/contract/messages.ts';
import { runBelay } from '../../../cli/run-belay.ts';
import { fakeActivities, withChange } from '../../../support/fake-activities.ts';
import { clientOf } from '../../../support/encrypted.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { startTemporal, startWorker, workflowBundle } from '../../../support/temporal.ts';
import { approveAll, type Decider, follow, type RunningUpgrade, SAM, startUpgrade } from '../../../support/upgrade.ts';

const A = `a:${randomBytes(32).toString('base64')}`;
const B = `b:${randomBytes(32).toString('base64')}`;
const keysOf = (BELAY_CODEC_KEYS: string) => codecKeys({ BELAY_CODEC_KEYS });
const FORM = 'Write ID:KEY[,ID:KEY…], each key 32 bytes in base64 (openssl rand -base64 32); the first one encrypts, all of them decrypt.';

/** Ids of workflows and of decisions, and search attributes: Temporal sorts by them. */
const PLAIN: ReadonlySet<string> = new Set([
  'workflowId',
  'updateId',
  'protocolInstanceId',
  'acceptedRequestMessageId',
  'searchAttributes',
]);

const payload = (text: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(text)),
});
const workflow = (workflowId: string): SerializationContext => ({ type: 'workflow', namespace: 'default', workflowId });
const activity = (workflowId: string, activityId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  workflowId,
  activityId,
  isLocal: false,
});
const HERE = workflow('eks-upgrade/1/eu-central-1/prod');
const textIn = ({ data }: Payload): string => Buffer.from(data ?? []).toString('utf8');

describe('keys', () => {
  test.each([
    ['no id', A.slice(2), 'key 1 has no id of letters, digits, ".", "_" and "-" before a colon'],
    ['an empty id', A.slice(1), 'key 1 has no id of letters, digits, ".", "_" and "-" before a colon'],
    ['an empty key', `${A},`, 'key 2 has no id of letters, digits, ".", "_" and "-" before a colon'],
    ['a short key', `${A},b:c2hvcnQ=`, 'key 2 ("b") is not 32 bytes in base64'],
    ['a key in hexadecimal', `a:${'0f'.repeat(32)}`, 'key 1 ("a") is not 32 bytes in base64'],
    ['one id twice', `${A},${B},${A}`, 'two keys have the id "a"'],
  ])('T19: with %s they are refused, and none is shown', (_what, keys, why) => {
    expect(() => keysOf(keys)).toThrow(`BELAY_CODEC_KEYS: ${why}. ${FORM}`);
  });

  test.each([['worker'], ['slack'], ['status', 'prod']])('T19: belay %s does not start with wrong ones', async (...args) => {
    const directory = mkdtempSync(join(tmpdir(), 'belay-keys-'));
    writeFileSync(
      join(directory, 'belay.yaml'),
      'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\nslack: { channel: C012AB3CD }\n',
    );
    const env = { SLACK_BOT_TOKEN: 'xoxb-1', BELAY_CODEC_KEYS: 'a:c2hvcnQ=', TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const { code, stderr } = await runBelay(args, { cwd: directory, env });
    rmSync(directory, { recursive: true });
    expect([code, stderr]).toEqual([1, `BELAY_CODEC_KEYS: key 1 ("a") is not 32 bytes in base64. ${FORM}\n`]);
  });

  test('T19: none is none', () => {
    expect(codecKeys({})).toEqual([]);
    expect(keysOf(' ')).toEqual([]);
    expect(keysOf(`${A}, ${B}`).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

describe('codec', () => {
  const [a, b, both, none] = [A, B, `${B},${A}`, ''].map((keys) => new EncryptionCodec(keysOf(keys)));
  if (a === undefined || b === undefined || both === undefined || none === undefined) throw new Error('four codecs');
  const PLAIN_WORDS =
    'reading from Temporal: a payload is not encrypted, and with BELAY_CODEC_KEYS only encrypted ones are read (to switch encryption on under runs that began without: BELAY_CODEC_ALLOW_PLAIN)';

  test('T19: what one key encrypts is read by all who have it, and says which it is, and for what', async () => {
    const [sealed] = await a.encode([payload('who approved')], HERE);
    expect(Object.entries(sealed?.metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()])).toEqual([
      ['encoding', 'binary/encrypted'],
      ['encryption-key-id', 'a'],
      ['belay-bound-to', bindingOf(HERE).toString()],
    ]);
    expect(textIn(sealed ?? {})).not.toContain('who approved');
    expect((await both.decode([sealed ?? {}], HERE)).map(textIn)).toEqual(['"who approved"']);
    // A codec server is told of no context.
    expect((await both.decode([sealed ?? {}])).map(textIn)).toEqual(['"who approved"']);
    // Twice the same is not the same to who reads along.
    expect((await a.encode([payload('who approved')], HERE))[0]?.data).not.toEqual(sealed?.data);
  });

  test('RS1: with keys a plain payload is refused; without keys it is read and written', async () => {
    await expect(both.decode([payload('forged')], HERE)).rejects.toMatchObject({ message: PLAIN_WORDS });
    expect((await none.decode([payload('x')], HERE)).map(textIn)).toEqual(['"x"']);
    expect(await none.encode([payload('x')], HERE)).toEqual([payload('x')]);
  });

  test('RS1: for a worker a mark takes the place of what is refused, and the rest is read', async () => {
    const worker = new EncryptionCodec(keysOf(A), { onRefusal: 'mark' });
    const [own] = await a.encode([payload('own')], HERE);
    const [mark, read] = await worker.decode([payload('forged'), own ?? {}], HERE);
    expect([Buffer.from(mark?.metadata?.['encoding'] ?? []).toString(), textIn(read ?? {})]).toEqual(['belay/refused', '"own"']);
    expect(PLAIN_WORDS).toContain(textIn(mark ?? {}));
  });

  test.each([
    ['another workflow', HERE, workflow('eks-upgrade/1/eu-central-1/dev')],
    ['another namespace', HERE, { ...HERE, namespace: 'other' }],
    ['another activity', activity('w', '7'), activity('w', '8')],
    ['the workflow itself', activity('w', '7'), workflow('w')],
    ['one that it names itself', undefined, HERE],
  ])('RS1: what was encrypted for one place is refused in %s', async (_what, from, to) => {
    const captured = await a.encode([payload('approve')], from);
    await expect(a.decode(captured, to)).rejects.toMatchObject({
      message: expect.stringContaining('a payload is encrypted for another workflow than '),
    });
    const renamed = captured.map(({ metadata, data }) => ({
      metadata: { ...metadata, 'belay-bound-to': bindingOf(to) },
      data,
    }));
    await expect(a.decode(renamed, to)).rejects.toMatchObject({ message: expect.stringContaining('it was changed') });
  });

  test('RS1: plain payloads are read until the end of the day that BELAY_CODEC_ALLOW_PLAIN names, and no longer', async () => {
    const noon = Date.parse('2026-03-31T12:00:00Z');
    const plainUntilMs = plainAllowedUntilMs({ BELAY_CODEC_ALLOW_PLAIN: 'until-2026-03-31' }, noon);
    let nowMs = noon;
    const codec = new EncryptionCodec(keysOf(A), { plainUntilMs, now: () => nowMs });
    expect((await codec.decode([payload('from before')], HERE)).map(textIn)).toEqual(['"from before"']);
    nowMs = Date.parse('2026-04-01T00:00:00Z');
    await expect(codec.decode([payload('from before')], HERE)).rejects.toMatchObject({ message: PLAIN_WORDS });
  });

  test.each([
    ['until-2026-03-30', '2026-03-30 is over: remove the variable, or name a later day'],
    ['2026-04-30', '"2026-04-30" is not a day'],
    ['until-2026-02-30', '2026-02-30 is not a day'],
    ['yes', '"yes" is not a day'],
  ])('RS1: BELAY_CODEC_ALLOW_PLAIN=%s is refused at the start', (BELAY_CODEC_ALLOW_PLAIN, why) => {
    expect(() => plainAllowedUntilMs({ BELAY_CODEC_ALLOW_PLAIN }, Date.parse('2026-03-31T12:00:00Z'))).toThrow(
      `BELAY_CODEC_ALLOW_PLAIN: ${why}. Write until-YYYY-MM-DD, the last day (UTC) on which plain payloads are still read.`,
    );
  });

  test('T19: a missing key is named', async () => {
    const sealed = await a.encode([payload('x')], HERE);
    const missing = (known: string): object => ({
      message: `reading from Temporal: a payload is encrypted with key "a", and BELAY_CODEC_KEYS has ${known}: add that key behind the first one`,
      nonRetryable: false,
    });
    await expect(b.decode(sealed, HERE)).rejects.toMatchObject(missing('b'));
    await expect(none.decode(sealed, HERE)).rejects.toMatchObject(missing('none'));
  });

  test.each<[string, (data: Buffer) => Buffer]>([
    ['changed', (data) => data.fill(data.readUInt8(20) ^ 1, 20, 21)],
    ['cut', (data) => data.subarray(0, 9)],
  ])('T19: one that was %s is not read', async (_what, change) => {
    const [sealed] = await a.encode([payload('a long enough text')], HERE);
    const data = change(Buffer.from(sealed?.data ?? []));
    await expect(a.decode([{ ...sealed, data }], HERE)).rejects.toMatchObject({
      message: 'reading from Temporal: a payload cannot be decrypted with key "a": it was changed, or the key is another one of that name',
    });
  });
});

describe('runs', () => {
  let env: TestWorkflowEnvironment;
  beforeAll(async () => {
    // The SDK writes whole tasks to its log where a key is missing.
    env = await startTemporal(new DefaultLogger('ERROR', () => undefined));
  });
  afterAll(() => env.teardown());

  const TOMORROW = `until-${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}`;
  const environment = (keys: string, changingOver = false): NodeJS.ProcessEnv => ({
    BELAY_CODEC_KEYS: keys,
    ...(changingOver ? { BELAY_CODEC_ALLOW_PLAIN: TOMORROW } : {}),
  });
  const clientWith = (keys: string, changingOver = false): { client: Client } => ({
    client: clientOf(env, environment(keys, changingOver)),
  });
  /** As the worker process does it. */
  const workerWith = (keys: string, taskQueue: string, activities = fakeActivities().activities, changingOver = false) => {
    const dataConverter = createDataConverter(environment(keys, changingOver), 'worker');
    const { failureConverterPath } = dataConverter;
    const bundle = workflowBundle({ failureConverterPath });
    return startWorker(env, activities, taskQueue, { dataConverter, bundle });
  };

  /** All that Temporal has of the run's workflows, as bytes. */
  async function stored({ workflowId }: RunningUpgrade): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const info of env.client.workflow.list({ query: `WorkflowId STARTS_WITH '${workflowId}'` })) {
      const history = await env.client.workflow.getHandle(info.workflowId, info.runId).fetchHistory();
      parts.push(proto.temporal.api.history.v1.History.encode(history).finish());
    }
    return Buffer.concat(parts);
  }

  /** Ciphertext has any three letters by chance; what somebody could read stands in a row of readable characters, or is short and all readable. */
  const readableIn = (bytes: Uint8Array): string =>
    (
      Buffer.from(bytes)
        .toString('utf8')
        .match(/[ -~]{12,}|^[ -~]*$/g) ?? []
    ).join('\n');

  /** What stands readable in the run's histories outside of the fields that docs/operate/encryption.md declares plain: by path, with the words found. */
  async function leaks({ workflowId }: RunningUpgrade, words: readonly string[]): Promise<string[]> {
    const found = new Set<string>();
    const visit = (value: unknown, path: string): void => {
      if (typeof value === 'string' || value instanceof Uint8Array) {
        const text = typeof value === 'string' ? value : readableIn(value);
        for (const word of words) if (text.includes(word)) found.add(`${path}: ${word}`);
      } else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) if (!PLAIN.has(key)) visit(inner, Array.isArray(value) ? path : `${path}.${key}`);
      }
    };
    for await (const info of env.client.workflow.list({ query: `WorkflowId STARTS_WITH '${workflowId}'` })) {
      const { events } = await env.client.workflow.getHandle(info.workflowId, info.runId).fetchHistory();
      for (const event of events ?? []) visit(event, String(event.eventType));
    }
    return [...found];
  }

  /** Why tasks of the run failed, as a worker with these keys has written it. */
  async function taskFailures(handle: WorkflowHandle, keys: string): Promise<string[]> {
    const { events } = await handle.fetchHistory();
    const encoded = (events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes?.failure?.encodedAttributes ?? []);
    const decoded = await new EncryptionCodec(keysOf(keys)).decode(encoded);
    return decoded.map((one) => String(JSON.parse(textIn(one)).message));
  }

  test.each([
    { title: 'without keys Temporal can be read', keys: '', readable: true },
    { title: 'with a key Temporal stores ciphertext, failures included', keys: A, readable: false },
  ])(
    'T19: $title',
    async ({ keys, readable }) => {
      const taskQueue = `belay-${randomUUID()}`;
      const fake = fakeActivities();
      let failed = false;
      const activities = withChange(fake, {
        runPreChecks: async () => {
          if (failed) return { findings: [], passedCount: 12 };
          failed = true;
          throw ApplicationFailure.retryable('a refusal to keep quiet about', 'Unavailable');
        },
        verifyControlPlane: async () => {
          throw ApplicationFailure.nonRetryable('a failure to keep quiet about', 'AccessDenied');
        },
      });
      const worker = await workerWith(keys, taskQueue, activities);
      const run = await startUpgrade(clientWith(keys), taskQueue);
      const skip: Decider = (gate) => (gate.id.startsWith('failed:') ? 'skip' : approveAll(gate, 0));
      const report = await worker.runUntil(run.finish(skip));
      expect(report.outcome).toBe('completed');
      const bytes = await stored(run);
      for (const words of ['12 checks passed', 'because of the test', 'a failure to keep quiet about'])
        expect([words, bytes.includes(words)]).toEqual([words, readable]);
      expect(bytes.includes('binary/encrypted')).toBe(!readable);
      const cluster = [CLUSTER.name, CLUSTER.account, CLUSTER.region];
      const secret = [...cluster, 'U0SAM', 'U0ALEX', 'Sam', 'Alex', 'to keep quiet about', 'because of the test'];
      const leaked = await leaks(run, secret);
      if (!readable) expect(leaked).toEqual([]);
      // The look finds them all where nothing is encrypted.
      else expect(secret.filter((word) => !leaked.some((leak) => leak.endsWith(`: ${word}`)))).toEqual([]);
    },
    180_000,
  );

  const until = (gate: string): Parameters<RunningUpgrade['until']> => [
    ({ gates }) => gates.some(({ id }) => id.startsWith(gate)),
    (open) => (open.id.startsWith(gate) ? undefined : approveAll(open, 0)),
  ];

  test('T19: keys come and change while a run goes on', async () => {
    const taskQueue = `belay-${randomUUID()}`;
    const { activities } = fakeActivities();
    const { workflowId } = await startUpgrade(clientWith(''), taskQueue);
    const goOn = async (keys: string, go: (run: RunningUpgrade) => Promise<unknown>) =>
      (await workerWith(keys, taskQueue, activities, keys !== '')).runUntil(go(follow(clientWith(keys, keys !== ''), workflowId)));
    await goOn('', (run) => run.until(...until('before:control-plane')));
    await goOn(A, (run) => run.until(...until('before:node-groups')));
    await goOn(`${B},${A}`, async (run) => expect((await run.finish()).outcome).toBe('completed'));
  }, 360_000);

  test('T19: a worker without the key fails its tasks and says which, and the run continues where the key is', async () => {
    const taskQueue = `belay-${randomUUID()}`;
    const gateId = 'before:pre-checks@1.32#1';
    const run = await startUpgrade(clientWith(A), taskQueue);
    await (await workerWith(A, taskQueue)).runUntil(run.until(...until(gateId)));

    const without = await workerWith(B, taskQueue);
    await without.runUntil(async () => {
      await run.handle.signal(gateDecision, { gateId, decisionId: `${gateId}:U0SAM:approve:1`, actor: SAM, choice: 'approve' });
      const why =
        'reading from Temporal: a payload is encrypted with key "a", and BELAY_CODEC_KEYS has b: add that key behind the first one';
      while ((await taskFailures(run.handle, B)).length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      // The task is tried again and again.
      expect(new Set(await taskFailures(run.handle, B))).toEqual(new Set([why]));
    });
    expect((await run.handle.describe()).status.name).toBe('RUNNING');

    const keys = `${B},${A}`;
    const report = await (await workerWith(keys, taskQueue)).runUntil(follow(clientWith(keys), run.workflowId).finish());
    expect(report.outcome).toBe('completed');
  }, 360_000);
});
