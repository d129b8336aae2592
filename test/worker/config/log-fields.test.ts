/** What lines of logs are about, and that no secret is in them. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Payload, defaultPayloadConverter } from '@temporalio/common';
import { RUN_HEADER } from '../../../workflows/contract/ids.ts';
import { logFieldsOf } from '../../../worker/config/log-fields.ts';
import { withoutSecrets } from '../../../worker/config/log.ts';
import { logFieldsInterceptor } from '../../../worker/temporal/interceptors/log-fields.ts';

const RUN = 'eks-upgrade/111122223333/eu-west-1/prod';
/** By Node's own SHA-256: the first 16 bytes. */
const trace = (runId: string): string => createHash('sha256').update(`${RUN}${runId}`).digest().subarray(0, 16).toString('hex');

test.each([
  ['a run', RUN, 'first', undefined, { cluster: 'prod', run: 'first', trace_id: trace('first') }],
  [
    'a step whose run is known: one trace with its run',
    `${RUN}/control-plane@1.34`,
    'own',
    'first',
    { cluster: 'prod', step: 'control-plane@1.34', run: 'first', trace_id: trace('first') },
  ],
  ['a step whose run nobody has said: no run and no trace', `${RUN}/bake@1.34`, 'own', undefined, { cluster: 'prod', step: 'bake@1.34' }],
  [
    'last words of a run, which are no step',
    `${RUN}/last-words/first`,
    'own',
    'first',
    { cluster: 'prod', run: 'first', trace_id: trace('first') },
  ],
  ['a check', 'eks-check/111122223333/eu-west-1/prod/quiet/1.34', 'own', undefined, { cluster: 'prod' }],
  ['a rollback window', 'eks-rollback-window/111122223333/eu-west-1/prod', 'own', 'x', { cluster: 'prod' }],
  ['versions of many clusters', 'eks-versions/abc', 'own', undefined, {}],
  ['anything else', 'somebody-elses', 'own', undefined, {}],
])('%s', (_title, workflowId, runId, run, fields) => {
  expect(logFieldsOf({ workflowId, runId }, run)).toEqual(fields);
});

test('an activity’s lines have the run that its header names, and what the SDK says of it', async () => {
  const workflowExecution = { workflowId: `${RUN}/control-plane@1.34`, runId: 'own' };
  const { inbound, outbound } = logFieldsInterceptor({ info: { workflowExecution } as Parameters<typeof logFieldsInterceptor>[0]['info'] });
  const headers: Record<string, Payload> = { [RUN_HEADER]: defaultPayloadConverter.toPayload('first') };
  expect(await inbound?.execute?.({ args: [1], headers }, async (input) => input.args)).toEqual([1]);
  expect(outbound?.getLogAttributes?.({ activityType: 'describe' }, (attributes) => attributes)).toEqual({
    activityType: 'describe',
    cluster: 'prod',
    step: 'control-plane@1.34',
    run: 'first',
    trace_id: trace('first'),
  });
});

test.each([
  ['a token of Slack in an error', { msg: 'Slack answered: xoxb-1234-abcd' }, { msg: 'Slack answered: [redacted]' }],
  [
    'a field of the name, and a header in a stack',
    { msg: 'x', token: 'abcdefghij', error: { stack: 'Authorization: Bearer abc.def' } },
    { msg: 'x', token: '[redacted]', error: { stack: 'Authorization: Bearer [redacted]' } },
  ],
  [
    'a private key that is cut off: what stands beside it stays',
    { msg: '-----BEGIN PRIVATE KEY-----\nMIIE', cluster: 'prod' },
    { msg: '[redacted]', cluster: 'prod' },
  ],
])('no secret: %s', (_title, line, clean) => {
  const written = withoutSecrets(`${JSON.stringify(line)}\n`);
  expect(JSON.parse(written)).toEqual(clean);
  expect(written.endsWith('}\n')).toBe(true);
});

test('what is no JSON is cleaned as text', () => {
  expect(withoutSecrets('oh xapp-1-abc\n')).toBe('oh [redacted]\n');
});
