/** forecast: prices of instance types, and what is said of those that cannot be. */
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../../domain/policy/config/base/errors.ts';
import { validateConfig } from '../../../../../domain/policy/config/config.ts';
import { policyOf } from '../../../../../domain/policy/config/of-cluster.ts';

const PLACE = { region: 'eu-west-1', account: '111122223333' };

const configOf = (own: object, defaults: object = {}) =>
  validateConfig({ clusters: { prod: { ...PLACE, ...own } }, defaults }, { fileName: 'belay.yaml' });

test('a cluster’s own prices replace those of defaults; without any there are none', () => {
  const prices = { 'm6i.large': 0.107, 'u7in-24tb.224xlarge': 400 };
  const eur = { forecast: { prices: { 'm6i.large': 0.1 }, currency: 'EUR' } };
  expect(policyOf(configOf({ forecast: { prices } }, eur), 'prod').forecast).toEqual({ prices });
  expect(policyOf(configOf({}, eur), 'prod').forecast).toEqual(eur.forecast);
  expect(policyOf(configOf({}), 'prod')).not.toHaveProperty('forecast');
});

test.each<[string, object, string]>([
  ['for nothing', { prices: { 'm6i.large': 0 } }, 'write the price of an hour, a number above 0 such as 0.096'],
  ['as text', { prices: { 'm6i.large': '0.10 USD' } }, 'write the price of an hour, a number above 0 such as 0.096'],
  ['of no type', { prices: { large: 1 } }, 'prices.large: 1 is not valid; write prices by instance type, such as m6i.large: 0.096'],
  ['in no currency', { currency: 'euros' }, 'write a currency such as USD or EUR'],
])('a price %s', (_what, forecast, right) => {
  let message = '';
  try {
    configOf({ forecast });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    ({ message } = error);
  }
  expect(message).toContain(right);
  expect(message).toContain('clusters.prod.forecast');
});
