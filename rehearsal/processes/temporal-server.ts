/** Temporal's dev server as a supervised process, with its database in a file so that a killed one comes back with its memory. */
import { freePorts } from './free-port.ts';
import { SupervisedProcess, type SupervisedOptions } from './supervised.ts';

const PRAGMAS = ['journal_mode=WAL', 'synchronous=OFF'];
const SETTINGS = {
  // One shard, which looks for tasks at most twenty times a second otherwise: 50 ms for each step of a workflow.
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxPollRPS': 1000,
  'history.visibilityProcessorMaxPollRPS': 1000,
  // Otherwise timers fire up to a second late.
  'history.timerProcessorMaxTimeShift': '"10ms"',
};

/** Arguments of a dev server whose workflows move as fast as they do on a server with many shards. */
export const PROMPT: readonly string[] = [
  ...PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
  ...Object.entries(SETTINGS).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
];

/** A development server with a run or two waits more than it computes: handing work from core to core costs it an eighth of its time. */
export const ONE_CORE = { GOMAXPROCS: '1' };

export interface TemporalServer {
  address: string;
  /** Absent where a server of somebody else is used. */
  ui?: string;
}

/** Starts it; it answers a second or so later. */
export async function startTemporalServer(
  binary: string,
  databaseFile: string,
  supervision: Omit<SupervisedOptions, 'name' | 'command' | 'args'>,
): Promise<TemporalServer & { process: SupervisedProcess }> {
  const [port, uiPort] = await freePorts(2);
  const options = {
    ip: '127.0.0.1',
    port: String(port),
    'ui-port': String(uiPort),
    'db-filename': databaseFile,
    'log-level': 'error',
  };
  const args = ['server', 'start-dev', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), ...PROMPT];
  const env = { ...supervision.env, ...ONE_CORE };
  const server = new SupervisedProcess({ ...supervision, env, name: 'Temporal', command: binary, args });
  server.start();
  return { address: `127.0.0.1:${port}`, ui: `http://127.0.0.1:${uiPort}`, process: server };
}
