/** The beliefs that are tried by reading hold on the twin, and between them its scenarios have something of every kind. */
import { expect, test } from '@jest/globals';
import { BELIEFS } from '../../domain/tables/beliefs/index.ts';
import { lines, openTwin } from './support.ts';

/** Nothing of that kind is in these scenarios before something was changed; changes.test.ts tries them. */
const AFTER_CHANGES = ['EKS-UPDATE-CLOCK', 'EKS-UPDATE-CODES', 'EKS-UPDATE-ENDS', 'EKS-UPDATE-OF-RESOURCE', 'EKS-UPDATE-PARAMS'];
/** The twin's API server tells of deprecated APIs only once somebody asks for one. */
const NOWHERE = ['K8S-DEPRECATED'];

const seen = new Set<string>();

test.each(['seed-002', 'karpenter-flux', 'istio-argo', 'small-istio-helm', 'karpenter-helm'])(
  'on %s nothing is false',
  async (scenario) => {
    const twin = await openTwin(scenario);
    try {
      const { tried } = await twin.run();
      expect(lines(tried, 'broken')).toEqual([]);
      for (const { id, verdict } of tried) if (verdict.kind === 'held') seen.add(id);
      const because = tried.flatMap(({ verdict }) => (verdict.kind === 'untried' ? verdict.because : []));
      expect(because).not.toContain('right');
      expect(because).not.toContain('unanswered');
      // Nothing was changed.
      expect(twin.stage.built.world.journal.mutations.filter(({ resource }) => !resource.startsWith('selfsubject'))).toEqual([]);
    } finally {
      await twin.close();
    }
  },
);

test('each of them was tried somewhere', () => {
  const reading = BELIEFS.flatMap(({ id, trial }) => (trial === 'reads' ? id : []));
  expect(reading.length).toBeGreaterThanOrEqual(25);
  expect(reading.filter((id) => !seen.has(id)).toSorted()).toEqual([...AFTER_CHANGES, ...NOWHERE].toSorted());
});
