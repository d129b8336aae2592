/**
 * Temporal's own server on PostgreSQL: set up by deploy/temporal's scripts, started by the template that is embedded in it, with the variables
 * of docker-compose.yml. Only hosts, ports and paths differ, as there are no containers here.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { Undertaker } from '../../../rehearsal/processes/undertaker.ts';
import { findPart } from '../../../rehearsal/real/parts/find.ts';
import { PREVIOUS_TEMPORAL_PARTS, TEMPORAL_PARTS } from '../../../rehearsal/real/parts/table.ts';
import { root } from '../../deploy/files.ts';
import { eventually } from '../../support/eventually.ts';
import { temporalCli } from '../../support/temporal-cli.ts';
import { type Child, startChild } from './child.ts';
import { composeEnvironment } from './compose.ts';
import { PostgreSql } from './postgresql.ts';

const SETUP = join(root, 'deploy', 'temporal');
const BACKUP = join(root, 'deploy', 'backup');
const SCRIPT_LIMIT_MS = 120_000;
/** https://github.com/temporalio/temporal/blob/v1.31.2/common/config/config_template_embedded.yaml */
const PORTS = [
  'FRONTEND_GRPC_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'FRONTEND_HTTP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
  'INTERNAL_FRONTEND_GRPC_PORT',
  'INTERNAL_FRONTEND_MEMBERSHIP_PORT',
  'INTERNAL_FRONTEND_HTTP_PORT',
];

export type Variables = Record<string, string>;

/** That of docker-compose.yml, or the last one of the minor before. */
export type Release = 'now' | 'before';

const PROGRAMS: Record<Release, { server: string; schemaTool: string }> = {
  now: { server: 'temporal-server', schemaTool: 'temporal-sql-tool' },
  before: { server: 'temporal-server-before', schemaTool: 'temporal-sql-tool-before' },
};

export interface ServerOptions {
  /** Default: now. */
  release?: Release;
  /** Of the server, beside those of docker-compose.yml: certificates, keys. */
  server?: Variables;
  /** Of who creates the namespace, where the server asks who it is. */
  admin?: Variables;
}

export class ProductionTemporal {
  readonly postgresql: PostgreSql;
  /** host:port */
  readonly address: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'belay-temporal-'));
  readonly #undertaker = new Undertaker();
  readonly #ports: Variables;
  readonly #options: ServerOptions;
  #release: Release;
  readonly #more: Variables = {};
  #child: Child | undefined;
  #closed = false;

  private constructor(postgresql: PostgreSql, ports: Variables, options: ServerOptions) {
    this.postgresql = postgresql;
    this.#ports = ports;
    this.#options = options;
    this.address = `127.0.0.1:${ports['FRONTEND_GRPC_PORT']}`;
    const bin = join(this.#directory, 'bin');
    mkdirSync(bin);
    symlinkSync(temporalCli(), join(bin, 'temporal'));
    this.#release = options.release ?? 'now';
    this.use(this.#release);
  }

  /** Which server and schema tool are used from now on. */
  use(release: Release): void {
    this.#release = release;
    const link = join(this.#directory, 'bin', 'temporal-sql-tool');
    rmSync(link, { force: true });
    symlinkSync(program(PROGRAMS[release].schemaTool), link);
  }

  /** PostgreSQL alone, with empty databases to come. */
  static async prepare(options: ServerOptions = {}): Promise<ProductionTemporal> {
    const { POSTGRES_USER: user = '', POSTGRES_PASSWORD: password = '' } = composeEnvironment('postgresql');
    const ports = await freePorts(PORTS.length);
    const postgresql = await PostgreSql.start({ user, password });
    try {
      return new ProductionTemporal(postgresql, Object.fromEntries(PORTS.map((name, index) => [name, String(ports[index])])), options);
    } catch (error) {
      await postgresql.close();
      throw error;
    }
  }

  /** Set up and answering, with namespace and search attributes. */
  static async open(options: ServerOptions = {}): Promise<ProductionTemporal> {
    const temporal = await ProductionTemporal.prepare(options);
    try {
      await temporal.setupSchema();
      await temporal.start();
      await temporal.createNamespace();
      return temporal;
    } catch (error) {
      await temporal.close();
      throw error;
    }
  }

  /** deploy/temporal/setup-schema.sh; resolves with its output. */
  async setupSchema(): Promise<string> {
    return await this.#script('setup-schema.sh', { ...composeEnvironment('temporal-schema'), ...this.#database });
  }

  /** deploy/temporal/create-namespace.sh, as the administrator; resolves with its output. */
  async createNamespace(): Promise<string> {
    const environment = { ...composeEnvironment('temporal-namespace'), TEMPORAL_ADDRESS: this.address, ...this.#options.admin };
    return await this.#script('create-namespace.sh', environment);
  }

  /** deploy/backup/`name`, as the superuser of the databases; resolves with its output. */
  async backupScript(name: string, args: readonly string[], environment: Variables): Promise<string> {
    const { POSTGRES_USER = '', POSTGRES_PASSWORD = '' } = composeEnvironment('postgresql');
    const { port } = this.postgresql;
    const database = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: POSTGRES_USER, PGPASSWORD: POSTGRES_PASSWORD };
    const options = { env: { ...this.#own, ...database, ...environment }, timeout: SCRIPT_LIMIT_MS };
    const { stdout, stderr } = await promisify(execFile)('sh', [join(BACKUP, name), ...args], options);
    return `${stdout}${stderr}`;
  }

  /** What the server wrote last. */
  log(): string {
    return readFileSync(join(this.#directory, 'temporal.log'), 'utf8');
  }

  /** Also after `kill`; its port takes connections when this resolves. `more`: of its environment from now on. */
  async start(more: Variables = {}): Promise<void> {
    Object.assign(this.#more, more);
    // A start that was put off by a test that has failed meanwhile would stay.
    if (this.#closed) throw new Error('Temporal was closed.');
    const environment = {
      ...composeEnvironment('temporal'),
      ...this.#database,
      ...this.#ports,
      BIND_ON_IP: '127.0.0.1',
      DYNAMIC_CONFIG_FILE_PATH: join(SETUP, 'dynamic-config.yaml'),
      ...this.#options.server,
      ...this.#more,
    };
    this.#child = startChild({
      command: program(PROGRAMS[this.#release].server),
      args: ['start'],
      env: { ...this.#own, ...environment },
      cwd: this.#directory,
      logFile: join(this.#directory, 'temporal.log'),
      undertaker: this.#undertaker,
    });
    // What docker-compose.yml asks before anything else starts.
    await eventually('Temporal takes connections', () => this.#child?.orThrow() !== undefined && takesConnections(this.address));
  }

  /** SIGKILL; resolves when it is away. */
  async kill(): Promise<void> {
    await this.#child?.end('SIGKILL');
  }

  /** As `docker compose up` replaces it; resolves when it is away. */
  async stop(): Promise<void> {
    await this.#child?.end('SIGTERM');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#child?.end('SIGTERM');
    this.#undertaker.close();
    await this.postgresql.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #database(): Variables {
    return { POSTGRES_SEEDS: '127.0.0.1', DB_PORT: String(this.postgresql.port) };
  }

  /** Nothing of this process but a PATH; a HOME without a temporal.toml. */
  get #own(): Variables {
    return { PATH: `${join(this.#directory, 'bin')}:/usr/bin:/bin`, HOME: this.#directory };
  }

  async #script(name: string, environment: Variables): Promise<string> {
    try {
      const options = { env: { ...this.#own, ...environment }, timeout: SCRIPT_LIMIT_MS };
      const { stdout, stderr } = await promisify(execFile)('sh', [join(SETUP, name)], options);
      return `${stdout}${stderr}`;
    } catch (error) {
      this.#child?.orThrow();
      throw error;
    }
  }
}

/** Throws where it is not built. */
function program(name: string): string {
  const part = [...TEMPORAL_PARTS, ...PREVIOUS_TEMPORAL_PARTS].find((one) => one.name === name);
  const found = part === undefined ? undefined : findPart(part, process.env);
  if (found === undefined) throw new Error(`${name} is missing: npm run real-parts -- ${name}`);
  return found;
}

function takesConnections(address: string): Promise<boolean> {
  const [host, port] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    const say = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => say(true)).once('error', () => say(false));
  });
}
