/** Types that a server has only from a minor on, as clients discover them. */
import { expect, test } from 'vitest';
import { groupDocument, groupList, resourceList } from '../../../rehearsal/kubernetes/http/views/discovery.ts';
import { createObjectStore } from '../../../rehearsal/kubernetes/object-store.ts';

const store = createObjectStore({ now: () => new Date('2026-02-10T08:00:00Z') });
const group = 'resource.k8s.io';

test.each([
  { serverVersion: '1.32', versions: undefined },
  { serverVersion: '1.33', versions: ['v1beta1'] },
  { serverVersion: '1.34', versions: ['v1', 'v1beta1'] },
])('$serverVersion has $versions of resource.k8s.io', ({ serverVersion, versions }) => {
  const served = { store, serverVersion };
  const entries = versions?.map((version) => ({ version }));
  const inList = expect.objectContaining({ groups: expect.arrayContaining([expect.objectContaining({ name: group })]) });
  if (entries === undefined) expect(groupList(served)).not.toEqual(inList);
  else expect(groupList(served)).toEqual(inList);
  expect(groupDocument(served, group)).toEqual(entries === undefined ? undefined : expect.objectContaining({ name: group }));
  if (entries !== undefined) expect(groupDocument(served, group)).toMatchObject({ versions: entries });
  expect(resourceList(served, group, 'v1beta1') === undefined).toBe(entries === undefined);
});
