/** A role that reads and a role that changes: what each is used for, since when, and under which name. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AssumedRole } from '../../rehearsal/aws/eks/state.ts';
import { twoRoles } from '../../rehearsal/scenarios/two-roles.ts';
import type { Play } from './support/play.ts';
import { houses, Theatre } from './support/theatre.ts';

const { role: READ = '', writeRole: WRITE = '' } = twoRoles.settings ?? {};

let theatre: Theatre;
let play: Play;

beforeAll(async () => {
  theatre = await Theatre.open(houses('two-roles', 2, { scenario: twoRoles }));
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

const sessionsOf = (role: string): AssumedRole[] => play.world.eks.assumed.filter((assumed) => assumed.role === role);

test('an upgrade completes with both; nothing is assumed for changes before the first gate is decided; sessions say whose they are', async () => {
  const writersAt: number[] = [];
  play = await theatre.play('two-roles-1', {
    decide: () => {
      writersAt.push(sessionsOf(WRITE).length);
      return undefined;
    },
  });
  await play.start();
  expect(await play.closed(180_000)).toBe('COMPLETED');
  expect(writersAt[0]).toBe(0);
  expect(sessionsOf(WRITE).length).toBeGreaterThan(0);
  const { runId: run } = await theatre.client.workflow.getHandle(play.workflowId).describe();
  const names = new Set(play.world.eks.assumed.map(({ session }) => session));
  expect(names).toContain(`belay-two-roles-1-${run.slice(0, 8)}`);
  expect(sessionsOf(WRITE).map(({ session, tags }) => ({ session, tags }))).toEqual(
    sessionsOf(WRITE).map(() => ({
      session: `belay-two-roles-1-${run.slice(0, 8)}`,
      tags: { 'belay:cluster': 'two-roles-1', 'belay:upgrade': run, 'belay:access': 'write' },
    })),
  );
  expect(sessionsOf(READ).every(({ tags }) => tags['belay:access'] === 'read')).toBe(true);
  expect(play.world.eks.cluster.version).toBe('1.32');
}, 720_000);

test('a run whose first gate is rejected has assumed nothing for changes', async () => {
  play = await theatre.play('two-roles-2', { decide: () => 'reject' });
  await play.start();
  await play.closed();
  expect(sessionsOf(READ).length).toBeGreaterThan(0);
  expect(sessionsOf(WRITE)).toEqual([]);
  expect(play.accepted('eks')).toEqual([]);
}, 360_000);
