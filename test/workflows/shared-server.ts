/** One Temporal dev server for the whole suite: runs have ids of their own, and each file a task queue of its own. */
import { startDevServer, type DevServer } from '../support/temporal-server.ts';
import { SHARED_SERVER } from '../support/temporal.ts';

let server: DevServer | undefined;

export async function start(): Promise<void> {
  server = await startDevServer({ isShared: true });
  process.env[SHARED_SERVER] = server.address;
}

export async function stop(): Promise<void> {
  await server?.stop();
}
