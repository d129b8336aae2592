/** Ports for processes that want theirs named. */
import { createServer } from 'node:net';
import { listen } from '../loopback.ts';

/** Free ports on 127.0.0.1, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(servers.map((server) => listen(server)));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
