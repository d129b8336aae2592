/** What Kubernetes' selectors select, and how they are written in a query. */
import { describe, expect, test } from 'vitest';
import { type LabelSelector, matches, toQuery } from '../../../domain/core/label-selectors.ts';

const by = (operator: string, ...values: string[]): LabelSelector => ({ matchExpressions: [{ key: 'app', operator, values }] });

describe('a selector', () => {
  test.each<[string, LabelSelector | null | undefined, { web: boolean; none: boolean }, string | undefined]>([
    ['that is empty takes everything', {}, { web: true, none: true }, undefined],
    ['of labels', { matchLabels: { app: 'web' } }, { web: true, none: false }, 'app=web'],
    ['In', by('In', 'web', 'api'), { web: true, none: false }, 'app in (web,api)'],
    ['In others', by('In', 'api'), { web: false, none: false }, 'app in (api)'],
    ['NotIn, which takes what has no such label', by('NotIn', 'web'), { web: false, none: true }, 'app notin (web)'],
    ['NotIn others', by('NotIn', 'api'), { web: true, none: true }, 'app notin (api)'],
    ['Exists', by('Exists'), { web: true, none: false }, 'app'],
    ['DoesNotExist', by('DoesNotExist'), { web: false, none: true }, '!app'],
    [
      'of both, which have to match both',
      { matchLabels: { app: 'web' }, ...by('In', 'api') },
      { web: false, none: false },
      'app=web,app in (api)',
    ],
  ])('%s', (_what, selector, { web, none }, query) => {
    expect([matches(selector, { app: 'web' }), matches(selector, {})]).toEqual([web, none]);
    expect(toQuery(selector ?? {})).toBe(query);
  });

  test.each([undefined, null])('that is not there (%s) takes nothing', (selector) => {
    expect([matches(selector, { app: 'web' }), matches(selector)]).toEqual([false, false]);
  });

  test('with an operator that is not known takes nothing', () => {
    expect(matches(by('Like', 'web'), { app: 'web' })).toBe(false);
  });
});
