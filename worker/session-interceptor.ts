/** Gives an activity the session that its calls to AWS belong to: the run that asked for it, and whether it is one that changes something. */
import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import { inSession } from '../activities/clients/session.ts';
import { writes } from '../workflows/effects.ts';
import { RUN_HEADER } from '../workflows/ids.ts';

/** Workflows that are no runs, by the beginning of their ids. */
const PURPOSES: Readonly<Record<string, string>> = {
  'eks-check': 'check',
  'eks-plan': 'plan',
  'eks-undo-list': 'plan',
  'eks-versions': 'versions',
};

export function sessionInterceptor({ info }: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const header = input.headers[RUN_HEADER];
        const run = header === undefined ? undefined : defaultPayloadConverter.fromPayload(header);
        const session = { of: sessionOf(info, run), activity: info.activityType, writes: writes(info.activityType) };
        return await inSession(session, async () => await next(input));
      },
    },
  };
}

/** An activity of a run that an earlier release has begun may have no header: its workflow's own id says at least which part it was. */
function sessionOf({ workflowExecution }: Pick<Context['info'], 'workflowExecution'>, run: unknown): string {
  const { workflowId = '', runId } = workflowExecution ?? {};
  return PURPOSES[workflowId.split('/')[0] ?? ''] ?? (typeof run === 'string' ? run : (runId ?? 'worker'));
}
