/** Temporal's server is replaced by its next minor while an upgrade waits at a gate, as docker-compose.yml does it: the schema first. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { small } from '../../../rehearsal/scenarios/small.ts';
import { SAM } from '../../end-to-end/support/play.ts';
import { expectRestored } from '../../end-to-end/support/promises.ts';
import { Theatre } from '../../end-to-end/support/theatre.ts';
import { describeOnPostgreSql } from '../support/describe.ts';
import { ProductionTemporal } from '../support/temporal.ts';

const SPEED = 120;
const CLUSTER = 'gated';
const GATE = 'before:control-plane@1.32#1';

describeOnPostgreSql('the next minor of Temporal', () => {
  let temporal: ProductionTemporal;
  let theatre: Theatre;
  beforeAll(async () => {
    temporal = await ProductionTemporal.open({ release: 'before' });
    process.env['TEMPORAL_ADDRESS'] = temporal.address;
    theatre = await Theatre.open({ [CLUSTER]: { scenario: small } }, { speed: SPEED });
  }, 540_000);
  afterAll(async () => {
    delete process.env['TEMPORAL_ADDRESS'];
    await theatre?.close();
    await temporal?.close();
  });

  const schema = (): string => temporal.postgresql.query('temporal', 'select curr_version from schema_version');

  test('O38: on the old schema it refuses to start; after the schema it starts, and the upgrade continues from its gate', async () => {
    const play = await theatre.play(CLUSTER, { decide: (gate) => (gate === GATE ? 'ignore' : undefined) });
    await play.start();
    await play.gate(GATE);
    const before = schema();

    await temporal.stop();
    temporal.use('now');
    await expect(temporal.start()).rejects.toThrow(/version mismatch/);
    expect(schema()).toBe(before);

    await temporal.setupSchema();
    expect(Number(schema())).toBeGreaterThan(Number(before));
    await temporal.start();
    await temporal.createNamespace();
    await play.press(SAM, GATE, 'approve');
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.controlPlaneUpdates()).toHaveLength(1);
    await expectRestored(play);
  });
});
