/** How long things take is learnt from records: whose, of which steps, and without what people took. */
import { describe, expect, test } from 'vitest';
import { learn } from '../../../../domain/run/durations/learn.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';
import type { GateState } from '../../../../domain/gates/gate.ts';
import { at, gate, MINUTE_MS, past } from './support.ts';
import type { Learnt } from '../../../../domain/plan/model/usual.ts';

const SIBLING = { ...CLUSTER, name: 'sibling' };
const STRANGER = { ...CLUSTER, name: 'stranger' };

function learnt(...upgrades: ReturnType<typeof past>[]): Learnt {
  return learn(upgrades, {
    cluster: CLUSTER,
    environment: 'production',
    environmentOf: ({ name }) => ({ [CLUSTER.name]: 'production', sibling: 'production', stranger: 'staging' })[name],
  });
}

const controlPlane = step('control-plane');

describe('whose upgrades count', () => {
  const took = (minutes: number, cluster = CLUSTER): ReturnType<typeof past> => past([{ step: controlPlane, minutes }], { cluster });

  test.each([
    ['this cluster alone, as soon as there is one', [took(11), took(40, SIBLING), took(50, STRANGER)], 11, 1, 'cluster'],
    ['else its environment', [took(40, SIBLING), took(44, SIBLING), took(50, STRANGER)], 42, 2, 'environment'],
    ['else all of them', [took(50, STRANGER)], 50, 1, 'all'],
    ['a cluster that belay.yaml no longer names is one of all', [took(30, { ...CLUSTER, name: 'gone' })], 30, 1, 'all'],
    ['the same name in another account is another cluster', [took(30, { ...CLUSTER, account: '999999999999' })], 30, 1, 'environment'],
  ] as const)('%s', (_title, upgrades, minutes, count, of) => {
    expect(learnt(...upgrades)['control-plane']).toMatchObject({ medianMs: minutes * MINUTE_MS, count, of });
  });

  test('the median, with the range: one night on which everything was slow changes little', () => {
    expect(learnt(...[10, 11, 12, 95].map((minutes) => took(minutes)))['control-plane']).toEqual({
      medianMs: 11.5 * MINUTE_MS,
      minMs: 10 * MINUTE_MS,
      maxMs: 95 * MINUTE_MS,
      count: 4,
      of: 'cluster',
    });
  });

  test('only the newest ten: what was usual long ago no longer is', () => {
    const upgrades = [...Array.from({ length: 10 }, () => took(10)), ...Array.from({ length: 30 }, () => took(60))];
    expect(learnt(...upgrades)['control-plane']).toMatchObject({ medianMs: 10 * MINUTE_MS, maxMs: 10 * MINUTE_MS, count: 10 });
  });

  test('without records nothing is known', () => expect(learnt()).toEqual({}));
});

describe('which durations count', () => {
  test('what people took at gates within the step is left out, overlaps once', () => {
    const roll = step('karpenter-drift');
    const gates = [gate('blocked:a#1', roll.id, 5, 20), gate('blocked:b#1', roll.id, 10, 25), gate('wave:c#1', 'node-groups@1.32', 30, 39)];
    expect(learnt(past([{ step: roll, minutes: 50 }], { decisions: gates }))['karpenter-node']?.medianMs).toBe((30 / 3) * MINUTE_MS);
  });

  test('a roll goes on while people decide on a faster pace; what they froze it for is left out, once beside a gate', () => {
    const roll = step('karpenter-drift');
    const asked = [gate(`pace:${roll.id}#1`, roll.id, 5, 35)];
    expect(learnt(past([{ step: roll, minutes: 60 }], { decisions: asked }))['karpenter-node']?.medianMs).toBe((60 / 3) * MINUTE_MS);
    const blocked = [gate(`blocked:${roll.id}/a#1`, roll.id, 20, 40)];
    const frozen = past([{ step: roll, minutes: 60, held: [[10, 30]] }], { decisions: blocked });
    expect(learnt(frozen)['karpenter-node']?.medianMs).toBe((30 / 3) * MINUTE_MS);
  });

  test('EKS goes on with an update that takes long while people are asked about it', () => {
    const asked = [gate(`blocked:${controlPlane.id}/update#1`, controlPlane.id, 40, 70)];
    expect(learnt(past([{ step: controlPlane, minutes: 70 }], { decisions: asked }))['control-plane']?.medianMs).toBe(70 * MINUTE_MS);
  });

  test.each([
    [
      'a step that failed and was retried',
      past([{ step: controlPlane, minutes: 70 }], { decisions: [gate('failed:control-plane@1.32#1', controlPlane.id, 60, 61)] }),
    ],
    ['a step that was skipped', past([{ step: controlPlane, minutes: 1, state: 'skipped' }])],
    ['a step that the end of the run has cut off', past([{ step: controlPlane, minutes: 1, state: 'aborted' }])],
    [
      'a step for which others were asked: their merge took the time',
      past([{ step: controlPlane, minutes: 600 }], { asked: [{ step: controlPlane.id }] }),
    ],
    ['a roll that had no node to replace', past([{ step: step('karpenter-drift'), minutes: 2, rolled: 0 }])],
  ])('not %s', (_title, upgrade) => expect(learnt(upgrade)).toEqual({}));

  test('an upgrade of two hops is one upgrade, whose hops are averaged', () => {
    const second = step('control-plane', { id: 'control-plane@1.33', hop: '1.33' });
    const upgrade = past([
      { step: controlPlane, minutes: 10 },
      { step: second, minutes: 20 },
    ]);
    expect(learnt(upgrade)['control-plane']).toMatchObject({ medianMs: 15 * MINUTE_MS, count: 1 });
  });
});

describe('per unit', () => {
  test.each([
    ['nodes of Karpenter, as many as were replaced', step('karpenter-drift'), 8, 'karpenter-node', 6],
    ['nodes of the largest group', step('node-groups'), undefined, 'group-node', 24],
    ['add-ons', step('add-ons-target'), undefined, 'add-on', 48],
    ['the whole step', step('pre-checks'), undefined, 'pre-checks', 48],
  ] as const)('%s', (_title, planned, rolled, unit, minutes) => {
    expect(learnt(past([{ step: planned, minutes: 48, rolled }]))[unit]?.medianMs).toBe(minutes * MINUTE_MS);
  });

  test('a bake lasts as long as belay.yaml says, so nothing is learnt of it', () => {
    expect(learnt(past([{ step: step('bake'), minutes: 48 }]))).toEqual({});
  });

  test('waves of Istio: the bake before the retirement is no wave', () => {
    const canaries = [
      {
        fromRevision: '1-28',
        fromVersion: '1.28.1',
        toRevision: '1-30',
        toMinor: '1.30',
        waves: [['a'], ['b', 'c']],
        retire: { bakeMs: 30 * MINUTE_MS },
      },
    ];
    const mesh = step('istio', { params: { phase: 'istio', canaries, managedBy: 'helm', moveBy: 'label', judgedBy: 'state' as const } });
    expect(learnt(past([{ step: mesh, minutes: 50 }]))['istio-wave']?.medianMs).toBe(10 * MINUTE_MS);
    // What a wave takes has its bake in it, whether or not the bake has a gate; one that people ended says nothing about the next.
    const bakes = [gate(`bake:${mesh.id}/1-30.1#1`, mesh.id, 2, 8), gate(`bake:${mesh.id}/retire-1-28#1`, mesh.id, 20, 50)];
    const over = bakes.map(({ gate: of }, index) => ({ kind: 'withdrawn' as const, gate: of, at: at([8, 50][index] ?? 0), why: 'over' }));
    expect(learnt(past([{ step: mesh, minutes: 50 }], { decisions: over as GateState[] }))['istio-wave']?.medianMs).toBe(10 * MINUTE_MS);
    expect(learnt(past([{ step: mesh, minutes: 24 }], { decisions: bakes }))).toEqual({});
  });
});
