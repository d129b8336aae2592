/** A run that is terminated while its freeze lives: drift stands still within seconds of the guard's notice, and the thread says what is so. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { small } from '../../rehearsal/scenarios/small.ts';
import { type Play, RIN } from './support/play.ts';
import { expectKept, replacements } from './support/promises.ts';
import { Theatre } from './support/theatre.ts';
import { eventually } from '../support/eventually.ts';

const PHASES = ['control-plane', 'bake', 'node-groups'];
const PROMISED_MS = 5000;

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  const sluggish = { ...small, tempo: { ...small.tempo, nodeLaunchMs: 600_000 } };
  theatre = await Theatre.open({
    ...Object.fromEntries(PHASES.map((phase) => [`ended-${phase}`, { scenario: small }])),
    'ended-karpenter-drift': { scenario: sluggish },
  });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

/** What Belay's entry allows on each NodePool. */
const paces = (): string[] =>
  play.world.store.list('nodepools').map(({ metadata, spec }) => {
    const entry: unknown = JSON.parse(metadata.annotations?.['belay.dev/freeze-entry'] ?? '{}');
    const { nodes } = entry as { nodes?: string };
    const isThere = spec?.disruption?.budgets?.some(
      (budget: { nodes?: string; reasons?: string[] }) => budget.reasons !== undefined && budget.nodes === nodes,
    );
    return isThere === true ? (nodes ?? 'none') : 'none';
  });
const terminate = () => theatre.client.workflow.getHandle(play.workflowId).terminate('by hand');

/** When the guard was told, by Temporal's clock, which is this machine's. */
async function noticedAtMs(): Promise<number> {
  const guard = theatre.client.workflow.getHandle(`${play.workflowId}/freeze-drift@${play.scenario.to}`);
  return await eventually('the guard is told', async () => {
    const { events } = await guard.fetchHistory();
    const told = events?.find(({ workflowExecutionCancelRequestedEventAttributes: asked }) => asked !== undefined && asked !== null);
    return told?.eventTime === undefined || told.eventTime === null
      ? false
      : Number(told.eventTime.seconds) * 1000 + (told.eventTime.nanos ?? 0) / 1e6;
  });
}

test('RA2: while Karpenter replaces nodes at 10 %: every NodePool is at 0 within five seconds of the notice, and kept', async () => {
  play = await theatre.play('ended-karpenter-drift', { speed: 400 });
  await play.start();
  await eventually('nodes roll', () => replacements(play).length > 0, 90_000);
  await play.pressPace(RIN, '10%');
  await eventually('the budgets say 10 %', () => paces().every((pace) => pace === '10%'));
  const before = play.thread().length;
  await terminate();
  await eventually('drift stands still', () => paces().every((pace) => pace === '0'), 30_000);
  expect(Date.now() - (await noticedAtMs())).toBeLessThan(PROMISED_MS);
  const replaced = replacements(play).length;
  await play.says(/The drift freeze is KEPT: the control plane is at 1\.32 and \d+ nodes are still at 1\.31/);
  expect(play.thread().slice(before).join('\n')).not.toMatch(/could not be frozen|NOT be stopped/);
  expect(paces().every((pace) => pace === '0')).toBe(true);
  // What Karpenter had begun it may finish; it begins nothing new.
  expect(replacements(play).filter((text) => text.startsWith('Karpenter replaces')).length).toBeLessThanOrEqual(replaced);
});

test.each(PHASES)('RA2: in the middle of %s: nothing rolls, and the thread says that the freeze is kept', async (phase) => {
  play = await theatre.play(`ended-${phase}`, phase === 'control-plane' ? { speed: 60 } : {});
  const ended = play.inTheMiddle(phase, async () => void (await terminate()));
  await play.start();
  await ended;
  await play.says(/The drift freeze is KEPT: /);
  expect(paces()).toEqual(paces().map(() => '0'));
  await expectKept(play);
  expect(replacements(play)).toEqual([]);
});
