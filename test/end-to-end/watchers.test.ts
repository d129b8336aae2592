/** The cluster's own state over whole upgrades: what is said, how often, where people see it before they approve, and what the record keeps. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { detach } from '../../rehearsal/world/faults/volumes.ts';
import { nodeNeverReady, volumeHeld } from '../../rehearsal/scenarios/watchers.ts';
import type { Play } from './support/play.ts';
import { SAM } from './support/play.ts';
import { expectReportsNothing, expectRestored } from './support/promises.ts';
import { Theatre } from './support/theatre.ts';
import { wordsOf } from './support/words.ts';

/** Slow enough for looks every minute of the world on a busy machine. */
const SPEED = 50;
const LIMIT_MS = 900_000;

let theatre: Theatre;
let play: Play;
beforeAll(async () => {
  const houses = Object.fromEntries([volumeHeld, nodeNeverReady].map((scenario) => [scenario.cluster.name, { scenario }]));
  theatre = await Theatre.open(houses, { speed: SPEED });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

const saying = (what: RegExp): string[] => play.thread().filter((text) => what.test(text));
const watched = (): string[] => play.record().watched?.map(({ what }) => what) ?? [];

test(
  'multi-attach: said once, shown at the next gate, the worker dies and says nothing twice, and said when it is over',
  async () => {
    const GATE = 'before:node-groups@1.32#1';
    let read = false;
    play = await theatre.play('multi-attach', {
      faults: ['volume:multi-attach=24h@control-plane'],
      decide: (id) => (id === GATE && !read ? 'ignore' : undefined),
    });
    await play.start();
    const HELD =
      /Deployment shop\/web: a volume is still attached to another node \(Multi-Attach\) for \d+ min \(web-[^)]+\): Multi-Attach error for volume/;
    await play.says(/Problems in the cluster during/, 120_000);
    const gate = wordsOf(await play.gate(GATE, 120_000));
    expect(gate).toContain('New problems in the cluster since the upgrade began');
    expect(gate).toMatch(HELD);
    theatre.kill('worker');
    detach(play.world);
    await play.says(/Resolved:\n• Deployment shop\/web: a volume is still attached to another node/, 60_000);
    read = true;
    await play.press(SAM, GATE, 'approve');
    expect(await play.closed(180_000)).toBe('COMPLETED');
    expect(saying(/Problems in the cluster during/)).toHaveLength(1);
    expect(saying(/^[^:]*Resolved:/)).toHaveLength(1);
    expect(watched()).toEqual([expect.stringMatching(HELD), expect.stringMatching(/^Resolved: Deployment shop\/web: a volume/)]);
    expect(play.world.store.list('pods').every(({ status }) => status?.phase === 'Running')).toBe(true);
    expectReportsNothing(play);
    await expectRestored(play);
  },
  LIMIT_MS,
);

test(
  'node-never-ready: the node group is named before EKS gives up, once, and again when it is over',
  async () => {
    play = await theatre.play('node-never-ready', { faults: ['node:never-ready'] });
    await play.start();
    await play.says(/Node group default: nodes are not Ready for \d+ min \(ip-/, 180_000);
    expect(play.openGates().has('failed:node-groups@1.32#1')).toBe(false);
    expect(await play.closed(180_000)).toBe('COMPLETED');
    // On a busy machine those of the second update may take their time as well: nodes are named once. The gate of the failed step, which
    // shows what is wrong as it opens, is no news.
    const [first = ''] = watched();
    const name = /ip-[\w-]+/.exec(first)?.[0] ?? 'none';
    expect(saying(/^⚠ Problems in the cluster during/).filter((text) => text.includes(name))).toHaveLength(1);
    expect(watched().slice(0, 2)).toEqual([
      expect.stringMatching(/^Node group default: nodes are not Ready for/),
      'Resolved: Node group default: nodes are not Ready',
    ]);
    expect(play.world.store.list('nodes').map(({ status }) => status?.nodeInfo?.kubeletVersion.slice(0, 5))).not.toContain('v1.31');
    expectReportsNothing(play);
  },
  LIMIT_MS,
);
