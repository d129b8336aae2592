/**
 * Somebody who reaches Temporal's gRPC port and has no keys, against Belay's real worker and Slack process, the twin and a real Temporal server. Nothing
 * is decided, changed or assumed; runs go on and end right; what was refused is in the audit record.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { twoRoles } from '../../rehearsal/scenarios/two-roles.ts';
import { createDataConverter } from '../../worker/codec/data-converter.ts';
import { sealingInterceptors } from '../../worker/codec/seal-messages.ts';
import { EFFECTS } from '../../workflows/effects.ts';
import { RUN_HEADER, TASK_QUEUE } from '../../workflows/ids.ts';
import { upgradeStatus } from '../../workflows/messages.ts';
import { quietRuntime } from '../support/temporal.ts';
import type { Play } from '../end-to-end/support/play.ts';
import { Theatre } from '../end-to-end/support/theatre.ts';
import { eventually } from '../end-to-end/support/waiting.ts';
import { Attacker, type Captured, isEncrypted, plain } from './support/attacker.ts';
import { QUERIES, SIGNALS, UPDATES, WORKFLOW_TYPES } from './support/targets.ts';

const EVIL_QUEUE = 'evil';
const keys = (id: string): Record<string, string> => ({ BELAY_CODEC_KEYS: `${id}:${randomBytes(32).toString('base64')}` });
const KEYS = keys('belay');
/** Under a name that Belay knows, and under one that it does not. */
const FOREIGN = [keys('belay'), keys('evil')];
const SPEED = 1200;
const GATE = 'before:pre-checks@1.32#1';
const BEFORE_ROLL = 'before:karpenter-drift@1.32#1';
/** What makes nodes roll, or keeps them from it. */
const STEERING = ['settleFreeze', 'setDriftPace', 'freezeTakenOver', 'requestersChanged', 'paceChosen', 'rollHeld', 'freezeChanged'];
/** Of these the guard of the freeze has handlers: what it refused is in the record. */
const OF_THE_GUARD = ['settleFreeze', 'setDriftPace', 'freezeTakenOver', 'requestersChanged'];
/** All that take their time. */
const STEPS = ['freeze-drift', 'control-plane', 'bake', 'karpenter-drift', 'add-ons-target'];

/** He cannot read what Belay answers, and goes on. */
const BLIND: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map((payload) => (isEncrypted(payload) ? plain({}) : payload)),
};

let theatre: Theatre;
let attacker: Attacker;
let inside: Client;
let evil: Worker;
let evilRun: Promise<void>;

beforeAll(async () => {
  theatre = await Theatre.open({ 'small-1': { scenario: twoRoles } }, { speed: SPEED, env: KEYS });
  quietRuntime(new DefaultLogger('ERROR', () => undefined));
  attacker = new Attacker(theatre.client);
  inside = new Client({
    connection: theatre.client.connection,
    dataConverter: createDataConverter(KEYS),
    interceptors: { workflow: sealingInterceptors(KEYS) },
  });
  const workflowsPath = fileURLToPath(new URL('./support/evil-workflows.ts', import.meta.url));
  const logger = new DefaultLogger('ERROR', () => undefined);
  evil = await Worker.create({
    connection: await NativeConnection.connect({ address: theatre.temporalAddress }),
    taskQueue: EVIL_QUEUE,
    dataConverter: { payloadCodecs: [BLIND] },
    workflowBundle: await bundleWorkflowCode({ workflowsPath, workflowInterceptorModules: [workflowsPath], logger }),
  });
  evilRun = evil.run();
}, 120_000);
afterAll(async () => {
  evil.shutdown();
  await evilRun;
  await theatre.close();
});

const status = (play: Play) => inside.workflow.getHandle(play.workflowId).query(upgradeStatus);
type Budgets = Record<string, { nodes?: string }[]>;
/** Of each NodePool, by its name. */
const budgets = (play: Play): Budgets =>
  Object.fromEntries(
    play.world.store.list('nodepools').map(({ metadata, spec }) => [metadata.name, structuredClone(spec?.disruption?.budgets ?? [])]),
  );
/** Drift may replace no node of any of them. */
const frozen = (of: Budgets): unknown =>
  Object.fromEntries(Object.keys(of).map((name) => [name, expect.arrayContaining([expect.objectContaining({ nodes: '0' })])]));
/** What was changed, and as whom: requests to STS for the role that changes. */
const done = (play: Play): { changes: number; writers: string[] } => ({
  changes: play.world.journal.mutations.length,
  writers: play.world.eks.assumed.filter(({ role }) => role === twoRoles.settings?.writeRole).map(({ session }) => session),
});

/** What the audit record says was refused: of runs and at the door. */
function refusals(): string {
  const directory = join(theatre.recordsDirectory, 'audit');
  const lines = readdirSync(directory).flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'));
  return lines.filter((line) => line.includes('"refused"')).join('\n');
}

/** The same words, as somebody without keys can write them. */
async function forged(value: unknown): Promise<[string, Payload[]][]> {
  const encrypted = await Promise.all(
    FOREIGN.map(async (env, index): Promise<[string, Payload[]]> => {
      const [codec] = createDataConverter(env).payloadCodecs ?? [];
      return [`encrypted by key ${index}`, (await codec?.encode([plain(value)])) ?? []];
    }),
  );
  return [['nothing', []], ['null', [plain(null)]], ['plain', [plain(value)]], ...encrypted];
}

/** Answers every gate for both: a decision, a command, the end of a freeze. */
const words = (play: Play) => {
  const actor = { kind: 'slack', id: 'U0SAM', name: 'Sam' };
  const decision = { gateId: GATE, decisionId: `${GATE}:U0SAM:approve:1`, choice: 'approve', planHash: 'x', byMs: 3_600_000, pace: '100%' };
  return {
    ...decision,
    actor,
    to: actor,
    by: play.workflowId,
    reason: 'forged',
    lift: true,
    nodes: '100%',
    settled: true,
    step: 'pre-checks@1.32',
  };
};

async function everyMessage(workflowId: string, payloads: Payload[]): Promise<string[]> {
  const believed: string[] = [];
  await Promise.all(SIGNALS.map((name) => attacker.signal(workflowId, name, payloads)));
  const note = (name: string) => (isBelieved: boolean) => (isBelieved ? void believed.push(name) : undefined);
  await Promise.all([
    ...UPDATES.map((name) => attacker.update(workflowId, name, payloads).then(note(name))),
    ...QUERIES.map((name) => attacker.query(workflowId, name, payloads).then(note(name))),
  ]);
  return believed;
}

/** Plain, under other keys, and again whatever its history has, as what steers a freeze. */
async function besiege(step: string, messages: [string, Payload[]][]): Promise<string[]> {
  const believed: string[] = [];
  // The first twenty are noted.
  for (const name of STEERING) await attacker.signal(step, name, messages[0]?.[1] ?? []);
  for (const [, payloads] of messages) believed.push(...(await everyMessage(step, payloads)));
  for (const { payload } of await attacker.capture(step)) await Promise.all(STEERING.map((name) => attacker.signal(step, name, [payload])));
  return believed;
}

describe('a run at its first gate', () => {
  let play: Play;
  let isOpen = false;
  let captured: Captured[] = [];
  let budgetsBefore: Budgets = {};
  const budgetsAtGates: Record<string, Budgets> = {};

  beforeAll(async () => {
    play = await theatre.play('small-1', {
      decide: (gate) => {
        budgetsAtGates[gate] = budgets(play);
        return gate === GATE && !isOpen ? 'ignore' : undefined;
      },
    });
    budgetsBefore = budgets(play);
    await play.start();
    await play.gate(GATE);
  }, 120_000);
  afterAll(() => play.end());

  test('RS1: the suite knows every message and every workflow type', () => {
    expect([SIGNALS, UPDATES, QUERIES].map((names) => names.length)).not.toContain(0);
    expect(SIGNALS).toEqual(expect.arrayContaining(['gateDecision', 'settleFreeze', 'childProgress', 'requestersChanged']));
    expect(UPDATES).toEqual(expect.arrayContaining(['decideGate', 'abortUpgrade']));
    expect(WORKFLOW_TYPES).toEqual(expect.arrayContaining(['upgradeCluster', 'controlPlane', 'freezeDrift', 'tellLater']));
  });

  test('RS1: no message that anybody without keys can write is believed, whatever it is', async () => {
    const before = done(play);
    for (const [how, payloads] of await forged(words(play)))
      expect([how, await everyMessage(play.workflowId, payloads)]).toEqual([how, []]);
    const { gates, pauseRequested, requestedBy } = await status(play);
    expect([gates.map(({ id }) => id), pauseRequested, requestedBy.id]).toEqual([[GATE], false, 'U0ALEX']);
    expect(done(play)).toEqual(before);
    expect(await attacker.taskFailures(play.workflowId)).toBe(0);
    await eventually('the audit record has it', async () => refusals().includes('decideGate was refused') || undefined);
  });

  test('RS1: what was recorded is believed neither again, nor as another message', async () => {
    captured = await attacker.capture(play.workflowId);
    expect(captured.length).toBeGreaterThan(5);
    for (const { from, payload } of captured) {
      const name = SIGNALS[captured.findIndex((each) => each.payload === payload) % SIGNALS.length] ?? 'gateDecision';
      for (const as of new Set([name, 'gateDecision', 'childProgress'])) await attacker.signal(play.workflowId, as, [payload]);
      expect([from, await attacker.update(play.workflowId, 'decideGate', [payload])]).toEqual([from, false]);
    }
    expect((await status(play)).gates.map(({ id }) => id)).toEqual([GATE]);
    expect(await attacker.taskFailures(play.workflowId)).toBe(0);
  });

  test('RS1: every step and the guard of the freeze are sent everything, budgets stay, and the run ends right', async () => {
    expect(done(play).writers).toEqual([]);
    const forgedOnes = (await forged(words(play))).filter(([how]) => how !== 'nothing' && how !== 'null');
    isOpen = true;
    const attacked = new Map<string, Promise<string[]>>();
    const [guard, roll] = [`${play.workflowId}/freeze-drift@1.32`, `${play.workflowId}/karpenter-drift@1.32`];
    // Then its history has a pace that can be sent again.
    const resteered = (id: string) =>
      eventually('the guard was asked for a pace', async () =>
        (await attacker.history(id)).some(
          ({ workflowExecutionSignaledEventAttributes: it }) => it?.signalName === 'setDriftPace' && it.externalWorkflowExecution != null,
        ),
      );
    while ((await attacker.statusOf(play.workflowId)) === 'RUNNING') {
      for (const step of await attacker.steps(play.workflowId)) if (!attacked.has(step)) attacked.set(step, besiege(step, forgedOnes));
      if (attacked.has(roll) && !attacked.has('again'))
        attacked.set(
          'again',
          resteered(guard).then(() => besiege(guard, forgedOnes)),
        );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await Promise.all(attacked.values())).flat()).toEqual([]);
    expect([...attacked.keys()]).toEqual(expect.arrayContaining(STEPS.map((step) => `${play.workflowId}/${step}@1.32`)));
    expect(await play.closed()).toBe('COMPLETED');
    expect([play.controlPlaneUpdates().length, play.world.eks.cluster.version]).toEqual([1, '1.32']);
    expect(play.record().outcome).toBe('completed');
    expect(budgetsAtGates).toMatchObject({ [BEFORE_ROLL]: frozen(budgets(play)) });
    for (const [pool, before] of Object.entries(budgetsBefore)) expect(budgets(play)[pool]).toEqual(expect.arrayContaining(before));
    for (const message of OF_THE_GUARD) expect([message, refusals().includes(`${message} was refused`)]).toEqual([message, true]);
  });

  test('RS1: recorded starts of its steps start nothing, with no parent and with one of its own id', async () => {
    const before = done(play);
    const steps = (await attacker.history(play.workflowId)).flatMap(
      (event) => event.startChildWorkflowExecutionInitiatedEventAttributes ?? [],
    );
    expect(steps.map(({ workflowType }) => workflowType?.name)).toEqual(expect.arrayContaining(['controlPlane', 'freezeDrift']));
    for (const { workflowType, workflowId, input, header } of steps) {
      const [type, id, [payload]] = [workflowType?.name ?? '', workflowId ?? '', input?.payloads ?? []];
      if (payload == null || type === 'rollbackWindow') continue;
      const fields = header?.fields ?? {};
      const runId = await attacker.start(type, id, [payload], { taskQueue: TASK_QUEUE, fields });
      expect([type, await attacker.ending(id, runId)]).toEqual([type, 'FAILED']);
      const parent = await attacker.start('startStep', play.workflowId, [plain({ type, workflowId: id, input: hex(payload) })], {
        taskQueue: EVIL_QUEUE,
        fields,
      });
      expect([type, await attacker.ending(play.workflowId, parent)]).toEqual([type, 'COMPLETED']);
      expect([type, await resultOf(play.workflowId, parent)]).toEqual([type, 'refused']);
    }
    expect(done(play)).toEqual(before);
    expect(refusals()).toContain('no run has started it');
    expect(refusals()).toContain(`start of controlPlane as ${play.workflowId}/control-plane@1.32 was refused`);
  });

  test('RS1: an activity of somebody’s own workflow changes nothing, with recorded input and a recorded grant', async () => {
    const before = done(play);
    const step = `${play.workflowId}/control-plane@1.32`;
    const scheduled = (await attacker.history(step, await firstRun(step))).flatMap(
      (event) => event.activityTaskScheduledEventAttributes ?? [],
    );
    const changing = scheduled.filter(({ activityType }) => Object(EFFECTS)[activityType?.name ?? ''] !== 'reads');
    expect(changing.map(({ activityType }) => activityType?.name)).toContain('startControlPlaneUpdate');
    for (const { activityType, activityId, input, header } of changing) {
      const [payload] = input?.payloads ?? [];
      const { [RUN_HEADER]: _run, ...grantAlone } = header?.fields ?? {};
      // Without the run's header the session would be another one, which no role was assumed for yet.
      for (const [fields, why] of [
        [header?.fields ?? {}, 'which has not started it'],
        [grantAlone, 'which has not started it'],
        [{}, 'it carries no grant'],
      ] as const) {
        const of = { type: activityType?.name ?? '', activityId: activityId ?? '', input: hex(payload ?? {}) };
        const runId = await attacker.start('runActivity', step, [plain(of)], { taskQueue: EVIL_QUEUE, fields });
        expect([of.type, await attacker.ending(step, runId), await resultOf(step, runId)]).toEqual([of.type, 'COMPLETED', 'refused']);
        expect(await whyFailed(step, runId)).toContain(`${of.type} was refused in ${step}: `);
        expect(await whyFailed(step, runId)).toContain(why);
      }
    }
    expect(done(play)).toEqual(before);
  });

  test('RS1: a run that is reset to before its changes makes none of them again by what was decided before', async () => {
    const before = done(play);
    const run = await firstRun(play.workflowId);
    const [first] = (await attacker.history(play.workflowId, run)).filter((event) => event.workflowTaskCompletedEventAttributes != null);
    if (first === undefined) throw new Error('a run has tasks');
    const again = await attacker.reset(play.workflowId, run, first);
    expect(['COMPLETED', 'FAILED']).toContain(await attacker.ending(play.workflowId, again));
    expect(done(play)).toEqual(before);
  });
});

describe('starts', () => {
  test('RS1: no workflow type starts by a payload that anybody without keys can write', async () => {
    const payloads = await forged({ cluster: { name: 'small-1', account: '1', region: 'eu-central-1' } });
    for (const type of WORKFLOW_TYPES)
      await Promise.all(
        payloads.map(async ([how, input]) => {
          const id = `eks-upgrade/1/eu-central-1/forged/${type}/${how}`;
          const runId = await attacker.start(type, id, input, { taskQueue: TASK_QUEUE });
          // It reads nothing that comes with a start, and ends when nothing more has come.
          const expected = type === 'recordRefusals' && how === 'nothing' ? 'COMPLETED' : 'FAILED';
          expect([type, how, await attacker.ending(id, runId)]).toEqual([type, how, expected]);
        }),
      );
    expect(refusals()).toContain('start of upgradeCluster as eks-upgrade/1/eu-central-1/forged/upgradeCluster/plain was refused');
  });
});

async function firstRun(workflowId: string): Promise<string> {
  const runs: { runId: string; startTime: Date }[] = [];
  for await (const { runId, startTime } of theatre.client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
    runs.push({ runId, startTime });
  return runs.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())[0]?.runId ?? '';
}

/** What the worker said of an activity, as whoever has the keys reads it. */
async function whyFailed(workflowId: string, runId: string): Promise<string> {
  const failures = (await attacker.history(workflowId, runId)).flatMap((event) => event.activityTaskFailedEventAttributes?.failure ?? []);
  const [codec] = createDataConverter(KEYS).payloadCodecs ?? [];
  const read = await codec?.decode(failures.flatMap(({ encodedAttributes }) => encodedAttributes ?? []));
  return (read ?? []).map(({ data }) => Buffer.from(data ?? []).toString()).join('\n');
}

async function resultOf(workflowId: string, runId: string): Promise<unknown> {
  return await theatre.client.workflow.getHandle(workflowId, runId).result();
}

/** Bytes as a JSON payload can carry them. */
function hex({ metadata, data }: Payload): unknown {
  const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('hex');
  return { metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])), data: text(data) };
}
