/**
 * The API server's way into the cluster's network. EKS has one of its own; here it is an HTTP CONNECT proxy (the API server's egress
 * selector), so that webhooks keep naming Services, and a Service without a program behind it refuses connections as it would.
 */
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface ServiceProxy {
  /** A Unix socket. Its path is short, as the kernel wants it. */
  socket: string;
  close(): Promise<void>;
}

/** Where a Service's connections go: a port on 127.0.0.1; undefined: nobody listens. */
export type Route = (address: { host: string; port: number }) => number | undefined;

export async function startServiceProxy(route: Route): Promise<ServiceProxy> {
  const socket = join(mkdtempSync(join(tmpdir(), 'belay-')), 'egress.sock');
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, client: Socket, head) => {
    const [host, port] = splitAddress(request.url ?? '');
    const target = route({ host, port: Number(port) });
    if (target === undefined) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const upstream = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const end of [client, upstream]) {
      open.add(end);
      end.on('close', () => {
        open.delete(end);
        client.destroy();
        upstream.destroy();
      });
      end.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  return {
    socket,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const each of open) each.destroy();
      server.closeAllConnections();
      await closed;
      rmSync(dirname(socket), { recursive: true, force: true });
    },
  };
}

/** "10.100.3.7:443" and "[fd00::1]:443". */
function splitAddress(address: string): [host: string, port: string] {
  const at = address.lastIndexOf(':');
  return [address.slice(0, at).replace(/^\[|\]$/g, ''), address.slice(at + 1)];
}
