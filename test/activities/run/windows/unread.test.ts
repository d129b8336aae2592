/** Windows and orders where EKS does not answer, or refuses to. */
import { expect, test } from 'vitest';
import type { AwsClients } from '../../../../activities/clients/aws/clients.ts';
import { createWindowActivities } from '../../../../activities/run/windows/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';

const NOW = '2026-03-03T12:00:00.000Z';

/** EKS answers for the cluster itself, and with this error for all others. */
function activities(name: string, httpStatusCode: number, knows: readonly string[] = []) {
  const error = Object.assign(new Error('It says why.'), { name, $metadata: { httpStatusCode } });
  const arn = `arn:aws:eks:${CLUSTER.region}:${CLUSTER.account}:cluster/${CLUSTER.name}`;
  const send = ({ input }: { input: { name: string } }) =>
    knows.includes(input.name) ? Promise.resolve({ cluster: { ...input, arn, version: '1.32' } }) : Promise.reject(error);
  return createWindowActivities({
    aws: () => ({ eks: { send }, eksDate: () => NOW }) as unknown as AwsClients,
    windowsOf: () => undefined,
    store: { upgradesOf: async () => [{ to: '1.32', endedAt: '2026-01-01T00:00:00.000Z' }] },
  });
}

test('a wait for a window does not outlast an EKS that is away for longer than it may be', async () => {
  const { awaitWindow } = activities('ServerException', 500);
  const timing = { ...QUICK, apiTransientMs: 30 };
  await expect(awaitWindow({ cluster: CLUSTER, timing, phases: ['control-plane'], needMs: 1 })).rejects.toMatchObject({
    type: 'Unavailable',
  });
});

test('an earlier cluster that may not be read has not baked, as far as is known', async () => {
  const { judgeOrder } = activities('AccessDeniedException', 403, [CLUSTER.name]);
  const after = { environment: 'staging', clusters: [{ ...CLUSTER, name: 'staging' }], bakedDays: 3 };
  expect(await judgeOrder({ cluster: CLUSTER, target: '1.32', after })).toEqual({
    status: 'unknown',
    lines: [expect.stringMatching(/^staging cannot be read: .*AWS answered AccessDeniedException \(It says why\)/)],
  });
});
