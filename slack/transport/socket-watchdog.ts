/** Ends the process when the socket stays disconnected: a supervisor's fresh start is better than an app that hears nothing. */
import { disconnectedTooLong } from '../messages/failures.ts';

/** The events of a socket mode client that matter here. */
export interface SocketEvents {
  on(event: 'connected' | 'close' | 'disconnected', listener: () => void): unknown;
}

/**
 * Calls `giveUp` once when the first connection does not stand within `openMs`, or none stands for `limitMs` after a loss. A start takes as long as the
 * machine is busy, and says nothing about how long one that stood may be away. Returns how to stop watching.
 */
export function watchSocket(
  socket: SocketEvents,
  { openMs, limitMs }: { openMs: number; limitMs: number },
  giveUp: (message: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let watching = true;
  let hasStood = false;
  const arm = (): void => {
    if (!watching) return;
    const waitMs = hasStood ? limitMs : openMs;
    timer ??= setTimeout(() => {
      giveUp(disconnectedTooLong(Math.round(waitMs / 1000)));
    }, waitMs);
  };
  const disarm = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  arm();
  socket.on('connected', () => {
    hasStood = true;
    disarm();
  });
  socket.on('close', arm);
  socket.on('disconnected', arm);
  return () => {
    watching = false;
    disarm();
  };
}
