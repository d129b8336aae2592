/** A forward proxy on 127.0.0.1 that tunnels what CONNECT asks for: names that resolve nowhere lead to a server of the test. */
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface ForwardProxy {
  url: string;
  /** What was asked for: "eks.example.test:443". */
  tunnels: string[];
  close(): Promise<void>;
}

/** `port`: where every tunnel ends. */
export async function startForwardProxy(port: number): Promise<ForwardProxy> {
  const tunnels: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, client: Socket, head: Buffer) => {
    tunnels.push(request.url ?? '');
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.once('error', () => socket.destroy());
      socket.once('close', () => open.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    tunnels,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
