/** Instances of one's own groups in the twin, while a lifecycle hook holds them: as long as heartbeats come, a hundred of them at most. */
import { expect, test } from 'vitest';
import type { AutoScalingGroup } from '../../../rehearsal/aws/network.ts';
import { latestAmi } from '../../../rehearsal/aws/eks/nodes/amis.ts';
import { globalTimeoutSeconds, startRefresh } from '../../../rehearsal/controllers/instance-refresh.ts';
import { MINUTE_MS, steppedWorld, stepUntil } from '../support.ts';

const HOOK = { name: 'belay-drain', transition: 'autoscaling:EC2_INSTANCE_TERMINATING', defaultResult: 'CONTINUE' } as const;

test.each([
  ['without heartbeats one instance is held for the time of one', false, 1],
  ['with heartbeats it is held for a hundred times that', true, 100],
])('%s', (_what, beats, minutes) => {
  const built = steppedWorld('instance-refresh');
  const { world } = built;
  const group = world.eks.network.autoScalingGroups.find(({ name }) => name === 'batch') as AutoScalingGroup;
  const template = world.eks.network.launchTemplates.find(({ id }) => id === group.launchTemplate.id);
  template?.versions.push({ number: 2, imageId: latestAmi('al2023', '1.32', world.clock.now())?.id });
  group.hooks = [{ ...HOOK, heartbeatSeconds: 60 }];
  startRefresh(world, group, { id: group.launchTemplate.id, version: '2' });
  stepUntil(built, 'an instance is held', () => (group.leaving ?? []).length > 0);
  const [held] = group.leaving ?? [];
  const sinceMs = world.clock.nowMs();
  const isThere = (): boolean => world.store.get('nodes', held?.node ?? '') !== undefined;
  const isGone = (): boolean => {
    if (beats && held !== undefined) held.sinceMs = world.clock.nowMs();
    return !isThere();
  };
  stepUntil(built, 'its time is over', isGone, 2 * minutes);
  expect(Math.round((world.clock.nowMs() - sinceMs) / MINUTE_MS)).toBe(minutes);
});

test('the longest heartbeats hold it for two days', () => {
  expect(globalTimeoutSeconds({ ...HOOK, heartbeatSeconds: 7_200 })).toBe(172_800);
});
