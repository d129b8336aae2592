/** What a worker says to a Temporal server on its own machine is not compressed; all other connections are as the SDK has them. */
import { expect, test } from 'vitest';
import { nativeOptions } from '../../../worker/temporal/connect-natively.ts';

test.each(['localhost:7233', '127.0.0.1:40123', '[::1]:7233', 'localhost'])('%s: nothing is compressed', (address) =>
  expect(nativeOptions({ address, apiKey: 'key' })).toEqual({ address, apiKey: 'key', grpcCompression: { codec: 'none' } }),
);

test.each([
  'temporal.internal:7233',
  'belay.a1b2c.tmprl.cloud:7233',
  'localhost.example.com:7233',
  '127.0.0.1.example.com:7233',
  '10.0.0.7:7233',
])('%s: as the SDK has it', (address) => expect(nativeOptions({ address, apiKey: 'key' })).toEqual({ address, apiKey: 'key' }));
