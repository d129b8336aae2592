/** Gives an activity the session that its calls to AWS belong to: the run that asked for it, and whether it may change something. */
import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptors, NativeConnection } from '@temporalio/worker';
import { inSession } from '../../../activities/clients/aws/session.ts';
import { failureOf, failureType } from '../../../activities/runtime/translate-errors.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Grants } from '../../../activities/run/authorization/grants.ts';
import { begins, writes } from '../../../workflows/runtime/activity-effects.ts';
import { RUN_HEADER } from '../../../workflows/contract/ids.ts';
import { firstIn, type FirstOf, parentIn, type ParentOf, rememberingParents, requireGrant } from './grants.ts';
import { keptIn, requireHistory, type RestoreDeps, startIn } from './restored.ts';

/** Workflows that are no runs, by the beginning of their ids. */
const PURPOSES: Readonly<Record<string, string>> = {
  'eks-check': 'check',
  'eks-forecast': 'forecast',
  'eks-plan': 'plan',
  'eks-undo-list': 'plan',
  'eks-versions': 'versions',
};

export interface SessionDeps {
  grants: Grants;
  parentOf: ParentOf;
  firstOf: FirstOf;
  restores: RestoreDeps;
  /** Throws where nothing could be recorded now. */
  recordable: () => Promise<void>;
}

/** Asks the Temporal of a connection, which may be made anew meanwhile. */
export function sessionOn(
  connection: () => NativeConnection,
  namespace: string,
  { grants, restores, recordable }: Pick<SessionDeps, 'grants' | 'recordable'> & { restores: Omit<RestoreDeps, 'startOf' | 'keptMs'> },
): SessionDeps {
  return {
    grants,
    recordable,
    parentOf: rememberingParents((execution) => parentIn(connection(), namespace, execution)),
    firstOf: rememberingParents((execution) => firstIn(connection(), namespace, execution)),
    restores: {
      ...restores,
      startOf: (execution) => startIn(connection(), namespace, execution),
      keptMs: () => keptIn(connection(), namespace),
    },
  };
}

/** What changes something is done with a grant alone, by the writer's role, and by a history that knows all of the run; everything else reads. */
export function createSessionInterceptor(deps: SessionDeps): (context: Context) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const isWrite = writes(info.activityType);
        const run = isWrite ? await requireGrant(info, input.headers, deps) : undefined;
        if (begins(info.activityType)) await requireRecord(info, deps.recordable);
        if (run !== undefined && begins(info.activityType)) await requireHistory(info, input.args[0], run, deps.restores);
        const header = input.headers[RUN_HEADER];
        const runId = header === undefined ? undefined : defaultPayloadConverter.fromPayload(header);
        const session = { of: sessionOf(info, runId), activity: info.activityType, writes: isWrite };
        return await inSession(session, async () => await next(input));
      },
    },
  });
}

/** No change without a record of it. What puts something back waits for none: its audit entry is written once the store is there again. */
async function requireRecord({ activityType }: Pick<Context['info'], 'activityType'>, recordable: () => Promise<void>): Promise<void> {
  try {
    await recordable();
  } catch (error) {
    const type = failureType(error) ?? 'Unavailable';
    throw failureOf(type, `${activityType} was not sent, since it could not be recorded: ${messageOf(error)}`, { cause: error });
  }
}

/** An activity of a run that an earlier release has begun may have no header: its workflow's own id says at least which part it was. */
function sessionOf({ workflowExecution }: Pick<Context['info'], 'workflowExecution'>, run: unknown): string {
  const { workflowId = '', runId } = workflowExecution ?? {};
  return PURPOSES[workflowId.split('/')[0] ?? ''] ?? (typeof run === 'string' ? run : (runId ?? 'worker'));
}
