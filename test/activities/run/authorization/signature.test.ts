/** Signatures of the Slack process: every field of every message is covered, keys are replaced by listing both, and nothing else is believed. */
import { describe, expect, test } from 'vitest';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import { whyNotSigned } from '../../../../activities/run/authorization/signature.ts';
import { type Claim, controlText, decisionText, reconcileText, startText } from '../../../../domain/gates/identity-proof.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { testSigner } from '../../../support/signing.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';

const ID = 'eks-upgrade/111122223333/eu-central-1/prod';
const BOSS: Actor = { kind: 'slack', id: 'U0BOSS', name: 'Boss' };
const EVE: Actor = { kind: 'slack', id: 'U0EVE', name: 'Boss' };
const signer = testSigner();

const decision = {
  gateId: 'before:control-plane@1.33#1',
  decisionId: 'before:control-plane@1.33#1:U0BOSS:approve:3',
  actor: BOSS,
  choice: 'approve',
  reason: 'tested',
  planHash: 'abc',
  run: 'run-1',
  at: '2026-11-23T14:00:00.000Z',
};
const command = { actor: BOSS, reason: 'tested', run: 'run-1', at: decision.at, id: 'id-1' };
const start = { cluster: CLUSTER, target: '1.34', strategy: 'every-hop', requestedBy: BOSS, at: decision.at, id: 'id-1' };
const reconcile = { cluster: CLUSTER, apply: true, roll: false, reason: 'tested', requestedBy: BOSS, at: decision.at, id: 'id-1' };

const decided = (change: Partial<Parameters<typeof decisionText>[1]>, id = ID) => decisionText(id, { ...decision, ...change });
const told = (
  change: Partial<typeof command>,
  kind: Parameters<typeof controlText>[0] = 'pace',
  about: object = { what: { pace: '10%' } },
) => controlText(kind, ID, { ...command, ...change }, about);
const began = (change: Partial<Parameters<typeof startText>[1]>, id = ID) => startText(id, { ...start, ...change });
const put = (change: Partial<typeof reconcile>) => reconcileText(ID, { ...reconcile, ...change });

/** What was signed, and what it was altered to. */
const ALTERED: [string, string, string][] = [
  ['decision: gate', decided({}), decided({ gateId: 'before:control-plane@1.34#1' })],
  ['decision: id', decided({}), decided({ decisionId: `${decision.gateId}:U0BOSS+1:approve:3` })],
  ['decision: revision', decided({}), decided({ decisionId: `${decision.gateId}:U0BOSS:approve:4` })],
  ['decision: who', decided({ actor: EVE }), decided({})],
  ['decision: kind of actor', decided({}), decided({ actor: { ...BOSS, kind: 'cli' } })],
  ['decision: name', decided({}), decided({ actor: { ...BOSS, name: 'Eve' } })],
  ['decision: choice', decided({}), decided({ choice: 'abort' })],
  ['decision: reason', decided({}), decided({ reason: 'other' })],
  ['decision: reason left out', decided({}), decided({ reason: undefined })],
  ['decision: plan', decided({}), decided({ planHash: 'abd' })],
  ['decision: plan left out', decided({}), decided({ planHash: undefined })],
  ['decision: run', decided({}), decided({ run: 'run-2' })],
  ['decision: run left out', decided({}), decided({ run: undefined })],
  ['decision: time', decided({}), decided({ at: '2026-11-23T14:00:00.001Z' })],
  ['decision: workflow', decided({}), decided({}, `${ID}/karpenter-drift@1.33`)],
  ['decision: despite the rules', decided({}), decided({ breakGlass: true })],
  ['decision: bundle', decided({ bundle: 'b-1' }), decided({ bundle: 'b-2' })],
  ['decision: bundle added', decided({}), decided({ bundle: 'b-1' })],
  ['command: kind', told({}, 'pause', {}), told({}, 'abort', {})],
  ['command: who', told({ actor: EVE }), told({})],
  ['command: pace', told({}), told({}, 'pace', { what: { pace: 'original' } })],
  ['command: by how much', told({}, 'extend', { gate: 'g', what: { byMs: 1 } }), told({}, 'extend', { gate: 'g', what: { byMs: 2 } })],
  ['command: gate', told({}, 'extend', { gate: 'g', what: { byMs: 1 } }), told({}, 'extend', { gate: 'h', what: { byMs: 1 } })],
  ['command: to whom', told({}, 'handover', { what: { to: 'U0RIN' } }), told({}, 'handover', { what: { to: 'U0EVE' } })],
  ['command: run', told({}), told({ run: 'run-2' })],
  ['command: id', told({}), told({ id: 'id-2' })],
  ['command: time', told({}), told({ at: '2026-11-24T14:00:00.000Z' })],
  ['command: reason', told({}), told({ reason: 'other' })],
  ['start: target', began({}), began({ target: '1.35' })],
  ['start: strategy', began({}), began({ strategy: 'once-at-the-end' })],
  ['start: back', began({}), began({ back: true })],
  ['start: undo', began({ back: true }), began({ back: true, undo: 'add-ons' })],
  ['start: who', began({ requestedBy: EVE }), began({})],
  ['start: cluster', began({}), began({ cluster: { ...CLUSTER, name: 'other' } })],
  ['start: account', began({}), began({ cluster: { ...CLUSTER, account: '999900001111' } })],
  ['start: workflow', began({}), began({}, 'eks-upgrade/111122223333/eu-central-1/other')],
  ['start: time', began({}), began({ at: '2026-11-24T14:00:00.000Z' })],
  ['start: id', began({}), began({ id: 'id-2' })],
  ['reconcile: roll', put({}), put({ roll: true })],
  ['reconcile: a look made a change', put({ apply: false }), put({})],
  ['reconcile: who', put({ requestedBy: EVE }), put({})],
  ['reconcile: for a start', put({}), began({})],
  // What is inside of a field is never taken for the next one.
  ['a field that ends like another begins', told({ reason: 'a","b' }), told({ reason: 'a' })],
];

async function readRight(claim: Claim, actor: Actor = BOSS, publicKeys = signer.publicKeys) {
  const { readApprover } = createApproverActivities({
    people: { whyNotMember: () => Promise.resolve(undefined) },
    publicKeys: () => publicKeys,
  });
  const approvals = { users: ['U0BOSS'], groups: [], quorum: 1, allowRequester: false, allowUnverifiedCli: false };
  const requestedBy: Actor = { kind: 'slack', id: 'U0ALEX' };
  return await readApprover({ cluster: CLUSTER, actor, requestedBy, policy: policy({ approvals }), claim });
}

describe('RS1: a signature is over all that a message says', () => {
  test.each(ALTERED)('RS1: %s', async (_what, signed, altered) => {
    expect(altered).not.toBe(signed);
    const { proof } = await signer.claim(signed);
    expect(whyNotSigned({ proof, words: signed }, signer.publicKeys)).toBeUndefined();
    expect(whyNotSigned({ proof, words: altered }, signer.publicKeys)).toContain('was altered on its way');
    expect(await readRight({ proof, words: altered })).toEqual({ allowed: false, why: expect.stringContaining('altered on its way') });
  });

  test('RS1: who is proved decides by the rights that are read, with nothing that AWS would say of them', async () => {
    const claim = await signer.claim();
    expect(await readRight(claim)).toEqual({
      allowed: true,
      why: 'may decide as approvers',
      person: BOSS,
      through: ['approvals.users'],
    });
    expect(await readRight(claim, { ...BOSS, aws: 'arn:aws:iam::111122223333:user/boss' })).toMatchObject({ person: BOSS });
    expect(await readRight(claim, { kind: 'cli', id: 'U0BOSS' })).toEqual({ allowed: false, why: expect.stringContaining('not verified') });
  });

  test('RS1: without a proof an approver is nobody, and is told what to do', async () => {
    const answer = await readRight({ words: decided({}) });
    expect(answer).toEqual({ allowed: false, why: expect.stringContaining('Run "belay signing-key"') });
    expect(await readRight({ words: decided({}), proof: '' })).toMatchObject({ allowed: false });
    expect(await readRight({ words: decided({}), proof: 'ed25519:slack-1:' })).toMatchObject({ allowed: false });
    expect(await readRight({ words: decided({}), proof: `ed25519:__proto__:${'A'.repeat(86)}` })).toMatchObject({ allowed: false });
  });

  test('RS1: keys are replaced: the old one is believed while it is listed, and by its own id alone', async () => {
    const next = testSigner('slack-2');
    const [old, fresh] = [await signer.claim(), await next.claim()];
    const both = { ...signer.publicKeys, ...next.publicKeys };
    expect(await readRight(old, BOSS, both)).toMatchObject({ allowed: true });
    expect(await readRight(fresh, BOSS, both)).toMatchObject({ allowed: true });
    expect(await readRight(fresh)).toMatchObject({
      allowed: false,
      why: expect.stringContaining('with key "slack-2", and signing.publicKeys in the worker\'s belay.yaml lists slack-1'),
    });
    expect(await readRight(old, BOSS, next.publicKeys)).toMatchObject({ allowed: false });
    const renamed = { ...old, proof: old.proof.replace('slack-1', 'slack-2') };
    expect(await readRight(renamed, BOSS, both)).toMatchObject({ allowed: false, why: expect.stringContaining('not by key "slack-2"') });
  });
});
