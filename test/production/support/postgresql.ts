/** PostgreSQL from Debian's package, in a directory of its own: started, taken away and brought back. Not the cluster that the package makes. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { isExecutable } from '../../../rehearsal/processes/programs.ts';
import { Undertaker } from '../../../rehearsal/processes/undertaker.ts';
import { eventually } from '../../support/eventually.ts';
import { type Child, startChild } from './child.ts';

/** https://wiki.debian.org/PostgreSql: programs of each major lie in a folder of their own, and not on PATH. */
const DEBIAN = '/usr/lib/postgresql';

/** Folder with initdb and postgres of the newest major; undefined where the package is missing. */
export function findPostgreSql(): string | undefined {
  let majors: string[] = [];
  try {
    majors = readdirSync(DEBIAN);
  } catch {
    return undefined;
  }
  const newestFirst = majors.toSorted((a, b) => Number(b) - Number(a));
  return newestFirst.map((major) => join(DEBIAN, major, 'bin')).find((folder) => isExecutable(join(folder, 'initdb')));
}

export interface PostgreSqlOptions {
  user: string;
  password: string;
}

export class PostgreSql {
  readonly port: number;
  readonly #directory: string;
  readonly #programs: string;
  readonly #undertaker = new Undertaker();
  readonly #owner: { uid: number; gid: number } | undefined;
  readonly #options: PostgreSqlOptions;
  #child: Child | undefined;

  private constructor(programs: string, port: number, options: PostgreSqlOptions) {
    this.#programs = programs;
    this.port = port;
    this.#options = options;
    // It refuses to run as root: https://www.postgresql.org/docs/15/app-postgres.html
    this.#owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
    this.#directory = mkdtempSync(join(tmpdir(), 'belay-postgresql-'));
    if (this.#owner !== undefined) chownSync(this.#directory, this.#owner.uid, this.#owner.gid);
  }

  /** An empty cluster with one superuser, as the image makes it; answers when this resolves. Throws where the package is missing. */
  static async start(options: PostgreSqlOptions): Promise<PostgreSql> {
    const programs = findPostgreSql();
    if (programs === undefined) throw new Error('PostgreSQL is missing: install the package postgresql.');
    const [port = 0] = await freePorts(1);
    const server = new PostgreSql(programs, port, options);
    try {
      server.#initialise();
      await server.start();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** Also after `stop`; answers when this resolves. */
  async start(): Promise<void> {
    // What a killed process has written survives without fsync; only a machine that loses power would lose it.
    const settings = ['listen_addresses=127.0.0.1', `port=${this.port}`, 'unix_socket_directories=', 'fsync=off'];
    this.#child = startChild({
      command: join(this.#programs, 'postgres'),
      args: ['-D', this.#data, ...settings.flatMap((setting) => ['-c', setting])],
      env: { PATH: process.env['PATH'] },
      logFile: join(this.#directory, 'postgresql.log'),
      undertaker: this.#undertaker,
      owner: this.#owner,
    });
    await eventually('PostgreSQL answers', () => this.#child?.orThrow() !== undefined && this.#isReady());
  }

  /** As after a crash: connections are cut, and the next start recovers. Resolves when it is away. */
  async stop(): Promise<void> {
    // "Immediate Shutdown": https://www.postgresql.org/docs/15/server-shutdown.html
    await this.#child?.end('SIGQUIT');
  }

  /** What a query answers, a line for each row, columns separated by |. */
  query(database: string, statement: string): string {
    const { user, password } = this.#options;
    const args = ['-h', '127.0.0.1', '-p', String(this.port), '-U', user, '-d', database, '-At', '-c', statement];
    return execFileSync(join(this.#programs, 'psql'), args, { encoding: 'utf8', env: { ...process.env, PGPASSWORD: password } }).trim();
  }

  async close(): Promise<void> {
    await this.stop();
    this.#undertaker.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#directory, 'data');
  }

  #initialise(): void {
    const { user, password } = this.#options;
    const secret = join(this.#directory, 'password');
    writeFileSync(secret, `${password}\n`);
    mkdirSync(this.#data, { mode: 0o700 });
    if (this.#owner !== undefined) for (const path of [secret, this.#data]) chownSync(path, this.#owner.uid, this.#owner.gid);
    const args = ['-D', this.#data, '-U', user, `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8', '--no-sync'];
    execFileSync(join(this.#programs, 'initdb'), args, { ...this.#owner, cwd: this.#directory, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  #isReady(): boolean {
    try {
      execFileSync(join(this.#programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(this.port)], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
