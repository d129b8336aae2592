/** Are the keys here with which open runs were written? After a restore, or on a new machine, they may not be. */
import proto from '@temporalio/proto';
import { executionsOn, type ServiceConnection, shellWord } from '../../client/calls/worker-deployments.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { WORKFLOWS } from '../../workflows/contract/messages.ts';
import { PHASE_WORKFLOWS } from '../../workflows/contract/phase-workflows.ts';
import { type CodecKey, codecKeys } from '../crypto/codec/keys.ts';
import type { Logger } from '../config/log.ts';
import { whyUnreadable } from './history.ts';
import { IS_OPEN } from '../../client/calls/open.ts';

/** Upgrades, and what goes on without one: the guard of a kept freeze, the clock of the rollback window, a campaign that waits. */
const TYPES = [WORKFLOWS.upgrade, PHASE_WORKFLOWS['freeze-drift'], WORKFLOWS.rollbackWindow, WORKFLOWS.campaign];
/** What is started on another queue is nobody's run: no worker ever looks at it, so that it would stay open for good. */
const OPEN_RUNS = `${IS_OPEN} AND TaskQueue = '${TASK_QUEUE}' AND WorkflowType IN (${TYPES.map((type) => `'${type}'`).join(', ')})`;
/** Whoever reaches Temporal can start runs that nobody can read, newer than all others: one that is read among so many is enough. */
const LOOKED_AT = 200;
const PAGE_SIZE = 20;

/** A worker without the keys would refuse all that its runs say, one message after the other. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

export interface KeysMissing {
  why: string;
  namespace: string;
  /** Of the newest of these runs. */
  workflowId: string;
}

/** Whoever reaches Temporal can start what nobody can read, under any ID: then no key is missing. */
export const orNobodys = ({ namespace, workflowId }: KeysMissing): string =>
  `if the newest of them is no run of yours: temporal workflow terminate --namespace ${shellWord(namespace)} --workflow-id ${shellWord(workflowId)}`;

/** undefined: one of the open runs can be read, or there is none. That some cannot is no reason. */
export async function whyKeysMissing(
  connection: ServiceConnection,
  namespace: string,
  keys: readonly CodecKey[],
): Promise<KeysMissing | undefined> {
  let newest: KeysMissing | undefined;
  let lookedAt = 0;
  for await (const { execution } of executionsOn(connection, { namespace, query: OPEN_RUNS, pageSize: PAGE_SIZE })) {
    const { history } = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
    const unreadable = await whyUnreadable(proto.temporal.api.history.v1.History.create(history ?? {}), keys);
    if (unreadable === undefined) return undefined;
    const why = `open runs of namespace "${namespace}" cannot be read: ${unreadable}`;
    newest ??= { why, namespace, workflowId: execution?.workflowId ?? '' };
    lookedAt += 1;
    if (lookedAt >= LOOKED_AT) break;
  }
  return newest;
}

/** Throws MissingKeyError. Where Temporal does not say which runs are open, the log does. */
export async function requireKeys(
  connection: ServiceConnection,
  namespace: string,
  log: Pick<Logger, 'warn'>,
  keys = codecKeys(process.env),
): Promise<void> {
  let missing: KeysMissing | undefined;
  try {
    missing = await whyKeysMissing(connection, namespace, keys);
  } catch (error) {
    log.warn({ why: messageOf(error) }, 'whether the keys of open runs are here was not verified');
  }
  if (missing !== undefined) throw new MissingKeyError(`This worker does not start: ${missing.why}. Or, ${orNobodys(missing)}`);
}
