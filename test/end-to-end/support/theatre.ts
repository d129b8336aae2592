/** Temporal, Slack's stand-in and Belay's two processes, started once; each play has a cluster and a world of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { parse, stringify } from 'yaml';
import { Cast } from '../../../rehearsal/play/cast.ts';
import type { ClusterSideOptions } from '../../../rehearsal/play/stage/cluster-side.ts';
import { configFile, writtenTiming } from '../../../rehearsal/play/config-file.ts';
import { TASK_QUEUE } from '../../../rehearsal/play/stage/names.ts';
import { IDENTITIES } from '../../../rehearsal/aws/eks/identities.ts';
import { makeSigningKey } from '../../../rehearsal/play/signing-key.ts';
import { type BelayAddresses, belayEnvironment } from '../../../rehearsal/processes/belay.ts';
import { findTemporal } from '../../../rehearsal/processes/temporal-cli.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { type SlackStandIn, startSlackServer } from '../../../rehearsal/neighbours/slack/server.ts';
import { setStage } from '../../../rehearsal/play/stage/stage.ts';
import { Watcher } from '../../../rehearsal/play/watch.ts';
import { Journal } from '../../../rehearsal/world/journal.ts';
import { Forwarder } from './forwarder.ts';
import { Play, type PlayOptions } from './play.ts';
import { eventually } from '../../support/eventually.ts';
import { PROGRAM } from '../../support/program.ts';

const SPEED = 600;
/** A worker that dies is noticed in half the rehearsal's time: most plays kill one, some a dozen times. */
const NOTICED_AFTER_MS = 5_000;
const CHANNEL = 'C0UPGRADES';

/** A cluster of belay.yaml, and the scenario that its world is made of. */
export interface House {
  scenario: Scenario;
  /** Milliseconds by the names of belay.yaml, instead of the rehearsal's. */
  timing?: Record<string, number | number[]>;
  /** Instead of the rehearsal's approvals. */
  approvals?: Record<string, unknown>;
}

/** How all plays of a theatre run. */
export interface Run {
  /** World seconds per wall second. */
  speed: number;
  /** A real cluster for each play; its stand-ins by default. */
  realParts?: ClusterSideOptions['real'];
  /** For belay.yaml: who is who on the command line. */
  people?: Record<string, { aws: string[] }>;
  /** belay.yaml says nothing of how long things take: it is learnt from earlier plays. */
  learns?: true;
  /** Variables of Belay's processes and command lines, such as BELAY_CODEC_KEYS. */
  env?: Record<string, string>;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Theatre {
  readonly directory: string;
  readonly slack: SlackStandIn;
  readonly client: Client;
  readonly temporalAddress: string;
  readonly aws: Forwarder;
  readonly recordsDirectory: string;
  readonly #houses: Map<string, House>;
  readonly #cast: Cast;
  readonly watcher: Watcher;
  readonly #connection: Connection;
  readonly #prometheus: Forwarder;
  readonly #charts: Forwarder;
  readonly #run: Run;
  #addresses: BelayAddresses;
  readonly #plays: Play[] = [];

  private constructor(parts: {
    directory: string;
    houses: Map<string, House>;
    slack: SlackStandIn;
    cast: Cast;
    watcher: Watcher;
    connection: Connection;
    aws: Forwarder;
    prometheus: Forwarder;
    charts: Forwarder;
    run: Run;
    addresses: BelayAddresses;
  }) {
    this.directory = parts.directory;
    this.recordsDirectory = join(parts.directory, 'records');
    this.slack = parts.slack;
    this.aws = parts.aws;
    this.#houses = parts.houses;
    this.#cast = parts.cast;
    this.watcher = parts.watcher;
    this.#connection = parts.connection;
    this.#prometheus = parts.prometheus;
    this.#charts = parts.charts;
    this.#run = parts.run;
    this.#addresses = parts.addresses;
    this.client = new Client({ connection: parts.connection });
    this.temporalAddress = parts.addresses.temporal.address;
  }

  /** Resolves when worker and Slack app are at work. Clusters are named up front: belay.yaml is read once. */
  static async open(clusters: Record<string, House>, run: Run = { speed: SPEED }): Promise<Theatre> {
    const directory = mkdtempSync(join(tmpdir(), 'belay-theatre-'));
    mkdirSync(join(directory, 'records'));
    let givenUp: Error | undefined;
    const cast = new Cast({ directory, say: () => undefined, onGivenUp: (error) => void (givenUp = error) });
    const temporal = await cast.startTemporal(await findTemporal({ env: process.env, say: () => undefined }));
    const watcher = new Watcher({ address: temporal.address, namespace: 'default' });
    await eventually('Temporal answers', () => watcher.answers());
    const now = (): Date => new Date();
    const slack = await startSlackServer({ journal: new Journal(now), now, temporalUi: () => temporal.ui });
    const [aws, prometheus, charts] = [await Forwarder.start(), await Forwarder.start(), await Forwarder.start()];
    const houses = new Map(Object.entries(clusters));
    const configPath = join(directory, 'belay.yaml');
    const { privateLine, publicKeys } = makeSigningKey();
    const given = { publicKeys, prometheusUrl: prometheus.url, chartsUrl: charts.url, directory, ui: temporal.ui, run };
    writeFileSync(configPath, configOf(houses, given));
    const addresses: BelayAddresses = {
      awsUrl: aws.url,
      region: [...houses.values()][0]?.scenario.cluster.region ?? 'eu-central-1',
      slackApiUrl: slack.apiUrl,
      botToken: slack.workspace.botToken,
      appToken: slack.workspace.appToken,
      configFile: configPath,
      signingKey: privateLine,
      program: PROGRAM,
      temporal: { address: temporal.address, inherited: run.env ?? {} },
    };
    cast.startBelay(addresses);
    const connection = await Connection.connect({ address: temporal.address });
    const theatre = new Theatre({ directory, houses, slack, cast, watcher, connection, aws, prometheus, charts, run, addresses });
    try {
      await theatre.ready(() => givenUp);
    } catch (error) {
      // What is left running would keep the tests from ending.
      await theatre.close();
      throw error;
    }
    return theatre;
  }

  /** Both processes are at work. */
  async ready(givenUp: () => Error | undefined = () => undefined): Promise<void> {
    const atWork = async (): Promise<boolean> => {
      const error = givenUp();
      if (error !== undefined) throw error;
      return this.slack.connected() > 0 && (await this.hasWorker());
    };
    await eventually('worker and Slack app are at work', atWork, 90_000);
  }

  hasWorker(): Promise<boolean> {
    return this.watcher.hasWorker(TASK_QUEUE);
  }

  /** A world for a cluster of belay.yaml, with a persona who presses its buttons. Nobody has asked for an upgrade yet. */
  async play(cluster: string, options: PlayOptions & { faults?: string[]; speed?: number } = {}): Promise<Play> {
    const house = this.#houses.get(cluster);
    if (house === undefined) throw new Error(`belay.yaml has no cluster ${cluster}`);
    const scenario = named(cluster, house.scenario);
    const stage = await setStage({
      scenario,
      speed: options.speed ?? this.#run.speed,
      faults: options.faults ?? [],
      temporalUi: () => undefined,
      slack: this.slack,
      real: this.#run.realParts,
    });
    this.aws.to(stage.aws.url);
    this.#prometheus.to(stage.prometheusUrl);
    if (stage.chartRepository !== undefined) this.#charts.to(stage.chartRepository);
    const play = new Play(this, scenario, stage, options);
    this.#plays.push(play);
    return play;
  }

  /** SIGKILL; it is started again two seconds later. */
  kill(name: 'worker' | 'slack'): void {
    if (this.#cast.process(name)?.kill() !== true) throw new Error(`the ${name} was not running`);
  }

  async stop(name: 'worker' | 'slack'): Promise<void> {
    await this.#cast.process(name)?.stop(8_000);
  }

  start(name: 'worker' | 'slack'): void {
    this.#cast.process(name)?.start();
  }

  /** Ends both processes and starts them anew: as another release, or with other variables. Resolves when they are at work. */
  async replace({ program, env = {} }: { program?: string; env?: Record<string, string> }): Promise<void> {
    await this.stop('slack');
    await this.stop('worker');
    const { temporal, ...others } = this.#addresses;
    const inherited = { ...temporal.inherited, ...env };
    this.#addresses = { ...others, ...(program === undefined ? {} : { program }), temporal: { ...temporal, inherited } };
    this.#cast.startBelay(this.#addresses);
    await this.ready();
  }

  /** The `belay` command in a process of its own. */
  belay(...args: string[]): Promise<Ran> {
    return this.#belay(args, {});
  }

  /** The same in the shell of somebody who has logged in to AWS. */
  belayAs(person: string, ...args: string[]): Promise<Ran> {
    const { accessKeyId, secretAccessKey } = IDENTITIES[person] ?? {};
    return this.#belay(args, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  }

  #belay(args: string[], credentials: Record<string, string | undefined>): Promise<Ran> {
    const env = { ...belayEnvironment(this.#addresses, process.env), ...credentials };
    const child = spawn(process.execPath, ['--no-warnings', this.#addresses.program ?? PROGRAM, ...args], {
      cwd: this.directory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (ran.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (ran.stderr += chunk));
    const limit = setTimeout(() => child.kill('SIGKILL'), 60_000);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(limit);
        resolve({ ...ran, code });
      });
    });
  }

  async close(): Promise<void> {
    for (const play of this.#plays) await play.end();
    await this.#cast.stop();
    await this.watcher.close();
    await this.#connection.close();
    await this.slack.close();
    await this.aws.close();
    await this.#prometheus.close();
    await this.#charts.close();
    if (process.env['BELAY_KEEP'] === undefined) rmSync(this.directory, { recursive: true, force: true });
  }
}

/** `prefix-1`, `prefix-2`, …: one cluster for each play. */
export function houses(prefix: string, count: number, house: House): Record<string, House> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index + 1}`, house]));
}

const named = (cluster: string, scenario: Scenario): Scenario => ({ ...scenario, cluster: { ...scenario.cluster, name: cluster } });

/** The rehearsal's own file for each cluster, put together. */
function configOf(
  houses: Map<string, House>,
  given: {
    publicKeys: Record<string, string>;
    prometheusUrl: string;
    chartsUrl: string;
    directory: string;
    ui: string | undefined;
    run: Run;
  },
): string {
  const files = [...houses].map(([cluster, { scenario, timing, approvals }]) => {
    const file = configFile({
      scenario: named(cluster, scenario),
      speed: given.run.speed,
      channel: CHANNEL,
      approvers: { users: ['U0SAM', 'U0RIN'], groups: ['S0PLATFORM'] },
      publicKeys: given.publicKeys,
      prometheusUrl: given.prometheusUrl,
      ui: given.ui,
      recordsDirectory: join(given.directory, 'records'),
      ...(scenario.managedBy.istio === 'helm' ? { chartRepository: given.chartsUrl } : {}),
      realParts: given.run.realParts !== undefined,
    });
    const parsed: { clusters: Record<string, Record<string, unknown>>; timing?: Record<string, unknown> } = parse(file);
    const own = {
      ...parsed.clusters[cluster],
      ...(timing === undefined ? {} : { timing: writtenTiming(timing) }),
      ...(approvals === undefined ? {} : { approvals }),
    };
    return { ...parsed, clusters: { [cluster]: own } };
  });
  const { people, learns } = given.run;
  const { timing, ...shared } = files[0] ?? {};
  const { expected: _told, ...untold } = timing ?? {};
  const faster = given.run.realParts === undefined ? { heartbeatTimeout: NOTICED_AFTER_MS, pollMin: 100, pollMax: 150 } : {};
  return stringify({
    ...shared,
    timing: { ...(learns === true ? untold : timing), ...writtenTiming(faster) },
    ...(people === undefined ? {} : { people }),
    clusters: Object.assign({}, ...files.map((file) => file.clusters)),
  });
}
