/** A whole upgrade on a real control plane with real Karpenter: only AWS, Slack and kubelets are stand-ins. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rehearse, type RehearsalResult } from '../../rehearsal/main.ts';
import { amiById } from '../../rehearsal/eks/amis.ts';
import { Recorder } from './support/recorder.ts';

const LIMIT_MS = 20 * 60_000;
const VERSION = 'kubernetes_build_info{job="kubernetes-apiservers"}';
const KARPENTER_UP = 'up{job="karpenter"}';
const DRIFT = 'sum by (reason) (karpenter_nodeclaims_disrupted_total)';

let run: RehearsalResult;
let seen: Recorder;

describe('karpenter-30 on a real control plane, 1.33 → 1.34', () => {
  beforeAll(async () => {
    run = await rehearse({
      scenario: 'karpenter-30',
      kubernetes: 'real',
      speed: 20,
      auto: 'approve',
      kills: [],
      faults: [],
      say: () => undefined,
      onStage: (stage) => void (seen = new Recorder(stage, [VERSION, KARPENTER_UP, DRIFT])),
    });
    seen.close();
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

  test('the API server itself moved from one minor to the next', () => {
    const versions = [...(seen.answers.get(VERSION) ?? [])].join('\n');
    expect(versions).toContain('git_version=v1.33.13');
    expect(versions).toContain('git_version=v1.34.4');
  });

  test('Karpenter replaced all thirty NodeClaims, for drift of their images', () => {
    expect(seen.before.claims).toHaveLength(30);
    const claims = world().store.list('nodeclaims');
    expect(claims).toHaveLength(30);
    expect(claims.filter(({ metadata }) => seen.before.claims.includes(metadata.name))).toEqual([]);
    expect(new Set(claims.map(({ status }) => amiById(String(status?.imageID))?.minor))).toEqual(new Set(['1.34']));
    expect([...seen.driftReasons]).toEqual(['AMIDrift']);
  });

  test('nothing was replaced between freeze and lift, though Karpenter had seen the drift', () => {
    expect(seen.heldBackCount).toBe(30);
    expect(seen.replaced.filter(({ frozen }) => frozen)).toEqual([]);
  });

  test('replacements kept to the budgets, which are as before', () => {
    expect(seen.mostAtOnceCount).toBeGreaterThan(1);
    expect(seen.overBudget).toEqual([]);
    expect(seen.budgets()).toEqual(seen.before.budgets);
  });

  test('kubelets follow their images, in the node group as well', () => {
    expect(seen.before.kubelets.every((version) => version.startsWith('v1.33.'))).toBe(true);
    expect(seen.kubelets().every((version) => version.startsWith('v1.34.'))).toBe(true);
  });

  test('Prometheus scraped Karpenter and counted its replacements', () => {
    expect([...(seen.answers.get(KARPENTER_UP) ?? [])].some((answer) => answer.endsWith(' 1'))).toBe(true);
    expect([...(seen.answers.get(DRIFT) ?? [])].some((answer) => answer.startsWith('reason=drifted'))).toBe(true);
  });
});
