/** A whole upgrade on a real control plane with real Karpenter and real istiods: only AWS, Slack, kubelets and Envoys are stand-ins. */
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_CHECKS } from '../../domain/policy/config/health/health-defaults.ts';
import { rehearse, type RehearsalResult } from '../../rehearsal/main.ts';
import { amiById } from '../../rehearsal/aws/eks/nodes/amis.ts';
import { wordsOf } from '../end-to-end/support/words.ts';
import { Recorder } from './support/recorder.ts';
import { RollRecorder } from './support/roll-recorder.ts';
import { PROGRAM } from '../support/program.ts';

const LIMIT_MS = 60 * 60_000;
const VERSION = 'kubernetes_build_info{job="kubernetes-apiservers"}';
const KARPENTER_UP = 'up{job="karpenter"}';
const DRIFT = 'sum by (reason) (karpenter_nodeclaims_disrupted_total)';
const CONNECTED = 'sum by (version) (pilot_xds)';
/** Usual checks that need neither kube-state-metrics, nor CoreDNS, nor the traffic of a mesh: none of them runs here. */
const CHECKS = ['api-server-errors', 'api-server-latency', 'karpenter-errors'];
const queryOf = (name: string): string => DEFAULT_CHECKS.find((check) => check.name === name)?.query ?? '';
const MESH = ['docs', 'pay', 'site'];

let run: RehearsalResult;
let seen: Recorder;
let roll: RollRecorder;

describe('whole on a real control plane, 1.33 → 1.34', () => {
  beforeAll(async () => {
    run = await rehearse({
      program: PROGRAM,
      scenario: 'whole',
      kubernetes: 'real',
      speed: 40,
      auto: 'approve',
      kills: ['worker@karpenter-drift'],
      faults: ['kubernetes:down=1m@control-plane'],
      say: () => undefined,
      onStage: (stage) => {
        seen = new Recorder(stage, [VERSION, KARPENTER_UP, DRIFT, CONNECTED, ...CHECKS.map(queryOf)]);
        roll = new RollRecorder(stage);
      },
    });
    seen.close();
    roll.close();
  }, LIMIT_MS);

  const world = () => {
    if (run.stage === undefined) throw new Error('nothing was played');
    return run.stage.built.world;
  };

  test('completes, and leaves nothing behind', () => {
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(world().eks.cluster).toMatchObject({ version: '1.34', status: 'ACTIVE' });
  });

  test('K1: the API server went away, came back, moved to the next minor, and no phase failed for it', () => {
    const versions = [...(seen.answers.get(VERSION) ?? [])].join('\n');
    expect(versions).toContain('git_version=v1.33.13');
    expect(versions).toContain('git_version=v1.34.4');
    expect(run.report?.faults).toMatchObject([{ fault: 'kubernetes:down=1m@control-plane', since: expect.any(String) }]);
    expect(world().journal.events.map(({ text }) => text)).toContain('kube-apiserver answers again');
    expect(run.report?.steps.filter(({ outcome }) => outcome !== 'completed')).toEqual([]);
  });

  test('Karpenter replaced all thirty NodeClaims, for drift of their images', () => {
    expect(seen.before.claims).toHaveLength(30);
    const claims = world().store.list('nodeclaims');
    expect(claims).toHaveLength(30);
    expect(claims.filter(({ metadata }) => seen.before.claims.includes(metadata.name))).toEqual([]);
    expect(new Set(claims.map(({ status }) => amiById(String(status?.imageID))?.minor))).toEqual(new Set(['1.34']));
    expect([...seen.driftReasons]).toEqual(['AMIDrift']);
  });

  test('K8: nothing was replaced between freeze and lift, though Karpenter had seen the drift', () => {
    expect(seen.heldBackCount).toBe(30);
    expect(seen.replaced.filter(({ frozen }) => frozen)).toEqual([]);
    // Nor was a replacement begun later, while a health check held the roll.
    expect(roll.started).not.toEqual([]);
    expect(roll.started.filter(({ frozen }) => frozen)).toEqual([]);
  });

  test('replacements kept to the budgets, which are as before', () => {
    expect(seen.mostAtOnceCount).toBeGreaterThan(1);
    expect(seen.overBudget).toEqual([]);
    expect(seen.budgets()).toEqual(seen.before.budgets);
  });

  test('K10: the worker was killed as the freeze was lifted, and no patch came twice', () => {
    expect(run.report?.killed).toEqual([{ process: 'worker', at: 'karpenter-drift', recoveredMs: expect.any(Number) }]);
    const patches = run.report?.mutations.filter(({ operation, accepted }) => operation === 'patch nodepools' && accepted);
    // Real API servers of a busy machine answer late at times: a health check then holds the roll, and lets it go on.
    const said = run.stage?.slack.messages().map(wordsOf) ?? [];
    const holds = said.filter((text) => /The roll (is on hold, because|continues)/.test(text));
    // The freeze, a slow and a faster pace, and the budgets as before.
    expect(patches).toHaveLength(4 + holds.length);
  });

  test('kubelets follow their images, in the node group as well', () => {
    expect(seen.before.kubelets.every((version) => version.startsWith('v1.33.'))).toBe(true);
    expect(seen.kubelets().every((version) => version.startsWith('v1.34.'))).toBe(true);
  });

  test('Prometheus scraped Karpenter and counted its replacements', () => {
    expect([...(seen.answers.get(KARPENTER_UP) ?? [])].some((answer) => answer.endsWith(' 1'))).toBe(true);
    expect([...(seen.answers.get(DRIFT) ?? [])].some((answer) => answer.startsWith('reason=drifted'))).toBe(true);
  });

  test.each(CHECKS)('the usual check %s saw figures in what real API servers and the real Karpenter measure', (name) => {
    const figures = [...(seen.answers.get(queryOf(name)) ?? [])].map(Number);
    expect(figures.filter((figure) => Number.isFinite(figure) && figure >= 0).length).toBeGreaterThan(0);
  });

  test('every meshed pod was injected by the new revision', () => {
    const pods = MESH.flatMap((namespace) => world().store.list('pods', { namespace })).filter(
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
    const { store } = world();
    expect(MESH.map((name) => store.get('namespaces', name)?.metadata.labels?.['istio.io/rev'])).toEqual(['1-30', '1-30', '1-30']);
    for (const plural of ['deployments', 'services', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
      const revisions = store.list(plural).flatMap(({ metadata }) => metadata.labels?.['istio.io/rev'] ?? []);
      expect([plural, [...new Set(revisions)].filter((revision) => revision !== '1-30')]).toEqual([plural, []]);
    }
  });

  test('the default validator went from revision to revision, each time before the old istiod was gone', () => {
    expect(seen.validatedBy).toEqual(['istiod-1-27', 'istiod-1-29', 'istiod-1-30']);
    expect(seen.deadCalls).toEqual([]);
  });

  test('istiod counted its proxies by their versions', () => {
    const answers = [...(seen.answers.get(CONNECTED) ?? [])];
    expect(answers).toContain('version=1.27.3 6');
    expect(answers).toContain('version=1.30.2 6');
  });

  test('each revision’s istiod had its proxies in sync, as istioctl proxy-status would show', () => {
    expect([...seen.synced]).toEqual(expect.arrayContaining(['1-27: 6 of 6 in sync, 1.27.3', '1-30: 6 of 6 in sync, 1.30.2']));
  });
});
