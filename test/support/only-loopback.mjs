/** Preloaded by `--import`: whatever leaves the machine fails and is noted in the file OUTSIDE_CALLS, also of the processes that are started. */
import child from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const { OUTSIDE_CALLS: file, NODE_OPTIONS } = process.env;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0)$/;

const connect = Reflect.get(net.Socket.prototype, 'connect');
net.Socket.prototype.connect = function (...args) {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const host = typeof first === 'object' && first !== null ? first.host : typeof args[1] === 'string' ? args[1] : undefined;
  if (host !== undefined && !LOOPBACK.test(host)) {
    if (file !== undefined) appendFileSync(file, `${host}\n`);
    throw new Error(`this test has no network: ${host}`);
  }
  return Reflect.apply(connect, this, args);
};

const { spawn } = child;
child.spawn = (command, ...rest) => {
  const [args, options] = Array.isArray(rest[0]) ? rest : [[], rest[0]];
  return spawn(command, args, { ...options, env: { ...(options?.env ?? process.env), NODE_OPTIONS, OUTSIDE_CALLS: file } });
};
syncBuiltinESMExports();
