/** Sees every request that arrives at a stand-in, whoever serves it: Node publishes them on a diagnostics channel. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';

const CHANNEL = 'http.server.request.start';

/** `port`: the stand-in's own. Returns the removal. */
export function onRequest(listener: (request: { port: number; path: string }) => void): () => void {
  const heard = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('request' in message) || !(message.request instanceof IncomingMessage)) return;
    const { socket, url } = message.request;
    if (socket.localPort !== undefined) listener({ port: socket.localPort, path: url ?? '' });
  };
  subscribe(CHANNEL, heard);
  return () => void unsubscribe(CHANNEL, heard);
}
