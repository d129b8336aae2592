/** Endings inside the phases that only some clusters need: Karpenter's controller and Istio's canaries. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { mesh, MESHED, OLD } from './support/mesh.ts';
import { ALEX, type Play } from './support/play.ts';
import { expectReportsNothing, expectRestored } from './support/promises.ts';
import { houses, Theatre } from './support/theatre.ts';

const NEW = '1-28';
const WAVE_1 = `wave:istio@1.34/${NEW}.1#1`;
const WAVE_2 = `wave:istio@1.34/${NEW}.2#1`;
const FAILED = 'failed:istio@1.34#1';

let theatre: Theatre;
let play: Play;
let count = 0;

beforeAll(async () => {
  theatre = await Theatre.open({
    ...houses('mesh', 10, { scenario: mesh }),
    hasty: { scenario: mesh, timing: { gateDeadline: 4_000, gateReminders: [] } },
  });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

/** Gates with their choices; the others are approved. */
async function begin(choices: Record<string, string>, options: { cluster?: string; speed?: number } = {}): Promise<void> {
  count += 1;
  play = await theatre.play(options.cluster ?? `mesh-${count}`, { decide: (gate) => choices[gate], speed: options.speed });
}

/** Revision of each namespace by its label, by its pods' annotations and by their proxies' images. */
function revisions(): Record<string, string[]> {
  return Object.fromEntries(
    MESHED.map((namespace) => {
      const pods = play.world.store.list('pods', { namespace });
      const images = pods.map(({ spec }) => {
        const containers: { name: string; image: string }[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
        return /:1\.(\d+)\./.exec(containers.find(({ name }) => name === 'istio-proxy')?.image ?? '')?.[1];
      });
      const seen = [
        play.world.store.get('namespaces', namespace)?.metadata.labels?.['istio.io/rev'] ?? 'none',
        ...pods.map(({ metadata }) => metadata.annotations?.['istio.io/rev'] ?? 'none'),
        ...images.map((minor) => `1-${minor}`),
      ];
      return [namespace, [...new Set(seen)]];
    }),
  );
}

/** How often each workload was restarted. */
function restarts(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { operation, resource } of play.accepted('kubernetes')) {
    if (operation === 'patch deployments') counts[resource] = (counts[resource] ?? 0) + 1;
  }
  return counts;
}

describe('a wave', () => {
  test('rejected, the first: it is moved back, and Abort leaves the mesh as it was', async () => {
    await begin({ [WAVE_1]: 'reject', [FAILED]: 'abort' });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted' });
    await play.says(/Istio: docs moved back to 1-26, because it was rejected/);
    await play.says(/wave 1 of 2 to 1-28 was rejected and moved back to 1-26/);
    await expectRestored(play);
    expectReportsNothing(play);
    expect(revisions()).toEqual({ docs: [OLD], shop: [OLD] });
  });

  test('rejected, the second: only that one is moved back', async () => {
    await begin({ [WAVE_2]: 'reject', [FAILED]: 'abort' });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    await play.says(/Istio: shop moved back to 1-26, because it was rejected/);
    await expectRestored(play);
    expect(revisions()).toEqual({ docs: [NEW], shop: [OLD] });
  });

  test('rejected, then Retry: what has moved stays as it is, the rest moves', async () => {
    await begin({ [WAVE_2]: 'reject', [`retire:istio@1.34/${OLD}#101`]: 'keep-both', 'before:control-plane@1.34#1': 'reject' });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record().decisions.map(({ gate, decision }) => `${gate.id} ${decision?.choice}`)).toEqual(
      expect.arrayContaining([`${FAILED} retry`, `wave:istio@1.34/${NEW}.2#2 approve`, `retire:istio@1.34/${OLD}#101 keep-both`]),
    );
    expect(play.record().decisions.map(({ gate }) => gate.id)).not.toContain(`wave:istio@1.34/${NEW}.1#2`);
    await expectRestored(play);
    expect(revisions()).toEqual({ docs: ['1-30'], shop: ['1-30'] });
    // Kept on purpose, and still whole.
    expect(play.world.store.list('deployments', { labels: { app: 'istiod', 'istio.io/rev': OLD } })).toHaveLength(1);
  });

  test('nobody decides: it is moved back, and the run stops', async () => {
    await begin({ [WAVE_1]: 'ignore', [FAILED]: 'ignore' }, { cluster: 'hasty' });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'stopped' });
    await play.says(/Istio: docs moved back to 1-26, because nobody decided in time/);
    await expectRestored(play);
    expect(revisions()).toEqual({ docs: [OLD], shop: [OLD] });
  });

  test('aborted in its middle: it is moved back', async () => {
    await begin({});
    const aborted = play.inTheMiddle('istio', async () => {
      expect(await play.pressBoard(ALEX, 'abort')).toMatch(/^Aborting: /);
    });
    await play.start();
    await aborted;
    expect(await play.closed()).toBe('COMPLETED');
    expect(play.record()).toMatchObject({ outcome: 'aborted' });
    await play.says(/Istio: docs moved back to 1-26, because wave 1 of 2 to 1-28 did not end well/);
    await expectRestored(play);
    expectReportsNothing(play);
    expect(revisions()).toEqual({ docs: [OLD], shop: [OLD] });
  });

  test('T1: its worker killed in its middle: it goes on, and each workload is restarted once', async () => {
    await begin({ [WAVE_2]: 'ignore' });
    const killed = play.inTheMiddle('istio', () => theatre.kill('worker'));
    await play.start();
    await killed;
    await play.gate(WAVE_2);
    expect(revisions()).toEqual({ docs: [NEW], shop: [NEW] });
    expect(restarts()).toEqual({ 'deployments/docs/web': 1, 'deployments/shop/web': 1 });
  });
});

test("abort while somebody is asked for Karpenter's new version: nothing is left, nobody waits any more", async () => {
  await begin({}, { speed: 60 });
  const aborted = play.inTheMiddle('karpenter-controller', async () => {
    expect(await play.pressBoard(ALEX, 'abort')).toMatch(/^Aborting: /);
  });
  await play.start();
  await aborted;
  expect(await play.closed()).toBe('COMPLETED');
  expect(play.record()).toMatchObject({ outcome: 'aborted' });
  expect(play.record().status.steps.find(({ id }) => id === 'karpenter-controller@1.34')?.state).toBe('aborted');
  await expectRestored(play);
  expectReportsNothing(play);
});
