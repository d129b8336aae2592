/** What the Slack process logs to, and Bolt's own logger on top of it. */
import { type Logger, LogLevel } from '@slack/bolt';
import { messageOf } from '../../domain/core/unknown.ts';

/** A pino logger is one. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Bolt's warnings and errors; its debug lines hold whole payloads and are never written. */
export function boltLogger(log: Log): Logger {
  const text = (parts: unknown[]): string => parts.map(messageOf).join(' ').slice(0, 2_000);
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (...parts) => log.warn(text(parts)),
    error: (...parts) => log.error(text(parts)),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
