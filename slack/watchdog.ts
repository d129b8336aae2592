/** Ends the process when the socket stays disconnected: a supervisor's fresh start is better than an app that hears nothing. */

/** The events of a socket mode client that matter here. */
export interface SocketEvents {
  on(event: 'connected' | 'close' | 'disconnected', listener: () => void): unknown;
}

/** Calls `giveUp` once when no connection stands for `limitMs`, counted from now and from each loss. Returns how to stop watching. */
export function watchSocket(socket: SocketEvents, limitMs: number, giveUp: (message: string) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let watching = true;
  const arm = (): void => {
    if (!watching) return;
    timer ??= setTimeout(() => {
      giveUp(`no connection to Slack for ${Math.round(limitMs / 1000)} s: ending, so that a supervisor starts this process anew`);
    }, limitMs);
  };
  const disarm = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  arm();
  socket.on('connected', disarm);
  socket.on('close', arm);
  socket.on('disconnected', arm);
  return () => {
    watching = false;
    disarm();
  };
}
