/** What forecasts cannot read anywhere: prices. */
import { z } from 'zod';
import { text } from '../base/fields.ts';

const RIGHT_PRICE = 'write the price of an hour, a number above 0 such as 0.096';

export const forecastSchema = z
  .strictObject({
    prices: z
      .record(
        text('write an instance type such as m6i.large', /^[a-z][a-z\d-]*\.[a-z\d-]+$/),
        z.number({ error: RIGHT_PRICE }).gt(0, { error: RIGHT_PRICE }),
        { error: 'write prices by instance type, such as m6i.large: 0.096' },
      )
      .describe(
        'Price of an hour by instance type, in the region of the cluster. If a type that comes or goes has none, the cost of extra nodes is unknown',
      )
      .optional(),
    currency: text('write a currency such as USD or EUR', /^[A-Z]{3}$/)
      .describe('Of the prices')
      .optional(),
  })
  .describe('Forecasts. A cluster’s own section replaces that of `defaults`');
