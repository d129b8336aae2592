import { describe, expect, test } from 'vitest';
import { type Killable, Kills, parseKill } from '../../../rehearsal/processes/kills.ts';
import { PhaseObserver } from '../../../rehearsal/processes/phase-observer.ts';
import type { Mutation } from '../../../rehearsal/world/journal.ts';

const eks = (operation: string, resource = 'cluster', accepted = true): Mutation => ({
  api: 'eks',
  operation,
  resource,
  accepted,
  at: '2025-04-29T08:00:00Z',
});
const kubernetes = (operation: string, resource = 'x/y'): Mutation => ({
  api: 'kubernetes',
  operation,
  resource,
  accepted: true,
  at: '2025-04-29T08:00:00Z',
});

describe('flags', () => {
  test('a process and a phase', () => expect(parseKill('worker@control-plane')).toEqual({ process: 'worker', at: 'control-plane' }));

  test('slack is killed at a click, so any phase with a gate will do', () => expect(parseKill('slack@bake').at).toBe('bake'));

  test.each<[string, string]>([
    ['worker', '"worker" is not a kill; write one of worker, slack, temporal, then @ and a phase, such as worker@control-plane.'],
    [
      'database@control-plane',
      '"database@control-plane" is not a kill; write one of worker, slack, temporal, then @ and a phase, such as worker@control-plane.',
    ],
    ['worker@a@b', '"worker@a@b" is not a kill; write one of worker, slack, temporal, then @ and a phase, such as worker@control-plane.'],
    [
      'worker@lunch',
      '"worker@lunch" names no phase; write one of control-plane-logging, karpenter-migration, karpenter-controller, istio, add-ons-bridge, freeze-drift, control-plane, node-groups, other-nodes, karpenter-drift, add-ons-target, back:freeze-drift, back:karpenter-controller, back:karpenter-drift, back:node-groups, add-ons-back, control-plane-back, node-classes-back after the @.',
    ],
    [
      'temporal@bake',
      'bake changes nothing that the twin could see, so there is no moment for "temporal@bake"; write one of control-plane-logging, karpenter-migration, karpenter-controller, istio, add-ons-bridge, freeze-drift, control-plane, node-groups, other-nodes, karpenter-drift, add-ons-target, back:freeze-drift, back:karpenter-controller, back:karpenter-drift, back:node-groups, add-ons-back, control-plane-back, node-classes-back.',
    ],
  ])('%s', (value, message) => expect(() => parseKill(value)).toThrow(message));
});

test('phases are told by what the stand-ins accepted, before and after the control plane moved', () => {
  const observer = new PhaseObserver();
  const seen = [
    eks('UpdateClusterConfig'),
    kubernetes('patch namespaces'),
    eks('UpdateAddon', 'addon/coredns'),
    kubernetes('patch nodepools'),
    eks('UpdateClusterVersion', 'cluster', false),
    eks('UpdateClusterVersion'),
    eks('UpdateNodegroupVersion', 'nodegroup/a'),
    kubernetes('patch statefulsets'),
    kubernetes('patch nodepools'),
    kubernetes('patch deployments'),
    eks('UpdateAddon', 'addon/coredns'),
  ].map((mutation) => observer.observe(mutation));
  expect(seen).toEqual([
    'control-plane-logging',
    'istio',
    'add-ons-bridge',
    'freeze-drift',
    undefined,
    'control-plane',
    'node-groups',
    'other-nodes',
    'karpenter-drift',
    undefined,
    'add-ons-target',
  ]);
});

test('a lower version than before takes the control plane back', () => {
  const observer = new PhaseObserver();
  const move = (version: string): Mutation => ({ ...eks('UpdateClusterVersion'), detail: { version } });
  expect(['1.32', '1.33', '1.32', '1.33'].map((version) => observer.observe(move(version)))).toEqual([
    'control-plane',
    'control-plane',
    'control-plane-back',
    'control-plane',
  ]);
});

test('a migration of Karpenter is told from the freeze and the change of the controller that follow it', () => {
  const observer = new PhaseObserver();
  const budget = (by: string): Mutation => ({
    ...kubernetes('patch nodepools'),
    detail: { body: `"belay.dev/freeze-guard":"…/${by}@1.31"` },
  });
  const seen = [
    kubernetes('delete validatingwebhookconfigurations', 'validatingwebhookconfigurations/validation.webhook.karpenter.sh'),
    budget('karpenter-migration'),
    kubernetes('create secrets', 'secrets/kube-system/sh.helm.release.v1.karpenter.v2'),
    kubernetes('patch nodepools'),
    budget('freeze-drift'),
    kubernetes('create secrets', 'secrets/kube-system/sh.helm.release.v1.karpenter.v3'),
  ].map((mutation) => observer.observe(mutation));
  expect(seen).toEqual([...Array.from({ length: 4 }, () => 'karpenter-migration'), 'freeze-drift', 'karpenter-controller']);
});

describe('orders', () => {
  function setUp(orders: string[], running: Killable[] = ['worker', 'slack', 'temporal']) {
    const killed: Killable[] = [];
    const kills = new Kills(orders.map(parseKill), {
      kill: (process) => {
        if (!running.includes(process)) return false;
        killed.push(process);
        return true;
      },
      say: () => undefined,
    });
    return { kills, killed };
  }

  test('each fires once, at the first mutation of its phase', () => {
    const { kills, killed } = setUp(['worker@control-plane', 'temporal@node-groups']);
    kills.onMutation(eks('UpdateClusterVersion', 'cluster', false));
    expect(killed).toEqual([]);
    kills.onMutation(eks('UpdateClusterVersion'));
    kills.onMutation(eks('UpdateClusterVersion'));
    kills.onMutation(eks('UpdateNodegroupVersion'));
    expect(killed).toEqual(['worker', 'temporal']);
    expect(kills.unfired).toEqual([]);
  });

  test("slack dies when the phase's gate is pressed, and at no mutation", () => {
    const { kills, killed } = setUp(['slack@node-groups']);
    kills.onMutation(eks('UpdateClusterVersion'));
    kills.onMutation(eks('UpdateNodegroupVersion'));
    kills.onClick('before:control-plane@1.32#1');
    expect(killed).toEqual([]);
    kills.onClick('before:node-groups@1.32#1');
    expect(killed).toEqual(['slack']);
  });

  test('an order that finds no process waits for the next moment, and is told if none comes', () => {
    const { kills } = setUp(['worker@control-plane'], []);
    kills.onMutation(eks('UpdateClusterVersion'));
    expect(kills.unfired).toEqual([{ process: 'worker', at: 'control-plane' }]);
    expect(kills.records).toEqual([]);
  });

  test('orders for one phase are as many deaths: who is down already is not killed again', () => {
    const { kills, killed } = setUp(['worker@control-plane', 'worker@control-plane']);
    kills.onMutation(eks('UpdateClusterVersion'));
    kills.onMutation(eks('UpdateClusterVersion'));
    expect(killed).toEqual(['worker']);
    expect(kills.unfired).toHaveLength(1);
    kills.recovered('worker');
    kills.onMutation(eks('UpdateClusterVersion'));
    expect(killed).toEqual(['worker', 'worker']);
  });

  test('recovery counts from the kill to the next request, once', () => {
    const { kills } = setUp(['worker@control-plane']);
    kills.onMutation(eks('UpdateClusterVersion'));
    expect(kills.records[0]?.recoveredMs).toBeUndefined();
    kills.recovered('slack');
    expect(kills.records[0]?.recoveredMs).toBeUndefined();
    kills.recovered('worker');
    const first = kills.records[0]?.recoveredMs;
    expect(first).toBeGreaterThanOrEqual(0);
    kills.recovered('worker');
    expect(kills.records[0]?.recoveredMs).toBe(first);
  });
});

test('the steps of a way back are told from those of the way up, and of another way up', () => {
  const observer = new PhaseObserver();
  const seen = (api: 'eks' | 'kubernetes', operation: string, detail: Record<string, unknown>, resource = 'x') =>
    observer.observe({ at: new Date(0).toISOString(), api, operation, resource, accepted: true, detail });
  const frozen = (minor: string) => ({ body: [{ value: `eks-upgrade/a/b/c/freeze-drift@${minor}` }] });
  const moments = [
    seen('kubernetes', 'patch nodepools', frozen('1.33')),
    seen('eks', 'UpdateClusterVersion', { version: '1.33' }),
    seen('eks', 'UpdateNodegroupVersion', { version: '1.33' }),
    seen('eks', 'UpdateAddon', { addonVersion: 'v1.33.3-eksbuild.4' }, 'addon/kube-proxy'),
    seen('kubernetes', 'patch nodepools', frozen('1.32')),
    seen('kubernetes', 'patch ec2nodeclasses', {}),
    seen('kubernetes', 'patch nodepools', {}),
    seen('eks', 'UpdateNodegroupVersion', { version: '1.32' }),
    seen('eks', 'UpdateAddon', { addonVersion: 'v1.32.0-eksbuild.2' }, 'addon/kube-proxy'),
    seen('eks', 'UpdateClusterVersion', { version: '1.32' }),
    seen('kubernetes', 'patch ec2nodeclasses', {}),
    seen('kubernetes', 'patch nodepools', frozen('1.33')),
    seen('eks', 'UpdateClusterVersion', { version: '1.33' }),
    seen('kubernetes', 'patch nodepools', {}),
  ];
  expect(moments).toEqual([
    'freeze-drift',
    'control-plane',
    'node-groups',
    'add-ons-target',
    'back:freeze-drift',
    'back:freeze-drift',
    'back:karpenter-drift',
    'back:node-groups',
    'add-ons-back',
    'control-plane-back',
    'node-classes-back',
    'node-classes-back',
    'control-plane',
    'karpenter-drift',
  ]);
});

test('steps that are undone one by one are told where the control plane has never moved', () => {
  const observer = new PhaseObserver();
  const seen = (operation: string, resource: string, body?: unknown) =>
    observer.observe({
      ...kubernetes(operation, resource),
      ...(body === undefined ? {} : { detail: { body: JSON.stringify(body) } }),
    });
  const addOn = (addonVersion: string) => observer.observe({ ...eks('UpdateAddon', 'addon/coredns'), detail: { addonVersion } });
  const frozen = (minor: string) => seen('patch nodepools', 'nodepools/default', [{ value: `eks-upgrade/a/b/c/freeze-drift@${minor}` }]);
  const chart = (tag: string) => seen('patch ocirepositories', 'ocirepositories/flux-system/karpenter', [{ value: { tag } }]);
  const lookAgain = () => seen('patch helmreleases', 'helmreleases/flux-system/karpenter', [{ value: 'belay-97698c98' }]);
  const lift = () => seen('patch nodepools', 'nodepools/default', []);
  const moments = [
    frozen('1.32'),
    chart('1.2.8'),
    lookAgain(),
    addOn('v1.11.4-eksbuild.2'),
    lift(),
    frozen('1.31'),
    chart('1.1.10'),
    lookAgain(),
    lift(),
    addOn('v1.11.3-eksbuild.10'),
    addOn('v1.11.3-eksbuild.2'),
    addOn('v1.11.4-eksbuild.2'),
    chart('1.2.8'),
    lookAgain(),
  ];
  expect(moments).toEqual([
    'freeze-drift',
    undefined,
    'karpenter-controller',
    'add-ons-bridge',
    'freeze-drift',
    'back:freeze-drift',
    'back:karpenter-controller',
    'back:karpenter-controller',
    'back:karpenter-drift',
    'add-ons-back',
    'add-ons-back',
    'add-ons-bridge',
    undefined,
    'karpenter-controller',
  ]);
});
