/** What somebody without keys can send: the right words as plain text or under keys of his own, and whatever was recorded. */
import type { Payload } from '@temporalio/common';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import { type Attacker, plain } from './attacker.ts';
import { keys } from './stage.ts';
import { QUERIES, SIGNALS, UPDATES } from './targets.ts';

/** Under a name that Belay knows, and under one that it does not. */
const FOREIGN = [keys('belay'), keys('evil')];

/** What makes nodes roll, or keeps them from it. */
const STEERING = ['settleFreeze', 'setDriftPace', 'freezeTakenOver', 'requestersChanged', 'paceChosen', 'rollHeld', 'freezeChanged'];

/** The same words in every way in which he can write them. */
export async function forged(value: unknown): Promise<[string, Payload[]][]> {
  const encrypted = await Promise.all(
    FOREIGN.map(async (env, index): Promise<[string, Payload[]]> => {
      const [codec] = createDataConverter(env).payloadCodecs ?? [];
      return [`encrypted by key ${index}`, (await codec?.encode([plain(value)])) ?? []];
    }),
  );
  return [['nothing', []], ['null', [plain(null)]], ['plain', [plain(value)]], ...encrypted];
}

/** Answers the gate and every step alike: a decision, a command, the end of a freeze. */
export function wordsFor(gateId: string, workflowId: string): object {
  const actor = { kind: 'slack', id: 'U0SAM', name: 'Sam' };
  const decision = { gateId, decisionId: `${gateId}:U0SAM:approve:1`, choice: 'approve', planHash: 'x', byMs: 3_600_000, pace: '100%' };
  const more = { actor, to: actor, by: workflowId, reason: 'forged', lift: true, nodes: '100%', settled: true, step: 'pre-checks@1.32' };
  return { ...decision, ...more };
}

/** Gives the names of those that were believed. */
export async function everyMessage(attacker: Attacker, workflowId: string, payloads: Payload[]): Promise<string[]> {
  const believed: string[] = [];
  await Promise.all(SIGNALS.map((name) => attacker.signal(workflowId, name, payloads)));
  const note = (name: string) => (isBelieved: boolean) => (isBelieved ? void believed.push(name) : undefined);
  await Promise.all([
    ...UPDATES.map((name) => attacker.update(workflowId, name, payloads).then(note(name))),
    ...QUERIES.map((name) => attacker.query(workflowId, name, payloads).then(note(name))),
  ]);
  return believed;
}

/**
 * A step, by all of these messages, and by whatever its history has, sent again: to who holds or rolls nodes as all that steers them, to others as one
 * signal after the other. Gives what was believed.
 */
export async function besiege(attacker: Attacker, step: string, messages: [string, Payload[]][]): Promise<string[]> {
  const believed: string[] = [];
  for (const [, payloads] of messages) believed.push(...(await everyMessage(attacker, step, payloads)));
  for (const [index, { payload }] of (await attacker.capture(step)).entries()) {
    const names = /freeze-drift@|karpenter-drift@/.test(step) ? STEERING : [SIGNALS[index % SIGNALS.length] ?? 'gateDecision'];
    await Promise.all(names.map((name) => attacker.signal(step, name, [payload])));
  }
  return believed;
}
