/** Which failures of a connection to Temporal end the worker, and what it says then. */
import { expect, test } from 'vitest';
import { isRefusal, TemporalUnreachableError } from '../../../worker/temporal/connection.ts';

const settings = { address: 'ns.acct.tmprl.cloud:7233', namespace: 'ns.acct', connection: {} };
const native = new Error(
  'Failed to call GetSystemInfo: Status { code: \'The caller does not have permission to execute the specified operation\', message: "Request unauthorized." }',
);

test.each<[string, unknown]>([
  ['of the native client, by its text', native],
  ['with a cause that says less', new Error('Request unauthorized.', { cause: new Error('transport error') })],
  ['by its gRPC code, whatever it says', Object.assign(new Error('7: no'), { code: 7 })],
  ['as the cause of another', new Error('connecting', { cause: Object.assign(new Error('no'), { code: 16 }) })],
])('RA18: a wrong API key is a refusal %s', (_what, error) => {
  expect(isRefusal(error)).toBe(true);
  const { message } = new TemporalUnreachableError(settings, error);
  expect(message).toMatch(/^Temporal at ns\.acct\.tmprl\.cloud:7233 refuses this process \(.+\)\. Check TEMPORAL_API_KEY/);
  expect(message).not.toContain('Start it');
});

test.each<[string, unknown]>([
  ['a server that is away', new Error('tcp connect error: Connection refused (os error 111)')],
  ['one that is overloaded', Object.assign(new Error('14 UNAVAILABLE'), { code: 14 })],
])('RA18: %s is none', (_what, error) => {
  expect(isRefusal(error)).toBe(false);
  expect(new TemporalUnreachableError(settings, error).message).toContain('Start it');
});
