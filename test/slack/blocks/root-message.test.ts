/** Of a chain of failures, what people are shown. */
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { rootMessage } from '../../../client/calls/temporal-calls.ts';

const cause = new Error('unable to verify the first certificate');
const failure = ApplicationFailure.create({ message: 'listing nodes: the certificate is not trusted: check the authority', cause });
const activity = new ActivityFailure('Activity task failed', 'makePlan', '1', 'MAXIMUM_ATTEMPTS_REACHED', 'worker', failure);

test.each([
  ['an activity', activity],
  ['a child workflow', new ChildWorkflowFailure(undefined, { workflowId: 'x' }, 'planUpgrade', 'NON_RETRYABLE_FAILURE', activity)],
])('RD4: of %s it is the outermost message that says something, not the socket’s', (_what, error) => {
  expect(rootMessage(new Error('Workflow execution failed', { cause: error }))).toBe(failure.message);
});

test('RD4: without a failure of Belay’s it is the innermost', () => {
  expect(rootMessage(new Error('Failed', { cause: cause }))).toBe(cause.message);
});
