/** A Temporal dev server for one test file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Connection } from '@temporalio/client';
import { freePorts } from '../../rehearsal/processes/free-port.ts';
import { ONE_CORE, PROMPT } from '../../rehearsal/processes/temporal-server.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract/messages.ts';
import { temporalCli } from './temporal-cli.ts';
import { PATIENCE } from './eventually.ts';

/** A busy machine of two cores may need more than the five seconds that the SDK's own `createLocal` waits. */
const START_LIMIT_MS = 45_000;

export interface DevServer {
  address: string;
  /** SIGKILL, and started again at the same address; what it knew it knows only with a `databaseFile`. Answers when this resolves. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** As Temporal Cloud has it: a worker gets activities with the answer to the task that wants them, which spares the server a sixth of its work. */
const EAGER = ['--dynamic-config-value', 'system.enableActivityEagerExecution=true'];

/** In memory or in a file, without UI, with Belay's search attributes or those that are given; `isShared`: for a whole suite at once. Answers when this resolves. Throws with its last words where it does not. */
export async function startDevServer({
  names = SEARCH_ATTRIBUTES,
  isShared = false,
  settings = [],
  databaseFile,
}: {
  names?: readonly string[];
  isShared?: boolean;
  /** Of the server, such as `limit.historyCount.suggestContinueAsNew=100`. */
  settings?: readonly string[];
  databaseFile?: string;
} = {}): Promise<DevServer> {
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'];
  const attributes = names.flatMap((name) => ['--search-attribute', `${name}=Keyword`]);
  const memory = databaseFile === undefined ? [] : ['--db-filename', databaseFile];
  const dynamic = settings.flatMap((each) => ['--dynamic-config-value', each]);
  const launch = (): Promise<ChildProcess> =>
    launched(address, [...args, ...memory, ...attributes, ...PROMPT, ...(isShared ? EAGER : []), ...dynamic], isShared ? {} : ONE_CORE);
  let child = await launch();
  return {
    address,
    async restart() {
      await end(child);
      child = await launch();
    },
    stop: () => end(child),
  };
}

async function launched(address: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(temporalCli(), args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (words = (words + chunk).slice(-2_000)));
  try {
    await answers(address, child);
  } catch (error) {
    await end(child);
    throw new Error(`Temporal's dev server does not answer at ${address}. ${words}`, { cause: error });
  }
  return child;
}

async function answers(address: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS * PATIENCE;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: '1s' });
      await connection.close();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
