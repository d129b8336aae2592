/** Heartbeats for activities that are busy with requests and do not loop: so that a dead worker is noticed, whatever the activity's own limit is. */
import type { Context } from '@temporalio/activity';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, ActivityInterceptors, Next } from '@temporalio/worker';
import { stayAlive } from './context.ts';

/** Activities that may take longer are loops: they heartbeat by themselves, and one that hangs must be noticed. */
const BUSY_LIMIT_MS = 20 * 60_000;

/** Beats four times per heartbeat time-out; details of an earlier attempt are kept. */
export function keepAliveInterceptor(context: Context): ActivityInterceptors {
  return { inbound: new KeepAlive(context) };
}

class KeepAlive implements ActivityInboundCallsInterceptor {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const { heartbeatTimeoutMs, startToCloseTimeoutMs } = this.#context.info;
    if (heartbeatTimeoutMs === undefined || heartbeatTimeoutMs === 0 || startToCloseTimeoutMs > BUSY_LIMIT_MS) return next(input);
    const timer = setInterval(() => stayAlive(this.#context), heartbeatTimeoutMs / 4);
    try {
      return await next(input);
    } finally {
      clearInterval(timer);
    }
  }
}
