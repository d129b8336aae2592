/** Node classes pinned to the images in use: what has launched nothing counts for nothing, and what others change meanwhile is theirs. */
import { describe, expect, test } from 'vitest';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeClaimObject, nodeClassObject, nodeObject } from '../../../support/kubernetes-objects.ts';

const CLASS = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };

function world() {
  const port = new FakeKubernetes()
    .put(CLASS.apiVersion, CLASS.plural, nodeClassObject('default'))
    .put('v1', 'nodes', nodeObject('a', '1.32'))
    .put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-a', 'a', { image: 'ami-x86' }));
  return { port, hold: () => createKarpenterActivities(depsOf(port)).holdAmis({ cluster: CLUSTER }) };
}

test('a NodeClaim that has not launched yet has no image to keep', async () => {
  const { port, hold } = world();
  port.put('karpenter.sh/v1', 'nodeclaims', nodeClaimObject('claim-b', undefined, { image: '' }));
  expect(await hold()).toEqual({ held: ['default'], refused: [] });
  expect(port.look(CLASS).spec).toMatchObject({ amiSelectorTerms: [{ id: 'ami-x86' }] });
});

describe('changed by others between look and patch', () => {
  test.each<[string, object[], Awaited<ReturnType<ReturnType<typeof world>['hold']>>]>([
    ['to ids of their own: nothing is left to hold', [{ id: 'ami-theirs' }], { held: [], refused: [] }],
    [
      'to an alias of no known family: it is not said to be held',
      [{ alias: 'flatcar@latest' }],
      { held: [], refused: [{ nodeClass: 'default', why: 'alias flatcar@latest belongs to no AMI family that is known' }] },
    ],
  ])('%s', async (_title, amiSelectorTerms, outcome) => {
    const { port, hold } = world();
    port.beforePatch = () => {
      port.beforePatch = undefined;
      port.edit(CLASS, (object) => void (object.spec = { amiSelectorTerms }));
    };
    expect(await hold()).toEqual(outcome);
    expect(port.look(CLASS).spec).toEqual({ amiSelectorTerms });
    expect(port.patches).toEqual([]);
  });

  test('deleted: nothing is held', async () => {
    const { port, hold } = world();
    port.beforePatch = () => port.remove(CLASS);
    expect(await hold()).toEqual({ held: [], refused: [] });
  });
});
