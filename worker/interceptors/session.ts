/** Gives an activity the session that its calls to AWS belong to: the run that asked for it, and whether it may change something. */
import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { inSession } from '../../activities/clients/aws/session.ts';
import type { Grants } from '../../activities/run/authorization/grants.ts';
import { writes } from '../../workflows/runtime/activity-effects.ts';
import { RUN_HEADER } from '../../workflows/contract/ids.ts';
import { type ParentOf, requireGrant } from './grants.ts';

/** Workflows that are no runs, by the beginning of their ids. */
const PURPOSES: Readonly<Record<string, string>> = {
  'eks-check': 'check',
  'eks-plan': 'plan',
  'eks-undo-list': 'plan',
  'eks-versions': 'versions',
};

/** What changes something is done with a grant alone, by the writer's role; everything else reads. */
export function createSessionInterceptor(deps: { grants: Grants; parentOf: ParentOf }): (context: Context) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const changes = writes(info.activityType);
        if (changes) await requireGrant(info, input.headers, deps);
        const header = input.headers[RUN_HEADER];
        const run = header === undefined ? undefined : defaultPayloadConverter.fromPayload(header);
        const session = { of: sessionOf(info, run), activity: info.activityType, writes: changes };
        return await inSession(session, async () => await next(input));
      },
    },
  });
}

/** An activity of a run that an earlier release has begun may have no header: its workflow's own id says at least which part it was. */
function sessionOf({ workflowExecution }: Pick<Context['info'], 'workflowExecution'>, run: unknown): string {
  const { workflowId = '', runId } = workflowExecution ?? {};
  return PURPOSES[workflowId.split('/')[0] ?? ''] ?? (typeof run === 'string' ? run : (runId ?? 'worker'));
}
