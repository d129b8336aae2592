/** Servers on 127.0.0.1: how each stand-in begins to listen and ends. */
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/** The port: a free one unless one is given. Rejects where it is taken. */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address');
  return address.port;
}

/** Cuts off whoever is still connected. */
export async function close(server: HttpServer): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
