/** Thirty accounts behind the twin's STS and EKS: a role that AWS refuses in one, throttling in another, and the rest. */
import { afterAll, afterEach, beforeAll, expect, vi, test } from 'vitest';
import { describeCluster } from '../../../../../activities/clients/aws/eks-api.ts';
import { inSession } from '../../../../../activities/clients/aws/session.ts';
import { type ClusterClients, createClusterClients } from '../../../../../activities/clients/clusters.ts';
import type { ClusterRef } from '../../../../../domain/core/cluster-ref.ts';
import { messageOf } from '../../../../../domain/core/unknown.ts';
import { failureType } from '../../../../../activities/runtime/translate-errors.ts';
import { apiRate } from '../../../../../rehearsal/aws/eks/api-rate.ts';
import { type AwsServer, startAwsServer } from '../../../../../rehearsal/aws/eks/server.ts';
import { findScenario } from '../../../../../rehearsal/scenarios/index.ts';
import type { World } from '../../../../../rehearsal/world/world.ts';
import { steppedWorld } from '../../../../rehearsal/support.ts';
import { fakeOnlyTheDate, passMs } from '../../../../support/only-date.ts';

const BROKEN = 4;
const THROTTLED = 9;
const environment = { ...process.env };

const refs: ClusterRef[] = Array.from({ length: 30 }, (_, at) => ({
  name: `cluster-${at}`,
  account: String(444_400_000_000 + at),
  region: 'eu-central-1',
}));
const roleOf = ({ account }: ClusterRef): string => `arn:aws:iam::${account}:role/belay`;
const refAt = (at: number): ClusterRef => refs[at] ?? { name: '', account: '', region: '' };

let worlds: World[];
let hub: World;
let server: AwsServer;
let clients: ClusterClients;

beforeAll(async () => {
  const small = findScenario('small');
  worlds = refs.map(({ name, account, region }) => steppedWorld({ ...small, cluster: { name, account, region } }).world);
  const [first, ...neighbours] = worlds;
  if (first === undefined) throw new Error('no world');
  hub = first;
  server = await startAwsServer({ world: first, neighbours });
  Object.assign(process.env, { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: 'AKIAHUB', AWS_SECRET_ACCESS_KEY: 'example-secret' });
  clients = createClusterClients({
    settings: (name) => {
      const ref = refs.find((each) => each.name === name) ?? refAt(0);
      return { ref, roleArn: roleOf(ref) };
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  hub.eks.unassumable = [];
  for (const { eks } of worlds) delete eks.apiRate;
});
afterAll(async () => {
  await clients.close();
  await server.close();
  for (const key of ['AWS_ENDPOINT_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    if (environment[key] === undefined) delete process.env[key];
    else process.env[key] = environment[key];
  }
});

/** What a run there reads: the cluster's name, or the failure's type and text. */
const read = (ref: ClusterRef, run: string): Promise<string> =>
  inSession({ of: run, activity: 'inspectCluster', writes: false }, () => describeCluster(clients.aws(ref), ref)).then(
    ({ name = '?' }) => name,
    (error: unknown) => `${failureType(error) ?? 'Unknown'}: ${messageOf(error)}`,
  );

test('O35: one role is broken and one account is throttled: 28 others are read as ever, and the two say what is wrong', async () => {
  // The pause before the next try does not pass while a slow machine is at this.
  fakeOnlyTheDate();
  const closed = { role: roleOf(refAt(BROKEN)).slice('arn:aws:iam::'.length), asked: 0 };
  hub.eks.unassumable = [closed];
  const rate = apiRate(0, 0);
  const throttled = worlds[THROTTLED];
  if (throttled === undefined) throw new Error('no world');
  throttled.eks.apiRate = rate;
  const first = await Promise.all(refs.map((ref) => read(ref, 'run-1')));
  expect(first.filter((_, at) => at !== BROKEN && at !== THROTTLED)).toEqual(
    refs.filter((_, at) => at !== BROKEN && at !== THROTTLED).map(({ name }) => name),
  );
  expect(first[BROKEN]).toMatch(
    /^AccessDenied: .+ is not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::444400000004:role\/belay\); allow/,
  );
  expect(first[THROTTLED]).toMatch(/^Throttled: reading cluster cluster-9: AWS answered ThrottlingException \(Rate exceeded\)/);
  expect(closed.asked).toBe(1);

  // Forty more calls of five runs in each of the two: STS hears nothing of them, EKS next to nothing.
  const askedBefore = rate.asked;
  const [broken, slow, others] = await Promise.all([
    Promise.all(Array.from({ length: 40 }, (_, run) => read(refAt(BROKEN), `more-${run % 5}`))),
    Promise.all(Array.from({ length: 40 }, (_, run) => read(refAt(THROTTLED), `more-${run % 5}`))),
    Promise.all(refs.slice(10).map((ref) => read(ref, 'run-2'))),
  ]);
  expect(closed.asked).toBe(1);
  expect(new Set(broken.map((text) => text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')))).toEqual(
    new Set([
      expect.stringContaining(
        'Belay has not asked AWS for role arn:aws:iam::444400000004:role/belay: AWS has refused it since TIME UTC, and the next try is at TIME UTC (AccessDenied: User:',
      ),
    ]),
  );
  expect(slow.every((text) => text.startsWith('Throttled: '))).toBe(true);
  expect(rate.asked - askedBefore).toBeLessThan(40);
  expect(others).toEqual(refs.slice(10).map(({ name }) => name));
});

test('O35: a role that was mended is found by the next try', async () => {
  fakeOnlyTheDate();
  const ref = refAt(BROKEN + 1);
  hub.eks.unassumable = [{ role: roleOf(ref).slice('arn:aws:iam::'.length), asked: 0 }];
  expect(await read(ref, 'run-3')).toContain('sts:AssumeRole');
  hub.eks.unassumable = [];
  expect(await read(ref, 'run-4')).toContain('Belay has not asked AWS');
  passMs(31_000);
  expect(await read(ref, 'run-5')).toBe(ref.name);
  expect(await read(ref, 'run-4')).toBe(ref.name);
});
