/** The processes of a rehearsal: Temporal, Belay's worker and its Slack app; killed, watched and started again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { belayProcess, type BelayAddresses, type BelayProcess } from '../processes/belay.ts';
import { type Killable, type KillOrder, Kills } from '../processes/kills.ts';
import { onRequest } from '../processes/requests.ts';
import type { SupervisedProcess } from '../processes/supervised.ts';
import { startTemporalServer, type TemporalServer } from '../processes/temporal-server.ts';
import type { TemporalSource } from '../processes/temporal-cli.ts';
import { Undertaker } from '../processes/undertaker.ts';
import { parseButton } from '../neighbours/slack/gate-buttons.ts';
import type { Stage } from './stage/stage.ts';
import type { Watcher } from './watch.ts';

const RESTART_AFTER_MS = 2_000;
const STOP_GRACE_MS = 8_000;
const LOOK_MS = 100;

export interface CastOptions {
  directory: string;
  say: (line: string) => void;
  /** A process cannot be kept alive. */
  onGivenUp: (error: Error) => void;
}

export class Cast {
  readonly #options: CastOptions;
  readonly #undertaker = new Undertaker();
  readonly #processes = new Map<Killable, SupervisedProcess>();
  readonly #seconds: SupervisedProcess[] = [];
  /** Restarted after a kill, and not heard of since. */
  readonly #restarted = new Set<Killable>();
  readonly #stops: (() => void)[] = [];

  constructor(options: CastOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true });
  }

  async startTemporal(source: TemporalSource): Promise<TemporalServer> {
    if (source.kind === 'server') return { address: source.address };
    const { directory } = this.#options;
    const server = await startTemporalServer(source.path, join(directory, 'temporal.db'), {
      ...this.#supervision('temporal'),
      env: process.env,
      cwd: directory,
      logFile: join(directory, 'temporal.log'),
    });
    this.#processes.set('temporal', server.process);
    return server;
  }

  startBelay(addresses: BelayAddresses, twice: readonly BelayProcess[] = []): void {
    const { directory, say } = this.#options;
    for (const name of ['worker', 'slack'] as const) {
      const process = belayProcess(name, addresses, directory, this.#supervision(name));
      this.#processes.set(name, process);
      process.start();
      if (!twice.includes(name)) continue;
      const onDeath = (how: string): void => say(`the second ${name} ${how}; it is started again`);
      const second = belayProcess(
        name,
        addresses,
        directory,
        { ...this.#supervision(name), onStart: undefined, onDeath },
        { second: true },
      );
      this.#seconds.push(second);
      second.start();
    }
  }

  /** A process of the play, to be killed, stopped or started by hand; undefined where it is not ours. */
  process(name: Killable): SupervisedProcess | undefined {
    return this.#processes.get(name);
  }

  /** Arms the kills, and watches for the restarted processes' next requests. */
  arm(orders: readonly KillOrder[], stage: Stage, watcher: Watcher): Kills {
    const kills = new Kills(orders, {
      say: this.#options.say,
      kill: (name) => {
        this.#restarted.delete(name);
        return this.#processes.get(name)?.kill() ?? false;
      },
    });
    const heard = (name: Killable): void => {
      if (this.#restarted.delete(name)) kills.recovered(name);
    };
    const ports = { aws: portOf(stage.aws.url), kubernetes: portOf(stage.kubernetes.url), slack: portOf(stage.slack.apiUrl) };
    this.#stops.push(
      stage.built.world.journal.onMutation((mutation) => kills.onMutation(mutation)),
      stage.slack.onClick(({ value }) => kills.onClick(parseButton(value)?.gateId ?? '')),
      onRequest(({ port, path, userAgent }) => {
        // Only the worker talks to clusters; Atlantis, who does too, is no AWS SDK.
        if (port === ports.kubernetes || (port === ports.aws && userAgent.startsWith('aws-sdk-js'))) heard('worker');
        if (port === ports.slack && path.startsWith('/api/apps.connections.open')) heard('slack');
      }),
    );
    const looking = setInterval(() => {
      if (this.#restarted.has('temporal')) void watcher.answers().then((answers) => (answers ? heard('temporal') : undefined));
    }, LOOK_MS).unref();
    this.#stops.push(() => clearInterval(looking));
    return kills;
  }

  /** Ends all of them, Temporal last. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    const temporal = this.#processes.get('temporal');
    const others = [...this.#processes.values(), ...this.#seconds].filter((process) => process !== temporal);
    await Promise.all(others.map((process) => process.stop(STOP_GRACE_MS)));
    await temporal?.stop(STOP_GRACE_MS);
    this.#undertaker.close();
  }

  #supervision(name: Killable) {
    return {
      undertaker: this.#undertaker,
      restartAfterMs: RESTART_AFTER_MS,
      onStart: () => void this.#restarted.add(name),
      onDeath: (how: string) => this.#options.say(`${name} ${how}; it is started again in ${RESTART_AFTER_MS / 1000} s`),
      onGivenUp: this.#options.onGivenUp,
    };
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
