/** The watch of a cluster: over restarts of its worker, refusals and an API server that is away. */
import { describe, expect, test } from 'vitest';
import { runWithin } from '../../../../activities/runtime/context.ts';
import type { KubeObject, ListQuery } from '../../../../activities/contract/ports.ts';
import { createClusterStateActivities } from '../../../../activities/observe/cluster-state/index.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import type { TroubleState } from '../../../../domain/health/cluster-trouble.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { policy } from '../../../support/facts.ts';

const { cluster } = policy();
const START = Date.parse('2025-04-29T10:00:00Z');

/** Its clock goes on by a minute with each look. */
class Watched extends FakeKubernetes {
  looks = 0;
  refuse: ((query: ListQuery) => void) | undefined;
  onLook: ((look: number) => void) | undefined;

  override async list<T extends KubeObject>(query: ListQuery, keep?: (object: T) => T | undefined): Promise<T[] | undefined> {
    if (query.plural === 'pods') {
      this.looks += 1;
      this.now = new Date(START + this.looks * 60_000).toISOString();
      this.onLook?.(this.looks);
    }
    this.refuse?.(query);
    return await super.list(query, keep);
  }
}

const pending = (name: string) => ({
  metadata: { name, namespace: 'shop', creationTimestamp: new Date(START).toISOString() },
  status: { phase: 'Pending' },
});
const watching = (fake: Watched, state?: TroubleState, apiTransientMs = 30_000) =>
  createClusterStateActivities(depsOf(fake)).watchCluster({
    cluster,
    timing: quickTiming({ apiTransientMs }),
    ...(state === undefined ? {} : { state }),
  });

describe('the watch', () => {
  test('goes on for as long as nothing is new, ends with news, and the next one with what is over', async () => {
    const fake = new Watched().put('v1', 'pods', pending('before'));
    fake.onLook = (look) => {
      if (look === 3) fake.put('v1', 'pods', pending('web'));
    };
    const first = await watching(fake);
    expect(first.news.fresh).toEqual(['Pod shop/web: pods are Pending for 5 min (web)']);
    fake.onLook = (look) => {
      if (look === 10) fake.remove({ apiVersion: 'v1', plural: 'pods', namespace: 'shop', name: 'web' });
    };
    const second = await watching(fake, first.state);
    expect(second.news).toEqual({ fresh: [], solved: ['Pod shop/web: pods are Pending'], unseen: [] });
  });

  test('a worker that is restarted goes on from the heartbeat: what was there before stays so', async () => {
    const fake = new Watched().put('v1', 'pods', pending('before'));
    let beat: unknown;
    const ended = new AbortController();
    fake.onLook = (look) => {
      if (look === 4) ended.abort();
    };
    const surroundings = { signal: ended.signal, beat: (details: unknown) => void (beat = details) };
    await expect(runWithin(surroundings, () => watching(fake))).rejects.toThrow('cancelled');
    expect(field(field(field(beat, 'details'), 'state'), 'known')).toMatchObject({ 'pending Pod shop/before': { stage: 'before' } });
    fake.onLook = (look) => {
      if (look === 20) fake.put('v1', 'pods', pending('web'));
    };
    const { news } = await runWithin({ lastBeat: beat, attempt: 2 }, () => watching(fake));
    expect(news.fresh).toEqual([expect.stringMatching(/^Pod shop\/web: pods are Pending/)]);
  });

  test('what may not be listed is unknown, said once, and the rest is watched', async () => {
    const fake = new Watched();
    fake.refuse = ({ plural }) => {
      if (plural === 'events') throw failureOf('AccessDenied', 'listing events: 403');
    };
    const first = await watching(fake);
    expect(first.news).toEqual({ fresh: [], solved: [], unseen: ['events cannot be watched: Belay may not list them'] });
    fake.put('v1', 'pods', pending('web'));
    const { news } = await watching(fake, first.state);
    expect(news).toMatchObject({ fresh: [expect.stringMatching(/^Pod shop\/web/)], unseen: [] });
  });

  test.each([
    { what: 'a look that no retry mends ends it', type: 'InvalidRequest', ends: false, thrown: 'listing pods: 400' },
    { what: 'a look that is cancelled is no API server that is away', type: 'Unavailable', ends: true, thrown: 'cancelled' },
  ] as const)('$what', async ({ type, ends, thrown }) => {
    const fake = new Watched();
    const ended = new AbortController();
    fake.refuse = () => {
      if (ends) ended.abort();
      throw failureOf(type, 'listing pods: 400');
    };
    await expect(runWithin({ signal: ended.signal }, () => watching(fake, undefined, 0))).rejects.toThrow(thrown);
    expect(fake.looks).toBe(1);
  });

  test('K1: an API server that is away is transient, and said once when that lasts', async () => {
    const fake = new Watched();
    let away = true;
    fake.refuse = () => {
      if (away) throw failureOf('Unavailable', 'connection refused');
    };
    const { state, news } = await watching(fake, undefined, 40);
    expect(news.fresh).toEqual([expect.stringMatching(/^The API server has not answered for 0 s: connection refused/)]);
    fake.onLook = () => void (away = false);
    expect((await watching(fake, state)).news.solved).toEqual(['the API server does not answer']);
    // Short ones pass unheard: the next news are others.
    fake.refuse = undefined;
    const looked = fake.looks;
    fake.onLook = (look) => {
      fake.refuse =
        look % 2 === 0
          ? () => {
              throw failureOf('Unavailable', '503');
            }
          : undefined;
      if (look === looked + 12) fake.put('v1', 'pods', pending('web'));
    };
    expect((await watching(fake, { known: {}, unseen: [] })).news.fresh).toEqual([expect.stringMatching(/^Pod shop\/web/)]);
  });
});
