/** The beliefs that are tried by reading are the contract of the twin's outsides: each holds, and between them its scenarios have something of every kind. */
import { beforeAll, describe, expect, test } from 'vitest';
import { BELIEFS } from '../../domain/tables/beliefs/index.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';
import { DISPOSABLE } from './scenario.ts';
import { lines, openTwin } from './support.ts';

const SCENARIOS = ['seed-002', 'karpenter-flux', 'istio-argo', 'small-istio-helm', 'karpenter-helm', DISPOSABLE] as const;
const READING = BELIEFS.flatMap(({ id, trial }) => (trial === 'reads' ? id : []));

const nameOf = (scenario: (typeof SCENARIOS)[number]): string => (typeof scenario === 'string' ? scenario : scenario.name);

interface Outcome {
  tried: Tried[];
  /** What was changed in the world meanwhile. */
  changed: string[];
}
const outcomes = new Map<string, Outcome>();

beforeAll(async () => {
  for (const scenario of SCENARIOS) {
    const twin = await openTwin(scenario);
    try {
      const { tried } = await twin.run();
      const changed = twin.stage.built.world.journal.mutations.map(({ resource }) => resource);
      outcomes.set(nameOf(scenario), { tried, changed: changed.filter((resource) => !resource.startsWith('selfsubject')) });
    } finally {
      await twin.close();
    }
  }
}, 720_000);

test.each(SCENARIOS.map(nameOf))('on %s nothing is false, all is answered, and nothing was changed', (scenario) => {
  const { tried = [], changed } = outcomes.get(scenario) ?? {};
  expect(lines(tried, 'broken')).toEqual([]);
  const because = tried.flatMap(({ verdict }) => (verdict.kind === 'untried' ? verdict.because : []));
  expect(because).not.toContain('right');
  expect(because).not.toContain('unanswered');
  expect(changed).toEqual([]);
});

describe('RT10: the twin does what is believed', () => {
  test.each(READING)('%s', (id) => {
    const verdicts = [...outcomes].flatMap(([scenario, { tried }]) =>
      tried.filter((one) => one.id === id).map(({ verdict }) => ({ scenario, ...verdict })),
    );
    expect(verdicts).toContainEqual(expect.objectContaining({ kind: 'held' }));
    expect(verdicts.filter(({ kind }) => kind === 'broken')).toEqual([]);
  });

  test('there are as many of them as there were', () => expect(READING.length).toBeGreaterThanOrEqual(25));
});
