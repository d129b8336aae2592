/**
 * Logs of every process that stays go to stderr as JSON lines; BELAY_LOG_LEVEL sets how much (trace, debug, info, warn, error, fatal, silent). Whatever
 * somebody else's error says, no secret is in them.
 */
import { DefaultLogger, type Logger as SdkLogger, type MetricsExporterConfig, Runtime } from '@temporalio/worker';
import { type Logger, pino, stdSerializers } from 'pino';
import { redact, redactedJson } from '../../activities/runtime/redact.ts';
import { defined } from '../../domain/core/defined.ts';
import { field } from '../../domain/core/unknown.ts';
import { logFieldsOf } from './log-fields.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export type { Logger };

/** Throws a RangeError for a level that does not exist. */
export function createLogger(name: string, env: NodeJS.ProcessEnv = process.env): Logger {
  const level = env['BELAY_LOG_LEVEL'] || 'info';
  if (!LEVELS.includes(level)) throw new RangeError(`BELAY_LOG_LEVEL is "${level}"; set it to one of ${LEVELS.join(', ')}.`);
  return pino(
    // The SDK's errors stand under `error`; without a serializer they would lose their messages.
    {
      name,
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: stdSerializers.err },
      hooks: { streamWrite: withoutSecrets },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Each text by itself, so that a line stays JSON whatever is cut out of it. */
export function withoutSecrets(line: string): string {
  try {
    return `${redactedJson(JSON.parse(line))}\n`;
  } catch {
    return redact(line);
  }
}

/** Lines of workflows say no more than their ids; those of activities have their fields already. */
function aboutARun(meta: Record<string, unknown> | undefined): Record<string, unknown> {
  const [workflowId, runId] = [field(meta, 'workflowId'), field(meta, 'runId')];
  return typeof workflowId !== 'string'
    ? { ...meta }
    : { ...logFieldsOf({ workflowId, ...defined({ runId: typeof runId === 'string' ? runId : undefined }) }), ...meta };
}

/** Sends what the SDK logs the same way, and its metrics where `metrics` says. Once per process, before the first worker or native connection. */
export function installRuntime(log: Logger, metrics?: MetricsExporterConfig): void {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  Runtime.install({
    logger: new DefaultLogger('DEBUG', (entry) => log[levels[entry.level]](aboutARun(entry.meta), entry.message)),
    // A worker of another release is to be seen within a minute (worker/releases); by default heartbeats come once a minute.
    workerHeartbeatInterval: '20s',
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...defined({ metrics }),
    },
    // The worker's own loop handles signals: it also has to end while it waits for a server.
    shutdownSignals: [],
  });
}

/** For the bundler, which has much to say when all is well. */
export function warningsTo(log: Logger): SdkLogger {
  return new DefaultLogger('WARN', ({ level, message }) => (level === 'ERROR' ? log.error(message) : log.warn(message)));
}
