/** The Istio canary on real istiods of a real control plane: namespaces moved, workloads restarted, proxies verified, old revisions retired. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rehearse, type RehearsalResult } from '../../rehearsal/main.ts';
import { Recorder } from './support/recorder.ts';

const LIMIT_MS = 20 * 60_000;
const MESH = ['docs', 'shop', 'pay'];
const CONNECTED = 'sum by (version) (pilot_xds)';

let run: RehearsalResult;
let seen: Recorder;

describe('small-istio-label on real istiods, 1.27 → 1.30', () => {
  beforeAll(async () => {
    run = await rehearse({
      scenario: 'small-istio-label',
      kubernetes: 'real',
      speed: 60,
      auto: 'approve',
      kills: [],
      faults: [],
      say: () => undefined,
      onStage: (stage) => void (seen = new Recorder(stage, [CONNECTED])),
    });
    seen.close();
  }, LIMIT_MS);

  const store = () => {
    if (run.stage === undefined) throw new Error('nothing was played');
    return run.stage.built.world.store;
  };

  test('completes, and leaves nothing behind', () => {
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  });

  test('every meshed pod was injected by the new revision', () => {
    const pods = MESH.flatMap((namespace) => store().list('pods', { namespace })).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    expect(pods).toHaveLength(6);
    expect(new Set(pods.map(({ metadata }) => metadata.annotations?.['istio.io/rev']))).toEqual(new Set(['1-30']));
    const images = pods.map(
      ({ spec }) =>
        [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find(({ name }: { name: string }) => name === 'istio-proxy')?.image,
    );
    expect(new Set(images)).toEqual(new Set(['docker.io/istio/proxyv2:1.30.2']));
  });

  test('namespaces name the new revision, and of the old ones nothing is left', () => {
    expect(MESH.map((name) => store().get('namespaces', name)?.metadata.labels?.['istio.io/rev'])).toEqual(['1-30', '1-30', '1-30']);
    for (const plural of ['deployments', 'services', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
      const revisions = store()
        .list(plural)
        .flatMap(({ metadata }) => metadata.labels?.['istio.io/rev'] ?? []);
      expect([plural, [...new Set(revisions)].filter((revision) => revision !== '1-30')]).toEqual([plural, []]);
    }
  });

  test('istiod counted its proxies by their versions', () => {
    const answers = [...(seen.answers.get(CONNECTED) ?? [])];
    expect(answers).toContain('version=1.27.3 6');
    expect(answers).toContain('version=1.30.2 6');
  });
});
