/** Two real istiods and a third: a mesh selected by tags and by name moves, goes back and moves again, and what is still used is not retired. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAM } from '../../end-to-end/support/play.ts';
import { expectReportsNothing, expectRestored } from '../../end-to-end/support/promises.ts';
import { wordsOf } from '../../end-to-end/support/words.ts';
import { canary, MESH, OLD, TAGS } from '../support/canary-scenario.ts';
import { istiodOf, Straggler } from '../support/straggler.ts';
import { openRealPlay, type RealPlay } from '../support/theatre.ts';

const LIMIT_MS = 45 * 60_000;
const STEP_MS = 3 * 60_000;
const WAVE_1 = 'wave:istio@1.34/1-29.1#1';
const FAILED = ['failed:istio@1.34#1', 'failed:istio@1.34#2'] as const;
const RETIRE_OLD = 'retire:istio@1.34/1-27#';
const RETIRE_MIDDLE = 'retire:istio@1.34/1-29#';

type Seen = Record<string, { label: string; pods: string[] }>;

let real: RealPlay;
/** Gates that the test answers itself. */
const held = new Set([WAVE_1, RETIRE_OLD, RETIRE_MIDDLE, ...FAILED]);
const seen: Record<'before' | 'wave' | 'undone' | 'moved' | 'end', Seen> = { before: {}, wave: {}, undone: {}, moved: {}, end: {} };
const tags: Record<'wave' | 'undone' | 'moved', string[]> = { wave: [], undone: [], moved: [] };
const gates: Record<'refused' | 'ready', string> = { refused: '', ready: '' };
const killedAt: string[] = [];
/** What tags and the default validator called when an istiod's Deployment went. */
const calledAtEnd: Record<string, string[]> = {};

/** By namespace: its labels, and how its pods were injected, by annotation and by the proxy's image. */
function mesh(): Seen {
  const { store } = real.play.world;
  return Object.fromEntries(
    Object.keys(MESH).map((namespace) => {
      const { 'istio-injection': injection, 'istio.io/rev': revision } = store.get('namespaces', namespace)?.metadata.labels ?? {};
      const pods = store.list('pods', { namespace }).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const runs = pods.map(({ metadata, spec }) => {
        const containers: { name: string; image: string }[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
        const image = containers.find(({ name }) => name === 'istio-proxy')?.image ?? 'none';
        return `${metadata.annotations?.['istio.io/rev']} ${image.split(':')[1]}`;
      });
      return [namespace, { label: injection ?? revision ?? 'none', pods: [...new Set(runs)] }];
    }),
  );
}

/** Services that the tags and the default validator call: "default istiod-1-27". */
function called(): string[] {
  const { store } = real.play.world;
  const validator = store.get('validatingwebhookconfigurations', 'istiod-default-validator');
  const tagged = TAGS.flatMap((tag) => store.list('mutatingwebhookconfigurations', { labels: { 'istio.io/tag': tag } }));
  return [...tagged, ...(validator === undefined ? [] : [validator])].map((object) => {
    const services = (object['webhooks'] ?? []).map(
      (hook: { clientConfig: { service: { name: string } } }) => hook.clientConfig.service.name,
    );
    return `${object.metadata.labels?.['istio.io/tag'] ?? 'validator'} ${[...new Set(services)].join(' ')}`;
  });
}

/** SIGKILL to the worker as soon as the API server has accepted this. */
function killAt(what: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const remove = real.play.world.journal.onMutation(({ accepted, operation, resource }) => {
      const words = `${operation} ${resource}`;
      if (!accepted || !what.test(words)) return;
      remove();
      killedAt.push(words);
      real.theatre.kill('worker');
      resolve();
    });
  });
}

async function gateLike(prefix: string, not = ''): Promise<{ id: string; words: string }> {
  const id = await real.play.gateLike(prefix, { not, limitMs: STEP_MS });
  return { id, words: wordsOf(await real.play.gate(id)) };
}

describe('a canary by tags and labels, 1.27 → 1.29 → 1.30, on real istiods', () => {
  beforeAll(async () => {
    real = await openRealPlay(canary, { decide: (gate) => ([...held].some((prefix) => gate.startsWith(prefix)) ? 'ignore' : undefined) });
    const { play, api, directory } = real;
    const { prometheusUrl } = play.stage;
    const { store } = play.world;
    store.watch(({ plural, object, type }) => {
      if (plural === 'deployments' && type === 'DELETED' && object.metadata.labels?.['app'] === 'istiod')
        calledAtEnd[object.metadata.name] ??= called();
    });
    seen.before = mesh();
    const oldIstiod = await istiodOf(directory, OLD.revision);

    const installed = killAt(/^create secrets .*sh\.helm\.release\.v1\.istiod-1-29/);
    await play.start();
    await installed;
    await play.gate(WAVE_1, STEP_MS);
    seen.wave = mesh();
    tags.wave = called();
    await play.press(SAM, WAVE_1, 'reject');
    await play.says(/docs.* moved back to 1-27, because it was rejected\. Verified: 2 pods run 1-27 again/, STEP_MS);
    seen.undone = mesh();
    tags.undone = called();
    const machine = await Straggler.connect(oldIstiod, { directory, prometheusUrl, others: 6 });
    const moving = killAt(/^patch mutatingwebhookconfigurations /);
    await play.press(SAM, FAILED[0], 'retry');
    await moving;

    const refused = await gateLike(RETIRE_OLD);
    gates.refused = refused.words;
    seen.moved = mesh();
    tags.moved = called();
    const middleIstiod = await istiodOf(directory, '1-29');
    await machine.leave();
    // As who declares it would: the label goes, and its pods roll once more.
    await api.patch('/apis/apps/v1/namespaces/pay/deployments/web', {
      spec: { template: { metadata: { labels: { 'istio.io/rev': null } } } },
    });
    await play.press(SAM, refused.id, 'look-again');
    const ready = await gateLike(RETIRE_OLD, refused.id);
    gates.ready = ready.words;
    const removed = killAt(/^delete deployments .*istiod-1-27/);
    await play.press(SAM, ready.id, 'approve');
    await removed;

    const middle = await gateLike(RETIRE_MIDDLE);
    const late = await Straggler.connect(middleIstiod, { directory, prometheusUrl, others: 0 });
    await play.press(SAM, middle.id, 'approve');
    await play.says(/retiring Istio revision 1-29: 1 proxy of version 1\.29\.2 is connected/, STEP_MS);
    await late.leave();
    held.clear();
    await play.press(SAM, FAILED[1], 'retry');
    await play.closed(STEP_MS);
    seen.end = mesh();
  }, LIMIT_MS);
  afterAll(() => real?.close());

  const all = (pods: string): Seen =>
    Object.fromEntries(
      Object.entries(MESH).map(([name, labels]) => [
        name,
        { label: labels['istio-injection'] ?? labels['istio.io/rev'] ?? '', pods: [pods] },
      ]),
    );

  test('the run completes, and leaves nothing behind', async () => {
    expect(real.play.record().outcome).toBe('completed');
    expectReportsNothing(real.play);
    await expectRestored(real.play);
  });

  test('every pod is injected by the revision that its namespace selects, in each of the three ways', () => {
    expect(seen.before).toEqual(all('1-27 1.27.3'));
    const moved = all('1-29 1.29.2');
    expect(seen.moved).toEqual({ ...moved, pay: { ...moved['pay'], label: '1-29' } });
    const end = all('1-30 1.30.2');
    expect(seen.end).toEqual({ ...end, pay: { ...end['pay'], label: '1-30' } });
  });

  test('a wave is one namespace, by tag default; undone, its pods are injected by the old revision again', () => {
    expect(seen.wave).toEqual({ ...seen.before, docs: { label: 'enabled', pods: ['1-29 1.29.2'] } });
    expect(tags.wave).toEqual(['default istiod-1-29', 'prod istiod-1-27', 'validator istiod-1-29']);
    expect(seen.undone).toEqual(seen.before);
    expect(tags.undone).toEqual(['default istiod-1-27', 'prod istiod-1-27', 'validator istiod-1-27']);
  });

  test('tags and the default validator had moved before an istiod went', () => {
    expect(tags.moved).toEqual(['default istiod-1-29', 'prod istiod-1-29', 'validator istiod-1-29']);
    expect(calledAtEnd).toEqual({
      'istiod-1-27': ['default istiod-1-29', 'prod istiod-1-29', 'validator istiod-1-29'],
      'istiod-1-29': ['default istiod-1-30', 'prod istiod-1-30', 'validator istiod-1-30'],
    });
  });

  test('a revision is not retired while a proxy is connected to it, or a template names it', () => {
    expect(gates.refused).toContain('Istio revision 1-27 cannot be retired yet');
    expect(gates.refused).toContain('1 proxy of version 1.27.3 is connected');
    expect(gates.refused).toContain('deployments/pay/web');
    expect(gates.ready).toContain('Retire Istio revision 1-27?');
  });

  test('K10 T2: the worker died as helm installed, as a tag moved and as istiod was removed; nothing was done twice', () => {
    expect(killedAt.map((words) => words.split(' ')[1])).toEqual(['secrets', 'mutatingwebhookconfigurations', 'deployments']);
    const created = real.play
      .accepted('kubernetes')
      .filter(({ operation, resource }) => operation === 'create deployments' && /istiod-/.test(resource));
    expect(created.map(({ resource }) => resource.split('/').at(-1))).toEqual(['istiod-1-29', 'istiod-1-30']);
  });
});
