/** What makes gates of several runs equal, and why a run drops out. */
import { expect, test } from 'vitest';
import type { UpgradeStatus } from '../../../../domain/run/record/status.ts';
import { bundlesOf, bundleView, hashOfOffer, type Offer, offerOf, whyDropped } from '../../../../domain/run/campaign/bundles.ts';

const OF = { name: 'to-1-34', ring: 'prod' };
const cluster = (name: string) => ({ account: '111122223333', region: 'eu-central-1', name });
const GATE: UpgradeStatus['gates'][number] = {
  workflowId: 'eks-upgrade/111122223333/eu-central-1/a',
  id: 'before:node-groups@1.34#1',
  title: 'Replace the 12 nodes of node group main?',
  choices: ['approve', 'reject'],
  expiresAt: '2026-11-27T09:00:00.000Z',
  revision: 3,
  planHash: 'aaaa',
  undo: 'From here going back to 1.33 means moving nodes first.\n• Cost: 12 nodes replaced again',
  terms: { verdict: 'clear', rules: 'approvers 1' },
};

const status = (change: Partial<UpgradeStatus> = {}): UpgradeStatus => ({
  workflowId: GATE.workflowId,
  runId: 'run-a',
  cluster: cluster('a'),
  from: '1.33',
  to: '1.34',
  state: 'waiting',
  headline: 'Waiting',
  requestedBy: { kind: 'slack', id: 'U0ALEX' },
  startedAt: '2026-11-26T09:00:00.000Z',
  planHash: 'aaaa',
  steps: [
    { id: 'control-plane@1.34', title: 'Control plane 1.33 → 1.34', state: 'completed', expectedMs: 1 },
    { id: 'node-groups@1.34', title: 'Node groups → 1.34', state: 'planned', expectedMs: 1 },
    { id: 'validation@1.34', title: 'Validation at 1.34', state: 'planned', expectedMs: 1 },
  ],
  gates: [GATE],
  freeze: { state: 'none' },
  pauseRequested: false,
  revision: 9,
  campaign: OF,
  ...change,
});

const offer = (change: Partial<UpgradeStatus> = {}): Offer => {
  const offered = offerOf(status(change), OF);
  if (offered.kind === 'alone') throw new Error(offered.why);
  return offered.offer;
};

test('an offer says what is asked, without the cluster', () => {
  expect(offer()).toEqual({
    runId: 'run-a',
    gate: GATE.id,
    title: GATE.title,
    revision: 3,
    planHash: 'aaaa',
    verdict: 'clear',
    rules: 'approvers 1',
    step: 'Node groups → 1.34',
    undo: 'From here going back to 1.33 means moving nodes first.',
    key: expect.stringMatching(/^[0-9a-f]{12}$/),
    expiresAt: GATE.expiresAt,
  });
});

test.each<[string, Partial<UpgradeStatus>, string]>([
  ['another campaign', { campaign: { name: 'to-1-33', ring: 'prod' } }, 'its run was not started for this ring'],
  ['another ring', { campaign: { name: 'to-1-34', ring: 'dev' } }, 'its run was not started for this ring'],
  ['a run of its own', { campaign: undefined }, 'its run was not started for this ring'],
  ['no gate', { gates: [] }, 'its gate is no longer open'],
  ['two gates', { gates: [GATE, { ...GATE, id: 'pace:karpenter-drift@1.34#1' }] }, 'it waits at 2 gates'],
  [
    'trouble',
    { trouble: 'Deployment shop/cart has 1 of 3 replicas' },
    'the cluster has a problem: Deployment shop/cart has 1 of 3 replicas',
  ],
  ['a freeze that is lost', { freeze: { state: 'not-restored' } }, 'its freeze could not be restored'],
  ['no worker', { waitsForWorker: 'Nobody polls.' }, 'it waits for a worker of its network'],
  ['a pause', { pauseRequested: true }, 'it is paused'],
  ['a failure', { gates: [{ ...GATE, id: 'failed:node-groups@1.34#1', terms: undefined }] }, 'each failure has causes of its own'],
  ['an older release', { gates: [{ ...GATE, terms: undefined }] }, 'its run does not say what its gate asks for'],
  [
    'evidence to weigh',
    { gates: [{ ...GATE, terms: { verdict: 'attention', rules: 'approvers 1' } }] },
    'its evidence has to be reviewed: needs attention',
  ],
  [
    'evidence unknown',
    { gates: [{ ...GATE, terms: { verdict: 'unknown', rules: 'approvers 1' } }] },
    'its evidence has to be reviewed: not fully known',
  ],
  [
    'a reason is wanted',
    { gates: [{ ...GATE, terms: { verdict: 'clear', rules: 'approvers 1', needsReason: true } }] },
    'approving it needs a reason of its own',
  ],
  ['no steps', { steps: [] }, 'its run does not say which steps follow'],
])('alone: %s', (_, change, why) => {
  expect(offerOf(status(change), OF)).toEqual({ kind: 'alone', why });
});

test.each<[string, Partial<UpgradeStatus>, boolean]>([
  ['another node count', { gates: [{ ...GATE, title: 'Replace the 2 nodes of node group main?' }], planHash: 'bbbb' }, true],
  ['a vote that somebody gave', { gates: [{ ...GATE, revision: 4 }] }, true],
  ['recommendations', { gates: [{ ...GATE, terms: { verdict: 'advice', rules: 'approvers 1' } }] }, false],
  ['another quorum', { gates: [{ ...GATE, terms: { verdict: 'clear', rules: 'approvers 2' } }] }, false],
  ['another choice', { gates: [{ ...GATE, choices: ['approve', 'abort'] }] }, false],
  ['another step to come', { steps: status().steps.slice(0, 2) }, false],
  ['another way back', { gates: [{ ...GATE, undo: 'Nothing can be undone.' }] }, false],
])('equal to %s: %s', (_, change, isEqual) => {
  expect(offer(change).key === offer().key).toBe(isEqual);
});

const two = () =>
  bundlesOf({ campaign: 'to-1-34', ring: 'prod', attempt: 2 }, [
    { cluster: cluster('a'), offer: offer() },
    { cluster: cluster('b'), offer: offer({ runId: 'run-b', gates: [{ ...GATE, expiresAt: '2026-11-27T08:00:00.000Z' }] }) },
  ]);

test('a bundle names campaign, ring, attempt, gate and its members; one gate is none', () => {
  const [bundle] = two();
  expect(bundle?.id).toMatch(/^to-1-34\/prod#2\/before:node-groups@1\.34#1\/[0-9a-f]{12}$/);
  expect(bundle?.members.map(({ cluster: { name }, runId }) => [name, runId])).toEqual([
    ['a', 'run-a'],
    ['b', 'run-b'],
  ]);
  // Whoever decides for all of them has no more time than for the first.
  expect(bundle?.decideBy).toBe('2026-11-27T08:00:00.000Z');
  expect(bundlesOf({ campaign: 'to-1-34', ring: 'prod', attempt: 1 }, [{ cluster: cluster('a'), offer: offer() }])).toEqual([]);
  expect(bundlesOf({ campaign: 'to-1-34', ring: 'prod', attempt: 1 }, [])).toEqual([]);
});

test.each<[string, Partial<UpgradeStatus>]>([
  ['its run', { runId: 'run-c' }],
  ['its plan', { gates: [{ ...GATE, planHash: 'bbbb' }] }],
])('another id where a member has changed %s', (_, change) => {
  const [changed] = bundlesOf({ campaign: 'to-1-34', ring: 'prod', attempt: 2 }, [
    { cluster: cluster('a'), offer: offer(change) },
    { cluster: cluster('b'), offer: offer({ runId: 'run-b' }) },
  ]);
  expect(changed?.id).not.toBe(two()[0]?.id);
  expect(hashOfOffer(offer(change))).not.toBe(hashOfOffer(offer()));
});

test('votes and refusals raise revisions, and push no list aside: the same id, with the newest of them', () => {
  const voted = offer({ gates: [{ ...GATE, revision: 4 }] });
  const [changed] = bundlesOf({ campaign: 'to-1-34', ring: 'prod', attempt: 2 }, [
    { cluster: cluster('a'), offer: voted },
    { cluster: cluster('b'), offer: offer({ runId: 'run-b' }) },
  ]);
  expect(changed?.id).toBe(two()[0]?.id);
  expect(changed?.members.map(({ revision }) => revision)).toEqual([4, 3]);
  expect(hashOfOffer(voted)).not.toBe(hashOfOffer(offer()));
});

test.each<[string, Partial<UpgradeStatus>, string | undefined]>([
  ['nothing', {}, undefined],
  ['a vote', { gates: [{ ...GATE, revision: 4 }] }, undefined],
  ['its run', { runId: 'run-c' }, 'another run has taken its place'],
  ['its plan', { gates: [{ ...GATE, planHash: 'bbbb' }] }, 'its plan has changed'],
  ['its gate', { gates: [{ ...GATE, id: 'before:control-plane@1.34#1' }] }, 'it now waits at before:control-plane@1.34#1'],
  [
    'its evidence',
    { gates: [{ ...GATE, terms: { verdict: 'advice', rules: 'approvers 1' } }] },
    'its evidence has changed: recommendations only',
  ],
  ['its question', { gates: [{ ...GATE, title: 'Replace the 400 nodes of node group main?' }] }, 'its question has changed'],
  ['its rules', { gates: [{ ...GATE, terms: { verdict: 'clear', rules: 'approvers 2' } }] }, 'its question has changed'],
  ['trouble', { trouble: 'Pods crash' }, 'the cluster has a problem: Pods crash'],
])('F33: what changed is %s', (_, change, why) => {
  const [bundle] = two();
  const [member] = bundle?.members ?? [];
  if (bundle === undefined || member === undefined) throw new Error('there are two');
  expect(whyDropped(bundle, member, offerOf(status(change), OF))).toBe(why);
});

test('a list that lies about what a run asks gets no vote for it', () => {
  const [bundle] = two();
  const [member] = bundle?.members ?? [];
  if (bundle === undefined || member === undefined) throw new Error('there are two');
  const now = offerOf(status(), OF);
  expect(whyDropped({ ...bundle, step: 'Pre-checks' }, member, now)).toBe('its question has changed');
  expect(whyDropped({ ...bundle, undo: 'Everything.' }, member, now)).toBe('its question has changed');
  expect(whyDropped(bundle, { ...member, title: 'Look at the cluster?' }, now)).toBe('its question has changed');
});

test('its message names the first ten', () => {
  const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
  const [bundle] = bundlesOf(
    { campaign: 'to-1-34', ring: 'prod', attempt: 1 },
    names.map((name) => ({ cluster: cluster(name), offer: offer({ runId: `run-${name}` }) })),
  );
  if (bundle === undefined) throw new Error('there is one');
  expect(bundleView(bundle, ['x dropped out: why'], false)).toMatchObject({
    clusterCount: 12,
    names: names.slice(0, 10),
    dropped: ['x dropped out: why'],
  });
});
