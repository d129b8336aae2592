/** Temporal's server is killed in the middle of an upgrade, again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PhaseObserver } from '../../rehearsal/processes/phase-observer.ts';
import type { World } from '../../rehearsal/world/world.ts';
import { rehearsedOn } from './support/belay.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal } from './support/temporal.ts';

const AWAY_MS = 2_000;
const SPEED = 120;

describeOnPostgreSql('Temporal on PostgreSQL', () => {
  let temporal: ProductionTemporal;
  beforeAll(async () => {
    temporal = await ProductionTemporal.open();
  });
  afterAll(() => temporal?.close());

  test('O2: a server that is killed in each phase comes back, the upgrade continues, and EKS is asked for nothing twice', async () => {
    const killed: string[] = [];
    let back = Promise.resolve();
    const killOnce = async (phase: string | undefined): Promise<void> => {
      if (phase === undefined || killed.includes(phase)) return;
      killed.push(phase);
      await back;
      // The change is made, and the answer is not there yet.
      await temporal.kill();
      back = sleep(AWAY_MS).then(() => temporal.start());
      // Seen where it is waited for.
      back.catch(() => undefined);
    };
    const onBuilt = (world: World): void => {
      const observer = new PhaseObserver();
      world.journal.onMutation((mutation) => killOnce(observer.observe(mutation)));
    };
    const run = await rehearsedOn({ TEMPORAL_ADDRESS: temporal.address }, { scenario: 'seed-000', speed: SPEED, onBuilt });
    await back;
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(killed).toEqual(expect.arrayContaining(['freeze-drift', 'control-plane', 'node-groups', 'karpenter-drift', 'add-ons-target']));
    const changes = run.report.mutations.filter(({ api, accepted }) => api === 'eks' && accepted);
    const tokens = changes.flatMap(({ token }) => (token === undefined ? [] : [token]));
    expect(tokens.length).toBeGreaterThan(0);
    expect(new Set(tokens).size).toBe(tokens.length);
    const moves = changes.filter(({ operation }) => operation === 'UpdateClusterVersion');
    expect(moves).toHaveLength(1);
  });
});
