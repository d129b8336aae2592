/** Sees every request that arrives at a stand-in, whoever serves it: Node publishes them on a diagnostics channel. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';

const CHANNEL = 'http.server.request.start';

export interface SeenRequest {
  /** The stand-in's own. */
  port: number;
  path: string;
  userAgent: string;
}

/** Returns the removal. */
export function onRequest(listener: (request: SeenRequest) => void): () => void {
  const heard = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('request' in message) || !(message.request instanceof IncomingMessage)) return;
    const { socket, url, headers } = message.request;
    if (socket.localPort !== undefined) listener({ port: socket.localPort, path: url ?? '', userAgent: headers['user-agent'] ?? '' });
  };
  subscribe(CHANNEL, heard);
  return () => void unsubscribe(CHANNEL, heard);
}
