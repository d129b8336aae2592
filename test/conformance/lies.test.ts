/** A twin that contradicts one belief is found out, and the belief is named. */
import { expect, test } from 'vitest';
import { DISPOSABLE } from './scenario.ts';
import { lines, openTwin } from './support.ts';

/** So long that the first update goes on while the second is asked for, however busy the machine is: ten seconds. */
const LASTING = { ...DISPOSABLE, tempo: { ...DISPOSABLE.tempo, addOnUpdateMs: 600_000 } };

const LIES = [
  { lie: 'eks:lie=addon-role-kept', id: 'EKS-ADDON-ROLE', saw: /coredns|vpc-cni still has arn:aws:iam/ },
  { lie: 'eks:lie=addon-configuration-dropped', id: 'EKS-ADDON-CONFIGURATION', saw: /coredns has "" now/ },
  { lie: 'eks:lie=token-forgotten', id: 'EKS-TOKEN-SAME', saw: /the same request again is refused: ResourceInUseException/ },
  { lie: 'eks:lie=two-updates', id: 'EKS-ONE-UPDATE', saw: /was accepted while .* is in progress/ },
  { lie: 'kubernetes:lie=test-ignored', id: 'K8S-PATCH-TEST', saw: /the object was changed/ },
  { lie: 'karpenter:lie=budget-ignored', id: 'KARPENTER-BUDGET-ZERO', saw: /nodes are replaced: default-/ },
];

test.each(LIES)(
  'RT10: with $lie, $id did not hold',
  async ({ lie, id, saw }) => {
    const twin = await openTwin(id === 'EKS-ONE-UPDATE' ? LASTING : DISPOSABLE, [lie]);
    try {
      const { tried } = await twin.run({ disposable: true, only: [id, 'EKS-ARN'] });
      expect(lines(tried, 'held').map((line) => line.split(':')[0])).toEqual(['EKS-ARN']);
      const [broken, untried] = [lines(tried, 'broken'), lines(tried, 'untried')];
      expect({ broken, untried }).toEqual({ broken: [expect.any(String)], untried: [] });
      expect(broken[0]).toMatch(new RegExp(`^${id}: `));
      expect(broken[0]).toMatch(saw);
    } finally {
      await twin.close();
    }
  },
  540_000,
);
