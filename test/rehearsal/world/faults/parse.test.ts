/** The grammar of faults: AREA:WHAT[=VALUE][@MOMENT]. */
import { describe, expect, test } from 'vitest';
import { messageOf } from '../../../../domain/core/unknown.ts';
import { FAULT_ALIASES, FAULTS } from '../../../../rehearsal/world/faults/catalogue/catalogue.ts';
import { parseFault } from '../../../../rehearsal/world/faults/parse.ts';
import { CASES } from '../../../../scripts/cases-list.ts';

const MINUTE_MS = 60_000;
const always = Number.POSITIVE_INFINITY;

describe('is read', () => {
  test.each([
    ['eks:throttle', { name: 'eks:throttle', times: 3 }],
    ['eks:throttle=20@control-plane', { name: 'eks:throttle', at: 'control-plane', times: 20 }],
    ['eks:throttle=5m', { name: 'eks:throttle', times: always, lastsMs: 5 * MINUTE_MS }],
    ['eks:lost-response@UpdateClusterVersion', { name: 'eks:lost-response', at: 'UpdateClusterVersion', times: 1 }],
    [
      'eks:update-failed=PodEvictionFailure@node-groups',
      { name: 'eks:update-failed', at: 'node-groups', times: 1, word: 'PodEvictionFailure' },
    ],
    ['kubernetes:down=10m@control-plane', { name: 'kubernetes:down', at: 'control-plane', times: always, lastsMs: 10 * MINUTE_MS }],
    ['kubernetes:conflict@patch-nodepools', { name: 'kubernetes:conflict', at: 'patch-nodepools', times: 1 }],
    ['slack:down@GATE', { name: 'slack:down', at: 'GATE', times: always, lastsMs: 10 * MINUTE_MS }],
    ['temporal:slow=2s@node-groups', { name: 'temporal:latency', at: 'node-groups', times: always, delayMs: 2_000 }],
    ['control-plane-fails', { name: 'eks:update-failed', at: 'control-plane', times: 1, word: 'InsufficientFreeAddresses' }],
  ])('%s', (text, order) => {
    expect(parseFault(text)).toEqual({ text, ...order });
  });

  test.each(FAULTS.map(({ name }) => name))('%s as it stands in the list', (name) => {
    expect(parseFault(name).name).toBe(name);
  });

  test.each(Object.entries(FAULT_ALIASES))('%s stands for %s', (alias, full) => {
    expect(parseFault(alias)).toEqual({ ...parseFault(full), text: alias });
  });
});

describe('is refused with what would be right', () => {
  const moments =
    'GATE, a phase (control-plane-logging, karpenter-migration, karpenter-controller, istio, add-ons-bridge, freeze-drift, control-plane, node-groups, other-nodes, karpenter-drift, add-ons-target) or an operation such as UpdateClusterVersion, patch-nodepools or chat.postMessage';

  test.each([
    [
      'eks:throttle=often',
      '"eks:throttle=often": "often" is not what eks:throttle takes; write a number such as 3, or a duration such as 5m.',
    ],
    ['eks:throttle=0', '"eks:throttle=0": "0" is not what eks:throttle takes; write a number such as 3, or a duration such as 5m.'],
    ['kubernetes:down=10', '"kubernetes:down=10": "10" is not what kubernetes:down takes; write a duration such as 30s, 10m or 1h.'],
    ['slack:recycle=2', '"slack:recycle=2": slack:recycle takes no value.'],
    ['eks:hang@teatime', `"eks:hang@teatime": "teatime" is no moment; write ${moments}.`],
    [
      'eks:hang@bake',
      '"eks:hang@bake": bake changes nothing that the twin could see; a fault can begin at control-plane-logging, karpenter-migration, karpenter-controller, istio, add-ons-bridge, freeze-drift, control-plane, node-groups, other-nodes, karpenter-drift, add-ons-target.',
    ],
  ])('%s', (text, message) => {
    expect(() => parseFault(text)).toThrow(new RangeError(message));
  });

  test.each([
    ['eks:trottle', 'eks:throttle'],
    ['kubernetes:410', 'kubernetes:401'],
    ['slack:ratelimit', 'slack:rate-limit'],
    ['pdb:block', 'pdb:blocks'],
    ['control-plane-fail', 'control-plane-fails'],
  ])('%s: all there are, %s first', (text, nearest) => {
    const [head, first, ...others] = message(() => parseFault(text)).split('\n');
    expect([head, first?.trim()]).toEqual([`There is no fault "${text}". There are:`, nearest]);
    expect(others).toHaveLength(FAULTS.length + Object.keys(FAULT_ALIASES).length - 1);
  });

  test('an error code that is none, the nearest first', () => {
    const said = message(() => parseFault('eks:update-failed=PodEvictionFail'));
    expect(said).toMatch(/^"eks:update-failed=PodEvictionFail": "PodEvictionFail" is not one of PodEvictionFailure, /);
  });
});

test('every fault says what happens and what Belay does, and stands for cases that exist', () => {
  for (const { name, happens, belay, cases } of FAULTS) {
    expect([name, happens.length > 10, belay.length > 5]).toEqual([name, true, true]);
    expect([name, cases.filter((id) => !(id in CASES))]).toEqual([name, []]);
  }
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

function message(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return messageOf(error);
  }
  throw new Error('nothing was thrown');
}
