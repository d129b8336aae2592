/** Gateways of every kind through a canary: each moves once behind the same load balancer, whatever dies, and goes back as it was. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { istioGateways } from '../../rehearsal/scenarios/istio/istio-gateways.ts';
import type { Mutation } from '../../rehearsal/world/journal.ts';
import type { Play } from './support/play.ts';
import { Theatre } from './support/theatre.ts';

const WAVE_3 = 'wave:istio@1.35/1-30.3#1';
const FAILED = 'failed:istio@1.35#1';
const PUBLIC = 'deployments/istio-ingress/public';
const PARTNERS = 'gateways/partners/partners';

let theatre: Theatre;
let play: Play;

beforeAll(async () => {
  theatre = await Theatre.open({ gateways: { scenario: istioGateways } });
}, 360_000);
afterEach(() => play.end());
afterAll(() => theatre.close());

const changes = (resource: string): Mutation[] => play.accepted('kubernetes').filter((one) => one.resource === resource);

const balancers = (): Record<string, unknown> =>
  Object.fromEntries(
    play.world.store
      .list('services')
      .filter(({ spec }) => spec?.type === 'LoadBalancer')
      .map(({ metadata, spec, status }) => [`${metadata.namespace}/${metadata.name}`, { uid: metadata.uid, spec, status }]),
  );

/** Revisions by annotation and image. */
const running = (namespace: string): string[] => [
  ...new Set(
    play.world.store.list('pods', { namespace }).map(({ metadata, spec }) => {
      const containers: { name: string; image: string }[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
      return `${metadata.annotations?.['istio.io/rev']} ${containers.find(({ name }) => name === 'istio-proxy')?.image.replace(/^.*:/, '')}`;
    }),
  ),
];

test('T1: the worker dies as they move; the wave is undone, and moved once more', async () => {
  play = await theatre.play('gateways', {
    decide: (gate) => ({ [WAVE_3]: 'reject', [FAILED]: 'retry', 'before:control-plane@1.35#1': 'reject' })[gate],
  });
  const before = balancers();
  let killed: Promise<void> | undefined;
  const remove = play.world.journal.onMutation(async ({ resource }) => {
    // The first of them: accepted, and not answered.
    if (resource !== PARTNERS || killed !== undefined) return;
    killed = Promise.resolve(theatre.kill('worker'));
    await killed;
  });
  await play.start();
  expect(await play.closed()).toBe('COMPLETED');
  remove();
  expect(killed).toBeDefined();
  await play.says(/interrupts Gateway partners\/partners for about half a minute: move now\?/);
  await play.says(/Please move Deployment istio-ingress\/internal to Istio 1-30 at its source: .+ It belongs to Argo CD/);
  await play.says(/istio-ingress\/internal belongs to Argo CD and was not moved back/);
  await play.says(
    /Istio: istio-egress, istio-ingress\/public, partners\/partners moved back to 1-28, because it was rejected\. Verified: 4 pods run 1-28 again/,
  );
  // There, back, there again, and the mark taken away at the end; what the kill left unanswered was not done again.
  expect(changes(PUBLIC)).toHaveLength(4);
  expect(changes(PARTNERS)).toHaveLength(4);
  // Nobody but its owner touches what is in Git.
  expect(changes('deployments/istio-ingress/internal')).toEqual([]);
  for (const namespace of ['istio-ingress', 'istio-egress', 'partners', 'shop']) expect(running(namespace)).toEqual(['1-30 1.30.2']);
  expect(balancers()).toEqual(before);
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining([
      'istio-ingress/public',
      'istio-ingress/internal',
      'istio-egress/egress',
      'partners/partners-istio',
      'shop/shop-istio',
    ]),
  );
}, 720_000);
