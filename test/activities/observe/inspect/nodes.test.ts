/** Kubelets by minor and owner. */
import { expect, test } from 'vitest';
import type { ClusterNode } from '../../../../activities/clients/kubernetes/objects.ts';
import { kubeletFacts, readNodes } from '../../../../activities/observe/inspect/nodes.ts';
import { createReader } from '../../../../activities/runtime/reader.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';
import { unread } from '../../../support/unread.ts';

test('nodes are counted by minor; one whose kubelet says no version is counted nowhere and is unknown, one that goes is not there', async () => {
  const port = new FakeKubernetes();
  for (const node of [nodeObject('a', '1.32'), nodeObject('b', '1.32'), nodeObject('going', '1.31', { deleting: true })])
    port.put('v1', 'nodes', node);
  port.put('v1', 'nodes', { ...nodeObject('odd', '1.32'), status: { nodeInfo: { kubeletVersion: 'devel' } } });
  port.put('v1', 'nodes', { ...nodeObject('silent', '1.32'), status: {} });
  const reader = createReader('unknown');
  const nodes: ClusterNode[] = (await readNodes(port, reader)) ?? [];
  expect(kubeletFacts(nodes, reader)).toEqual([{ minor: '1.32', count: 2, owner: 'karpenter' }]);
  expect(reader.unknowns).toEqual([
    unread('the kubelet version of node odd', 'it reports "devel"'),
    unread('the kubelet version of node silent', 'it reports ""'),
  ]);
});
