/** Ports for processes that start a moment later: nobody else may get them meanwhile. */
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../../../rehearsal/world/core/loopback.ts';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';

test('are all different, free, and none that the system gives to connections', async () => {
  const ports = await freePorts(20);
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeGreaterThan(1024);
    expect(port).toBeLessThan(32_768);
    const server = createServer();
    expect(await listen(server, port)).toBe(port);
    await expect(listen(createServer(), port)).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => server.close(resolve));
  }
});
