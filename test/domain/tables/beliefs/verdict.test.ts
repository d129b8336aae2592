/** How many beliefs hold: what could not be tried is counted as that, and apart where a right or an answer is missing. */
import { expect, test } from 'vitest';
import { countTried, type Tried, type Verdict } from '../../../../domain/tables/beliefs/verdict.ts';

const tried = (verdict: Verdict, left: Tried['left'] = []): Tried => ({ id: 'B1', says: '', verdict, restored: [], left });
const untried = (because: Extract<Verdict, { kind: 'untried' }>['because']): Tried => tried({ kind: 'untried', because, why: '' });

test.each<[string, Tried[], ReturnType<typeof countTried>]>([
  ['nothing', [], { held: 0, broken: 0, untried: 0, blind: 0, left: 0 }],
  [
    'all that was seen',
    [
      tried({ kind: 'held', saw: '' }),
      tried({ kind: 'held', saw: '' }),
      tried({ kind: 'broken', saw: '' }, [{ what: 'a tag', why: 'gone' }]),
    ],
    { held: 2, broken: 1, untried: 0, blind: 0, left: 1 },
  ],
  [
    'all that was not',
    [untried('absent'), untried('changes'), untried('never'), untried('right'), untried('unanswered')],
    { held: 0, broken: 0, untried: 5, blind: 2, left: 0 },
  ],
])('%s', (_what, all, counts) => {
  expect(countTried(all)).toEqual(counts);
});
