/** Faults, a few to a play: what Belay does about it is what people see at the channel, and what the stand-ins were sent. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Subnet } from '../../rehearsal/aws/network.ts';
import { small } from '../../rehearsal/scenarios/small.ts';
import { type Play, SAM } from './support/play.ts';
import { expectRestored } from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';

interface Case {
  title: string;
  faults: string[];
  /** A gate that people have to answer, and what the thread says there. */
  gate?: { id: string; says: RegExp };
  /** What the thread says on the way. */
  says?: RegExp;
  /** How often EKS accepted UpdateClusterVersion; once by default. */
  updates?: number;
}

/** These change the world instead of striking a request. */
const LASTING = /^(eks:(foreign|in-use|not-active|wrong|degraded|no-add)|kubernetes:(down|gitops)|slack:(down|recycle))/;

const PLANNED = 'before:pre-checks@1.32#1';
const ASKED = 'before:control-plane@1.32#1';
const FAILED = 'failed:control-plane@1.32#1';
const UNREADY = 'failed:pre-checks@1.32#1';

/** The run continues to its end by itself. Those of a play strike at different requests, or one after the other at one. */
const GOES_ON: Case[][] = [
  [
    {
      title: 'A1 A17: somebody else has started the update: it is adopted',
      faults: ['eks:foreign-update'],
      says: /was already running and is adopted/,
      updates: 0,
    },
    { title: 'K4: a list expires in its middle', faults: ['kubernetes:410-gone=2@freeze-drift'] },
    { title: 'S18: Slack limits the rate', faults: ['slack:rate-limit=5@GATE'] },
    { title: 'K6: a connection is half-open', faults: ['kubernetes:half-open@node-groups'] },
  ],
  [
    { title: 'A2: another kind of update runs: it is waited for', faults: ['eks:in-use'] },
    { title: 'K9: somebody edits the pool between look and patch', faults: ['kubernetes:conflict@freeze-drift'] },
    { title: 'S19: the answer to the message of a gate is lost', faults: ['slack:lost-response@GATE'] },
    { title: 'A8: the update id is unknown for a moment', faults: ['eks:update-unknown=2'] },
    { title: 'A9: Successful before the cluster says so', faults: ['eks:not-active=1m'] },
  ],
  [
    { title: 'A3: the answer is lost: one update', faults: ['eks:lost-response@UpdateClusterVersion'] },
    { title: 'K10: the answer to the freeze is lost', faults: ['kubernetes:lost-response@freeze-drift'] },
    { title: 'S21: Slack recycles the socket', faults: ['slack:recycle@control-plane'] },
    { title: 'K2: tokens are not accepted for a while', faults: ['kubernetes:401=3@control-plane'] },
  ],
  [
    { title: 'A4: the answer is lost until the SDK gives up: one update', faults: ['eks:lost-response=4@UpdateClusterVersion'] },
    { title: 'K3: 429 with Retry-After', faults: ['kubernetes:429=4@control-plane'] },
  ],
  [
    { title: 'A5: throttled for five minutes', faults: ['eks:throttle=5m@control-plane'] },
    { title: 'K9: GitOps reverts the freeze', faults: ['kubernetes:gitops-reverts@control-plane'], says: /freeze/i },
  ],
  [
    { title: 'A26: a request is never answered', faults: ['eks:hang@UpdateClusterVersion'] },
    { title: 'S1: Slack goes away as the first gate opens', faults: ['slack:down=5m@GATE'] },
  ],
  [
    { title: 'RD3: a session that has expired is renewed', faults: ['eks:expired-token'] },
    { title: 'K1: the API server is away for ten minutes', faults: ['kubernetes:down=10m@control-plane'] },
    { title: 'EKS blames itself', faults: ['eks:error=ServerException', 'eks:error=ServiceUnavailableException'] },
  ],
];

/** People are asked; the persona presses Retry, and the run completes. */
const ASKS: Case[][] = [
  [
    {
      title: 'A11: unknown insights are not ready',
      faults: ['eks:insight-unknown'],
      gate: { id: UNREADY, says: /required checks cannot see what must be known/ },
    },
    { title: 'A10: readiness issues go to people', faults: ['eks:invalid-state'], gate: { id: FAILED, says: /InvalidStateException/ } },
    {
      title: 'A19: pods of a node group cannot be evicted',
      faults: ['eks:update-failed=PodEvictionFailure@node-groups'],
      gate: { id: 'failed:node-groups@1.32#1', says: /PodEvictionFailure: / },
    },
    {
      title: 'A23: an add-on is refused by admission',
      faults: ['eks:update-failed=AdmissionRequestDenied@add-ons-target'],
      gate: { id: 'failed:add-ons-target@1.32#1', says: /AdmissionRequestDenied: / },
    },
  ],
  [
    { title: 'A7: cancelled is not done', faults: ['eks:update-cancelled'], gate: { id: FAILED, says: /ended Cancelled/ }, updates: 2 },
    {
      title: 'A20: nodes of a node group do not join',
      faults: ['node:never-ready'],
      gate: { id: 'failed:node-groups@1.32#1', says: /NodeCreationFailure: / },
    },
  ],
  [
    {
      title: 'A18: no free addresses',
      faults: ['eks:update-failed=IpNotAvailable'],
      gate: { id: FAILED, says: /IpNotAvailable on small-\d+: Free addresses or add a subnet/ },
      updates: 2,
    },
  ],
  [{ title: 'A12: permissions are taken away', faults: ['eks:access-denied'], gate: { id: FAILED, says: /AccessDeniedException/ } }],
  [{ title: 'EKS blames the request', faults: ['eks:error=ClientException'], gate: { id: FAILED, says: /ClientException/ } }],
  [{ title: 'A25: the session has expired', faults: ['eks:expired-token=6'], gate: { id: FAILED, says: /ExpiredTokenException/ } }],
];

/** Plays of the tests that are not in a table above. */
const OTHERS = 8;

let theatre: Theatre;
let play: Play;
let count = 0;
beforeAll(async () => {
  theatre = await Theatre.open(houses('small', GOES_ON.length + ASKS.length + OTHERS, { scenario: small }));
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

async function begin(faults: string[]): Promise<void> {
  count += 1;
  play = await theatre.play(`small-${count}`, { faults });
  await play.start();
}

/** Each play by what strikes in it. */
const named = (plays: Case[][]): [string, Case[]][] => plays.map((cases) => [cases.map(({ title }) => title).join('; '), cases]);

/** One, unless a case says otherwise. */
const updatesOf = (cases: Case[]): number => cases.find(({ updates }) => updates !== undefined)?.updates ?? 1;

/** It struck, or began where it lasts: else the test would say nothing. */
function expectStruck(): void {
  for (const { fault, since, struck } of play.world.faults.records) {
    expect([fault, since]).toEqual([fault, expect.any(String)]);
    if (!LASTING.test(fault)) expect(`${fault} struck ${struck > 0 ? 'at least once' : 'never'}`).toBe(`${fault} struck at least once`);
  }
}

/** Each update of EKS once, with a token of its own. */
function expectOnce(updates: number): void {
  expect(play.accepted().filter(({ operation }) => operation === 'UpdateClusterVersion')).toHaveLength(updates);
  const tokens = play.accepted().map(({ token }) => token);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(play.controlPlaneUpdates().filter(({ status, type }) => status === 'Successful' && type === 'VersionUpdate')).toHaveLength(1);
}

describe('without anybody', () => {
  test.each(named(GOES_ON))('%s', async (_title, cases) => {
    await begin(cases.flatMap(({ faults }) => faults));
    expect(await play.closed()).toBe('COMPLETED');
    expectStruck();
    expectOnce(updatesOf(cases));
    expect(play.record().outcome).toBe('completed');
    expect(play.record().decisions.filter(({ gate }) => gate.id.startsWith('failed:'))).toEqual([]);
    for (const { says } of cases) if (says !== undefined) await play.says(says);
    await expectRestored(play);
  });
});

describe('with people', () => {
  test.each(named(ASKS))('%s', async (_title, cases) => {
    await begin(cases.flatMap(({ faults }) => faults));
    expect(await play.closed()).toBe('COMPLETED');
    expectStruck();
    expectOnce(updatesOf(cases));
    expect(play.record().outcome).toBe('completed');
    const asked = play.record().decisions.map(({ gate }) => gate.id);
    for (const { gate } of cases) {
      expect(asked).toContain(gate?.id);
      await play.says(gate?.says ?? /./);
    }
    await expectRestored(play);
  });
});

describe('with people who mend the network', () => {
  test.each<{ title: string; without: (subnets: Subnet[]) => Subnet[]; says: RegExp }>([
    {
      title: 'A18: too few free addresses in all subnets together',
      without: (subnets) => subnets.map((subnet) => ({ ...subnet, freeAddresses: 1 })),
      says: /InsufficientFreeAddresses: The subnets have too few free addresses.+\(subnet-0a11aa11aa11aa11a, subnet-0b22bb22bb22bb22b, subnet-0c33cc33cc33cc33c\)/,
    },
    {
      title: 'A18: a subnet of the cluster is gone',
      without: (subnets) => subnets.slice(1),
      says: /SubnetNotFound: A subnet of the cluster is gone.+\(subnet-0a11aa11aa11aa11a\)/,
    },
  ])('$title after the pre-checks: named at a gate, and the run completes', async ({ without, says }) => {
    count += 1;
    play = await theatre.play(`small-${count}`, { decide: (gate) => (gate === FAILED || gate === ASKED ? 'ignore' : undefined) });
    const { network } = play.world.eks;
    const { subnets } = network;
    await play.start();
    await play.gate(ASKED);
    network.subnets = without(subnets);
    await play.press(SAM, ASKED, 'approve');
    await play.gate(FAILED);
    await play.says(says);
    network.subnets = subnets;
    await play.press(SAM, FAILED, 'retry');
    expect(await play.closed()).toBe('COMPLETED');
    expectOnce(2);
    await expectRestored(play);
  });

  test('A18: too few free addresses: found before anything moves', async () => {
    count += 1;
    play = await theatre.play(`small-${count}`, { decide: (gate) => (gate === UNREADY || gate === PLANNED ? 'ignore' : undefined) });
    const { network } = play.world.eks;
    const { subnets } = network;
    await play.start();
    await play.gate(PLANNED);
    network.subnets = subnets.map((subnet) => ({ ...subnet, freeAddresses: 1 }));
    await play.press(SAM, PLANNED, 'approve');
    await play.gate(UNREADY);
    await play.says(/No zone has 5 free addresses; EKS needs 2 that have\..+subnet-0a11aa11aa11aa11a \(1 free in /);
    expect(play.accepted()).toEqual([]);
    network.subnets = subnets;
    await play.press(SAM, UNREADY, 'retry');
    expect(await play.closed()).toBe('COMPLETED');
    expectOnce(1);
    await expectRestored(play);
  });
});

describe('before anything has changed', () => {
  test.each([
    { title: 'A13: credentials of another account', faults: ['eks:wrong-account'], says: /999988887777/ },
    { title: 'A21: a node group is DEGRADED', faults: ['eks:degraded=1h'], says: /AutoScalingGroupNotFound/ },
    { title: 'A24: no add-on version for the target', faults: ['eks:no-add-on-versions'], says: /coredns/ },
  ])('$title', async ({ faults, says }) => {
    count += 1;
    play = await theatre.play(`small-${count}`, { faults, decide: (gate) => (gate.startsWith('failed:') ? 'abort' : undefined) });
    const refusal = await play.start().then(
      async () => (await play.closed(), play.thread().join('\n')),
      (error: Error) => error.message,
    );
    expect(refusal).toMatch(says);
    expectStruck();
    expect(play.accepted()).toEqual([]);
    expect(play.accepted('kubernetes')).toEqual([]);
  });
});

test('T3: the worker is stopped by SIGTERM while it polls: another one goes on, and nobody hears of a failure', async () => {
  await begin([]);
  await play.inTheMiddle('control-plane', async () => {
    await theatre.stop('worker');
    theatre.start('worker');
  });
  expect(await play.closed()).toBe('COMPLETED');
  expectOnce(1);
  expect(play.record().decisions.filter(({ gate }) => gate.id.startsWith('failed:'))).toEqual([]);
  await expectRestored(play);
});

test('A15: the cluster is deleted during the run: people are asked at once, and an abort ends it', async () => {
  count += 1;
  play = await theatre.play(`small-${count}`, {
    faults: ['eks:cluster-gone@control-plane'],
    decide: (gate) => (gate.startsWith('failed:') ? 'abort' : undefined),
  });
  await play.start();
  await play.says(/ResourceNotFoundException/);
  expect(['COMPLETED', 'FAILED']).toContain(await play.closed());
  expect(play.record().outcome).toBe('aborted');
});
