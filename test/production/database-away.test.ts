/** Temporal's database is away while somebody decides. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { SAM } from '../end-to-end/support/play.ts';
import { expectRestored } from '../end-to-end/support/promises.ts';
import { Theatre } from '../end-to-end/support/theatre.ts';
import { eventually } from '../support/eventually.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal } from './support/temporal.ts';

const OUTAGE_MS = 30_000;
/** Deadlines of gates are longer than the outage. */
const SPEED = 120;
const CLUSTER = 'gated';
const GATE = 'before:control-plane@1.32#1';

describeOnPostgreSql('at a gate', () => {
  let temporal: ProductionTemporal;
  let theatre: Theatre;
  beforeAll(async () => {
    temporal = await ProductionTemporal.open();
    process.env['TEMPORAL_ADDRESS'] = temporal.address;
    theatre = await Theatre.open({ [CLUSTER]: { scenario: small } }, { speed: SPEED });
  }, 540_000);
  afterAll(async () => {
    delete process.env['TEMPORAL_ADDRESS'];
    await theatre?.close();
    await temporal?.close();
  });

  test('O3: a press while PostgreSQL is away for 30 s is not said to be recorded, then recorded once, and the upgrade continues', async () => {
    const play = await theatre.play(CLUSTER, { decide: (gate) => (gate === GATE ? 'ignore' : undefined) });
    await play.start();
    await play.gate(GATE);
    const before = play.told(SAM).length;
    const told = (): string[] => play.told(SAM).slice(before);
    await temporal.postgresql.stop();
    const back = sleep(OUTAGE_MS).then(() => temporal.postgresql.start());
    try {
      await play.press(SAM, GATE, 'approve');
      expect(await eventually('Sam is told', () => told()[0], 20_000)).toMatch(
        /^Temporal at .+ does not answer\. .+ Belay keeps trying for \d+ min; you do not need to press again\.$/,
      );
    } finally {
      await back;
    }
    await eventually('Sam is told what came of it', () => told().length > 1, 60_000);
    expect(await play.closed()).toBe('COMPLETED');
    const decisions = play.record().decisions.filter(({ gate, kind }) => gate.id === GATE && kind === 'decided');
    expect(decisions.map(({ decision }) => [decision?.choice, decision?.actor.id])).toEqual([['approve', SAM]]);
    expect(play.controlPlaneUpdates()).toHaveLength(1);
    await expectRestored(play);
  });
});
