/** Two workers of one release, one of them killed in each phase: the other goes on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { PhaseObserver } from '../../rehearsal/processes/phase-observer.ts';
import { seed000 } from '../../rehearsal/scenarios/seeds/seed-000.ts';
import { parseButton } from '../../rehearsal/neighbours/slack/gate-buttons.ts';
import { upgradeId } from '../../rehearsal/play/stage/names.ts';
import { rehearsedOn } from '../production/support/belay.ts';
import { type DevServer, startDevServer } from '../support/temporal-server.ts';
import { Deaths, type Recovery } from './support/deaths.ts';

const LIMIT_MS = 1_800_000;
const SPEED = 120;

/** A phase by its first change; a press at a gate. */
const MOMENTS = ['freeze-drift', 'control-plane', 'press', 'node-groups', 'karpenter-drift', 'add-ons-target'];
/** Where nothing was in the dead worker's hands: its sticky queue is given up after a second. */
const GOES_ON_MS = 3_000;
/**
 * What the dead worker had begun, or was handed as it died: Temporal learns of its death only by silence. Ten seconds for an activity
 * (`timing.heartbeatTimeout`) and for a task of the workflow (Temporal's default workflow task time-out).
 */
const SILENCE_MS = 10_000;

let server: DevServer;
let connection: Connection;
beforeAll(async () => {
  server = await startDevServer();
  connection = await Connection.connect({ address: server.address });
}, LIMIT_MS);
afterAll(async () => {
  await connection?.close();
  await server?.stop();
});

test(
  'O31: one of two workers is killed in each phase and at a press: the other goes on within 3 s, or once what the dead one had in hand is missed; nothing is done or posted twice',
  async () => {
    const deaths = new Deaths(new Client({ connection }), upgradeId(seed000.cluster));
    const waiting = new Set(MOMENTS);
    const killAt = async (at: string | undefined): Promise<void> => {
      if (at !== undefined && waiting.delete(at)) await deaths.kill(at, ({ workflowId }) => workflowId.includes(`/${at}@`));
    };
    const observer = new PhaseObserver();
    let recoveries: Recovery[] = [];
    const run = await rehearsedOn(
      { TEMPORAL_ADDRESS: server.address },
      {
        scenario: 'seed-000',
        speed: SPEED,
        twice: ['worker'],
        onBuilt(world, stage) {
          // The change is made, and the answer is not there yet.
          world.journal.onMutation((mutation) => killAt(observer.observe(mutation)));
          // The button is pressed, and nobody has heard of it yet.
          stage.slack.onClick(({ value }) => killAt(parseButton(value)?.gateId.includes('node-groups') === true ? 'press' : undefined));
        },
        async onEnd() {
          recoveries = await deaths.recoveries();
        },
      },
    );
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect([...waiting]).toEqual([]);
    expect(recoveries.filter(({ goesOnMs }) => goesOnMs > SILENCE_MS + GOES_ON_MS)).toEqual([]);
    expect(Math.min(...recoveries.map(({ goesOnMs }) => goesOnMs))).toBeLessThan(GOES_ON_MS);
    // Which time-out decides: of each activity whose next attempt is the one that stands in the history.
    const again = recoveries.flatMap((one) => one.again.filter(({ attempt }) => attempt === 2));
    expect(again.length).toBeGreaterThan(0);
    expect(again.filter(({ afterMs, heartbeatMs }) => afterMs > heartbeatMs + GOES_ON_MS)).toEqual([]);
    const tokens = run.report.mutations.flatMap(({ api, accepted, token }) =>
      api === 'eks' && accepted && token !== undefined ? [token] : [],
    );
    expect(tokens.length).toBeGreaterThan(0);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(run.postedKeys.length).toBeGreaterThan(0);
    expect(run.postedKeys.toSorted()).toEqual([...new Set(run.postedKeys)].toSorted());
  },
  LIMIT_MS,
);
