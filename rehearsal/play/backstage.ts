/** Brings everything of a rehearsal up, in the order in which one part needs the other, and takes it down again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cast } from './cast.ts';
import { configFile } from './config-file.ts';
import { makeSigningKey } from './signing-key.ts';
import { type Addresses, throughProxies } from '../world/faults/apis/network.ts';
import { GateObserver } from './gate-observer.ts';
import { narrate } from './narrate.ts';
import type { RehearseOptions } from './options.ts';
import type { Play } from './play.ts';
import type { KillOrder } from '../processes/kills.ts';
import type { TemporalSource } from '../processes/temporal-cli.ts';
import type { TemporalServer } from '../processes/temporal-server.ts';
import { Progress } from './progress.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { setStage, type Stage } from './stage/stage.ts';
import { inheritedBy, raiseTemporal } from './temporal.ts';
import type { Watcher } from './watch.ts';

export const APPROVERS = { users: [], groups: ['S0PLATFORM'] };
export const CHANNEL = 'C0UPGRADES';

export interface Given {
  options: RehearseOptions;
  scenario: Scenario;
  faults: string[];
  orders: KillOrder[];
  directory: string;
  say: (line: string) => void;
  interrupted: AbortController;
}

/** Temporal and the stand-ins, up; nobody of Belay's yet. */
export interface SetScene {
  source: TemporalSource;
  temporal: TemporalServer;
  watcher: Watcher;
  stage: Stage;
  /** Belay's ways to them. */
  addresses: Addresses;
}

export class Backstage {
  readonly #given: Given;
  readonly #cast: Cast;
  readonly #progress: Progress;
  readonly #closing: (() => void | Promise<void>)[] = [];
  #elapsedMs: () => number = () => 0;
  /** A process of the rehearsal could not be kept alive. */
  failure: Error | undefined;

  constructor(given: Given) {
    this.#given = given;
    this.#progress = new Progress({ write: given.say, elapsedMs: () => this.#elapsedMs() });
    this.#cast = new Cast({
      directory: given.directory,
      say: (line) => this.#progress.line(line),
      onGivenUp: this.#giveUp,
    });
  }

  readonly #giveUp = (error: Error): void => {
    this.failure ??= error;
    this.#given.interrupted.abort(error);
  };

  async setScene(): Promise<SetScene> {
    const { options, scenario, faults, directory, say } = this.#given;
    const { source, temporal, watcher } = await raiseTemporal(this.#cast, this.#given);
    this.#closing.push(() => watcher.close());
    const stage = await setStage({
      scenario,
      speed: options.speed,
      faults,
      pagePort: options.port,
      temporalUi: () => temporal.ui,
      ...(options.kubernetes === 'real' ? { real: { directory, say, onGivenUp: this.#giveUp } } : {}),
    });
    this.#closing.push(() => stage.close());
    const { clock } = stage.built.world;
    this.#elapsedMs = () => clock.elapsedMs();
    await options.onStage?.(stage);
    const addresses = await this.#route(stage, temporal);
    stage.built.world.eks.cluster.endpoint = addresses.kubernetesUrl;
    return { source, temporal, watcher, stage, addresses };
  }

  /** Starts Belay's processes on a scene, with everybody who follows what happens. */
  startBelay({ source, temporal, watcher, stage, addresses }: SetScene): Play {
    const { options, scenario, orders, directory, say, interrupted } = this.#given;
    const configPath = join(directory, 'belay.yaml');
    const recordsDirectory = join(directory, 'records');
    const { privateLine, publicKeys } = makeSigningKey();
    writeFileSync(
      configPath,
      configFile({
        scenario,
        speed: options.speed,
        channel: CHANNEL,
        approvers: APPROVERS,
        publicKeys,
        prometheusUrl: addresses.prometheusUrl,
        chartRepository: stage.chartRepository,
        realParts: options.kubernetes === 'real',
        ui: temporal.ui,
        recordsDirectory,
      }),
    );
    const kills = this.#cast.arm(orders, stage, watcher);
    const gates = new GateObserver();
    gates.watch(stage.slack);
    narrate(stage, this.#progress);
    this.#closing.push(() => this.#progress.close());
    const belay = {
      awsUrl: addresses.awsUrl,
      region: scenario.cluster.region,
      slackApiUrl: addresses.slackApiUrl,
      botToken: stage.slack.workspace.botToken,
      appToken: stage.slack.workspace.appToken,
      configFile: configPath,
      signingKey: privateLine,
      program: options.program,
      temporal: { address: addresses.temporalAddress, inherited: inheritedBy(source) },
    };
    this.#cast.startBelay(belay, options.twice);
    const { signal } = interrupted;
    return { options, scenario, stage, watcher, kills, gates, progress: this.#progress, configPath, recordsDirectory, say, signal };
  }

  /** Servers close after the processes, so that their last requests are answered. */
  async tearDown(): Promise<void> {
    await this.#cast.stop();
    for (const close of this.#closing.reverse()) await close();
  }

  /** Directly, or through a proxy where the network is to fail. */
  async #route({ built, aws, kubernetes, slack, prometheusUrl }: Stage, { address }: TemporalServer): Promise<Addresses> {
    const direct = {
      awsUrl: aws.url,
      kubernetesUrl: kubernetes.url,
      slackApiUrl: slack.apiUrl,
      prometheusUrl,
      temporalAddress: address,
    };
    const { addresses, close } = await throughProxies(built.world, direct, { env: process.env, say: this.#given.say });
    this.#closing.push(close);
    return addresses;
  }
}
