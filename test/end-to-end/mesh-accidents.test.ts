/** Accidents of a mesh: each is found, said with its remedy, mended by people at a gate, and the upgrade continues. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { istioBothLabels, istiodAlone, istioLeftover } from '../../rehearsal/scenarios/istio/istio-accidents.ts';
import { istioWave5xx } from '../../rehearsal/scenarios/istio/istio-wave-5xx.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';
import type { Mutation } from '../../rehearsal/world/journal.ts';
import { type Play, SAM } from './support/play.ts';
import { expectReportsNothing, expectRestored } from './support/promises.ts';
import { Theatre } from './support/theatre.ts';
import { wordsOf } from './support/words.ts';

const WAVE_2 = 'wave:istio@1.35/1-30.2#1';
const FAILED = 'failed:istio@1.35#1';

let theatre: Theatre;
let play: Play;

beforeAll(async () => {
  const house = (scenario: Scenario) => ({ scenario });
  theatre = await Theatre.open({
    worse: house(istioWave5xx),
    killed: house(istioWave5xx),
    both: house(istioBothLabels),
    leftover: house(istioLeftover),
    alone: house(istiodAlone),
  });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

async function begin(cluster: string, choices: Record<string, string>): Promise<void> {
  play = await theatre.play(cluster, { decide: (gate) => choices[gate] });
}

const decided = (): string[] => play.record().decisions.map(({ gate, decision }) => `${gate.id} ${decision?.choice}`);

/** Accepted changes of one object. */
const changes = (operation: string, resource: string): Mutation[] =>
  play.accepted('kubernetes').filter((one) => one.operation === operation && one.resource === resource);

const revisionOf = (namespace: string): string[] => [
  ...new Set(play.world.store.list('pods', { namespace }).map(({ metadata }) => metadata.annotations?.['istio.io/rev'] ?? 'none')),
];

describe('a wave whose 5xx triple', () => {
  test('stops, is undone and verified, and moves once its cause is mended', async () => {
    await begin('worse', { [WAVE_2]: 'undo', 'before:control-plane@1.35#1': 'reject' });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    await play.says(/Istio wave 2 of 2 to 1-30: its traffic got worse, so nothing more is moved\. Seen: shop: 5xx 0\.6 % → 1\.8 %/);
    await play.says(
      /Istio: shop moved back to 1-28, because its traffic got worse\. Verified: 2 pods run 1-28 again\. Its traffic is as before/,
    );
    expect(decided()).toEqual(
      expect.arrayContaining([
        `${WAVE_2} undo`,
        `${FAILED} retry`,
        'wave:istio@1.35/1-30.2#2 approve',
        'retire:istio@1.35/1-28#101 approve',
      ]),
    );
    // There, back, and there again; the wave before it once.
    expect(changes('patch deployments', 'deployments/shop/web')).toHaveLength(3);
    expect(changes('patch deployments', 'deployments/docs/web')).toHaveLength(1);
    expect([revisionOf('docs'), revisionOf('shop')]).toEqual([['1-30'], ['1-30']]);
    expectReportsNothing(play);
  });

  test('T1: the worker is killed in the middle of the undo: nothing is restarted twice, labels are exactly as they were', async () => {
    await begin('killed', { [WAVE_2]: 'undo', [FAILED]: 'abort' });
    let killed: Promise<void> | undefined;
    const remove = play.world.journal.onMutation(async ({ operation, resource }) => {
      // The second change of the namespace is the way back: accepted, and not answered.
      if (operation !== 'patch namespaces' || resource !== 'namespaces/shop' || killed !== undefined) return;
      if (changes('patch namespaces', 'namespaces/shop').length < 2) return;
      killed = Promise.resolve(theatre.kill('worker'));
      await killed;
    });
    await play.start();
    expect(await play.closed()).toBe('COMPLETED');
    remove();
    expect(killed).toBeDefined();
    await play.says(/Istio: shop moved back to 1-28, because its traffic got worse\. Verified: 2 pods run 1-28 again\./);
    expect(changes('patch deployments', 'deployments/shop/web')).toHaveLength(2);
    expect(play.world.store.get('namespaces', 'shop')?.metadata.labels).toMatchObject({ 'istio.io/rev': '1-28' });
    expect(revisionOf('shop')).toEqual(['1-28']);
    await expectRestored(play);
    expectReportsNothing(play);
  });
});

describe('found before anything moves, mended at the gate', () => {
  test.each<[string, string, string, RegExp[]]>([
    [
      'a namespace with both labels',
      'both',
      '1.35',
      [/1 namespace with istio-injection and istio\.io\/rev at once/, /\(docs\) \[IST006\]/, /Remove istio-injection: it overrides/],
    ],
    [
      'an injection webhook without its istiod',
      'leftover',
      '1.35',
      [/1 webhook configuration of revisions that are gone/, /istio-sidecar-injector-1-24/, /Delete the configuration or move its tag/],
    ],
  ])('%s', async (_title, cluster, target, said) => {
    const gate = `failed:pre-checks@${target}#1`;
    await begin(cluster, { [gate]: 'ignore', [`before:control-plane@${target}#1`]: 'reject' });
    await play.start();
    // While it is open the gate says all of it; once it is decided, the counts.
    const words = wordsOf(await play.gate(gate));
    for (const what of said) expect(words).toMatch(what);
    await play.press(SAM, gate, 'retry');
    expect(await play.closed()).toBe('COMPLETED');
    expect(decided()).toEqual(expect.arrayContaining([`${gate} retry`, `before:control-plane@${target}#1 reject`]));
    expectReportsNothing(play);
  });
});

test('T1: one istiod under a budget gets a second one while nodes move, once, although the worker dies at both changes', async () => {
  await begin('alone', {});
  const istiod = 'deployments/istio-system/istiod-1-28';
  let kills = 0;
  play.world.journal.onMutation(({ operation, resource }) => {
    if (operation !== 'patch deployments' || resource !== istiod || kills >= changes(operation, istiod).length) return;
    kills += 1;
    theatre.kill('worker');
  });
  await play.start();
  expect(await play.closed(200_000)).toBe('COMPLETED');
  expect([kills, changes('patch deployments', istiod).length]).toEqual([2, 2]);
  await play.says(/istiod istio-system\/istiod-1-28 is back at one replica/);
  await expectRestored(play);
  expectReportsNothing(play);
}, 780_000);
