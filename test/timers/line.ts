/** A line to a server that can be cut, and mended: whoever comes meanwhile is hung up on. */
import { connect, createServer, type Socket } from 'node:net';

export interface Line {
  address: string;
  cut(): void;
  /** Resolves once somebody is through. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** `to`: host and port. */
export async function startLine(to: string): Promise<Line> {
  const { hostname, port } = new URL(`http://${to}`);
  const open = new Set<Socket>();
  let through = (): void => undefined;
  let isCut = false;
  const hangUp = (): void => open.forEach((socket) => socket.destroy());
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(port), hostname, () => through());
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    cut: () => {
      isCut = true;
      hangUp();
    },
    mend: () => {
      isCut = false;
      return new Promise((resolve) => (through = resolve));
    },
    close: async () => {
      hangUp();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
