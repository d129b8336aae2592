/**
 * Somebody who reaches Temporal's gRPC port and has no keys sends messages to a run and to its steps. Nothing is decided, changed or assumed; the run goes
 * on and ends right; what was refused is in the audit record.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { twoRoles } from '../../rehearsal/scenarios/two-roles.ts';
import { upgradeStatus } from '../../workflows/contract/messages.ts';
import type { Play } from '../end-to-end/support/play.ts';
import { eventually } from '../support/eventually.ts';
import { besiege, everyMessage, forged, wordsFor } from './support/forging.ts';
import { done, Stage } from './support/stage.ts';
import { SIGNALS, UPDATES, QUERIES, WORKFLOW_TYPES } from './support/targets.ts';

const GATE = 'before:pre-checks@1.32#1';
const BEFORE_ROLL = 'before:karpenter-drift@1.32#1';
/** All that take their time. */
const STEPS = ['freeze-drift', 'control-plane', 'bake', 'karpenter-drift', 'add-ons-target'];
/** What makes nodes roll, or keeps them from it, and where that has handlers: what they were not given is in the record. */
const STEERED = {
  'freeze-drift@1.32': ['settleFreeze', 'setDriftPace', 'freezeTakenOver', 'requestersChanged'],
  'karpenter-drift@1.32': ['paceChosen', 'rollHeld', 'freezeChanged', 'requestersChanged'],
};

type Budgets = Record<string, { nodes?: string }[]>;

let stage: Stage;
let play: Play;
let isOpen = false;
let budgetsBefore: Budgets = {};
const budgetsAtGates: Record<string, Budgets> = {};

beforeAll(async () => {
  stage = await Stage.open({ 'small-1': { scenario: twoRoles } });
  play = await stage.theatre.play('small-1', {
    decide: (gate) => {
      // The message may be there a moment longer than its gate.
      budgetsAtGates[gate] ??= budgets();
      return gate === GATE && !isOpen ? 'ignore' : undefined;
    },
  });
  budgetsBefore = budgets();
  await play.start();
  await play.gate(GATE);
}, 360_000);
afterAll(async () => {
  await play.end();
  await stage.close();
});

/** Of each NodePool, by its name. */
const budgets = (): Budgets =>
  Object.fromEntries(
    play.world.store.list('nodepools').map(({ metadata, spec }) => [metadata.name, structuredClone(spec?.disruption?.budgets ?? [])]),
  );
/** Drift may replace no node of any of them. */
const frozen = (of: Budgets): unknown =>
  Object.fromEntries(Object.keys(of).map((name) => [name, expect.arrayContaining([expect.objectContaining({ nodes: '0' })])]));
const status = () => stage.inside.workflow.getHandle(play.workflowId).query(upgradeStatus);
const forgedOnes = () => forged(wordsFor(GATE, play.workflowId));

test('RS1: the suite knows every message and every workflow type', () => {
  expect([SIGNALS, UPDATES, QUERIES].map((names) => names.length)).not.toContain(0);
  expect(SIGNALS).toEqual(expect.arrayContaining(['gateDecision', 'settleFreeze', 'childProgress', 'requestersChanged']));
  expect(UPDATES).toEqual(expect.arrayContaining(['decideGate', 'abortUpgrade']));
  expect(WORKFLOW_TYPES).toEqual(expect.arrayContaining(['upgradeCluster', 'controlPlane', 'freezeDrift', 'tellLater']));
});

test('RS1: no message that anybody without keys can write is believed, whatever it is', async () => {
  const before = done(play);
  for (const [how, payloads] of await forgedOnes())
    expect([how, await everyMessage(stage.attacker, play.workflowId, payloads)]).toEqual([how, []]);
  const { gates, pauseRequested, requestedBy } = await status();
  expect([gates.map(({ id }) => id), pauseRequested, requestedBy.id]).toEqual([[GATE], false, 'U0ALEX']);
  expect(done(play)).toEqual(before);
  expect(await stage.attacker.taskFailures(play.workflowId)).toBe(0);
  await eventually('the audit record has it', async () => stage.refusals().includes('decideGate was refused') || undefined);
});

test('RS1: what was recorded is believed neither again, nor as another message', async () => {
  const { attacker } = stage;
  const captured = await attacker.capture(play.workflowId);
  expect(captured.length).toBeGreaterThan(5);
  for (const [index, { from, payload }] of captured.entries()) {
    const name = SIGNALS[index % SIGNALS.length] ?? 'gateDecision';
    await Promise.all([...new Set([name, 'gateDecision', 'childProgress'])].map((as) => attacker.signal(play.workflowId, as, [payload])));
    expect([from, await attacker.update(play.workflowId, 'decideGate', [payload])]).toEqual([from, false]);
  }
  expect((await status()).gates.map(({ id }) => id)).toEqual([GATE]);
  expect(await attacker.taskFailures(play.workflowId)).toBe(0);
});

test('RS1: every step and the guard of the freeze are sent everything, budgets stay, and the run ends right', async () => {
  const { attacker } = stage;
  expect(done(play).writers).toEqual([]);
  const written = (await forgedOnes()).filter(([how]) => how !== 'nothing' && how !== 'null');
  isOpen = true;
  const attacked = new Map<string, Promise<string[]>>();
  const [guard, roll] = [`${play.workflowId}/freeze-drift@1.32`, `${play.workflowId}/karpenter-drift@1.32`];
  // Then its history has a pace that can be sent again.
  const resteered = () =>
    eventually('the guard was asked for a pace', async () =>
      (await attacker.history(guard)).some(
        ({ workflowExecutionSignaledEventAttributes: it }) => it?.signalName === 'setDriftPace' && it.externalWorkflowExecution != null,
      ),
    );
  while ((await attacker.statusOf(play.workflowId)) === 'RUNNING') {
    for (const step of await attacker.steps(play.workflowId)) if (!attacked.has(step)) attacked.set(step, besiege(attacker, step, written));
    if (attacked.has(roll) && !attacked.has('again'))
      attacked.set(
        'again',
        resteered().then(() => besiege(attacker, guard, written)),
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await Promise.all(attacked.values())).flat()).toEqual([]);
  expect([...attacked.keys()]).toEqual(expect.arrayContaining(STEPS.map((step) => `${play.workflowId}/${step}@1.32`)));
  expect(await play.closed()).toBe('COMPLETED');
  expect([play.controlPlaneUpdates().length, play.world.eks.cluster.version]).toEqual([1, '1.32']);
  expect([play.record().outcome, play.record().leftBehind]).toEqual(['completed', []]);
  expect(budgetsAtGates).toMatchObject({ [BEFORE_ROLL]: frozen(budgetsBefore) });
  expect(budgets()).toEqual(budgetsBefore);
  for (const [step, messages] of Object.entries(STEERED))
    for (const message of messages)
      expect([step, message, stage.refusals(step).includes(`${message} was refused`)]).toEqual([step, message, true]);
  // Thousands of messages, which a busy machine needs minutes for.
}, 1_200_000);
