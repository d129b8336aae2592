/** `belay rehearse`: a whole upgrade on the twin, from the first typed command to the last comparison of before and after. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Cast } from './cast.ts';
import { configFile } from './config-file.ts';
import { startByCommand, untilReady } from './drive.ts';
import { writeEndpoints, writeKubeconfig } from './endpoints.ts';
import { requireHelm } from './helm/find-helm.ts';
import { asksPeople, GateObserver } from './gate-observer.ts';
import { upgradeId } from './names.ts';
import type { RehearsalResult, RehearseOptions } from './options.ts';
import { type KillOrder, parseKill } from './processes/kills.ts';
import { findTemporal, type TemporalSource } from './processes/temporal-cli.ts';
import { Progress } from './progress.ts';
import { type RehearsalReport, renderLeft, renderReport, succeeded } from './report.ts';
import { chooseFaults, chooseScenario } from './choose.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { FaultName } from './world/faults.ts';
import { startPersona } from './slack/persona.ts';
import { plainText } from './slack/plain-text.ts';
import { setStage, type Stage } from './stage.ts';
import { conclude } from './conclude.ts';
import { pause, until, Watcher } from './watch.ts';

export type { RehearsalResult, RehearseOptions } from './options.ts';

const REQUESTER = 'U0ALEX';
const APPROVERS = { users: [], groups: ['S0PLATFORM'] };
/** Of that group: presses the buttons when nobody else does. */
const PERSONA = 'U0SAM';
const CHANNEL = 'C0UPGRADES';
/** A persona thinks this long, in world time, and not under a quarter of a second. */
const THINK_WORLD_MS = 30_000;

/** Throws errors that name the fix for wrong options; resolves with how it went otherwise. Leaves no process behind. */
export async function rehearse(options: RehearseOptions): Promise<RehearsalResult> {
  const scenario = chooseScenario(options.scenario);
  if (scenario.managedBy.istio === 'helm' && options.worldOnly !== true) requireHelm(scenario.name, process.env);
  const faults = chooseFaults(options.faults);
  const orders = options.kills.map(parseKill);
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new Error('interrupted'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, interrupt);
  const keep = options.keep === true || options.auto === 'ask' || options.worldOnly === true;
  const directory = workDirectory(scenario, keep);
  const run = new Rehearsal(options, { scenario, faults, orders, directory, interrupted });
  try {
    return await run.play();
  } catch (error) {
    if (interrupted.signal.aborted && run.failure === undefined)
      return { ok: options.worldOnly === true, why: 'The rehearsal was interrupted.' };
    throw run.failure ?? error;
  } finally {
    await run.tearDown();
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, interrupt);
    if (!keep && run.passed) rmSync(directory, { recursive: true, force: true });
    else run.say(`Database, logs and records: ${directory}`);
  }
}

interface Given {
  scenario: Scenario;
  faults: FaultName[];
  orders: KillOrder[];
  directory: string;
  interrupted: AbortController;
}

class Rehearsal {
  readonly #options: RehearseOptions;
  readonly #given: Given;
  readonly #cast: Cast;
  readonly #gates = new GateObserver();
  readonly #closing: (() => void | Promise<void>)[] = [];
  readonly say: (line: string) => void;
  failure: Error | undefined;
  passed = false;

  constructor(options: RehearseOptions, given: Given) {
    this.#options = options;
    this.#given = given;
    this.say = options.say ?? say;
    this.#cast = new Cast({
      directory: given.directory,
      say: (line) => this.#progress.line(line),
      onGivenUp: (error) => {
        this.failure ??= error;
        given.interrupted.abort(error);
      },
    });
  }

  readonly #progress: Progress = new Progress({ write: (line) => this.say(line), elapsedMs: () => this.#elapsedMs() });
  #elapsedMs: () => number = () => 0;

  async play(): Promise<RehearsalResult> {
    const { scenario, orders, directory } = this.#given;
    const source = await this.#findTemporal();
    const temporal = await this.#cast.startTemporal(source);
    const watcher = new Watcher({ address: temporal.address, namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default' });
    this.#closing.push(() => watcher.close());
    const { signal } = this.#given.interrupted;
    if (!(await until(() => watcher.answers(), { limitMs: 30_000, signal }))) {
      throw new Error(
        `Temporal at ${temporal.address} does not answer; ${source.kind === 'server' ? 'start it, or unset TEMPORAL_ADDRESS' : `${directory}/temporal.log says why`}.`,
      );
    }
    const stage = await setStage({
      scenario,
      speed: this.#options.speed,
      faults: this.#given.faults,
      pagePort: this.#options.port,
      temporalUi: () => temporal.ui,
    });
    this.#closing.push(() => stage.close());
    await this.#options.onStage?.(stage);
    const { clock, journal } = stage.built.world;
    this.#elapsedMs = () => clock.elapsedMs();
    if (this.#options.worldOnly === true) return await this.#worldOnly(stage, temporal.address);

    const configPath = join(directory, 'belay.yaml');
    const recordsDirectory = join(directory, 'records');
    writeFileSync(
      configPath,
      configFile({
        scenario,
        speed: this.#options.speed,
        channel: CHANNEL,
        approvers: APPROVERS,
        prometheusUrl: stage.prometheusUrl,
        chartRepository: stage.chartRepository,
        ui: temporal.ui,
        recordsDirectory,
      }),
    );
    this.#cast.arm(orders, stage, watcher);
    journal.onMutation((mutation) => this.#progress.mutation(mutation));
    const { workspace } = stage.slack;
    stage.slack.onMessage((message) => {
      const line = `  slack      ${plainText(message.text, workspace)}`;
      if (asksPeople(message)) this.#progress.call(line);
      else this.#progress.line(line);
    });
    stage.slack.onClick(({ user, actionId }) => this.#progress.line(`  press      ${plainText(`<@${user}>`, workspace)}: ${actionId}`));
    this.#gates.watch(stage.slack);
    this.#followWorld(stage);
    this.#closing.push(() => this.#progress.close());
    this.#cast.startBelay({
      awsUrl: stage.aws.url,
      region: scenario.cluster.region,
      slackApiUrl: stage.slack.apiUrl,
      botToken: stage.slack.workspace.botToken,
      appToken: stage.slack.workspace.appToken,
      configFile: configPath,
      temporal: { address: temporal.address, inherited: source.kind === 'server' ? temporalVariables(process.env) : {} },
    });
    this.say(`${scenario.title} (${scenario.name}), ${this.#options.speed}× as fast.\n`);
    this.say(`The channel:  ${stage.slack.pageUrl}`);
    if (temporal.ui !== undefined) this.say(`Temporal UI:  ${temporal.ui}`);
    return this.#options.auto === 'ask'
      ? await this.#ask(stage, watcher, recordsDirectory)
      : await this.#approve(stage, watcher, recordsDirectory);
  }

  #followWorld({ built: { world } }: Stage): void {
    this.#progress.follow(() => world.journal.events, world.clock.nowMs() - world.clock.elapsedMs());
  }

  /** A named persona presses the buttons; nothing here talks to Temporal but to look. */
  async #approve(stage: Stage, watcher: Watcher, recordsDirectory: string): Promise<RehearsalResult> {
    const { scenario, interrupted } = this.#given;
    const startedAt = { wallMs: performance.now(), worldMs: stage.built.world.clock.elapsedMs() };
    const since = new Date();
    const persona = startPersona({
      slack: stage.slack,
      user: PERSONA,
      mode: 'approve',
      thinkMs: Math.max(250, THINK_WORLD_MS / this.#options.speed),
      decide: this.#options.decide,
    });
    this.#closing.push(() => persona.close());
    const workflowId = upgradeId(scenario.cluster);
    const { started, answers } = await startByCommand({
      slack: stage.slack,
      watcher,
      command: `/eks-upgrade start ${scenario.cluster.name} ${scenario.to}`,
      requester: REQUESTER,
      workflowId,
      since,
      signal: interrupted.signal,
      say: (line) => this.#progress.line(line),
    });
    if (started === undefined) throw new Error(`The upgrade did not start. Slack said: ${answers.join(' ') || 'nothing'}`);
    await watcher.untilClosed(workflowId, since, interrupted.signal);
    return await this.#end(stage, watcher, { recordsDirectory, since, startedAt });
  }

  /** People play on the page; it stays open afterwards. */
  async #ask(stage: Stage, watcher: Watcher, recordsDirectory: string): Promise<RehearsalResult> {
    const { scenario, interrupted } = this.#given;
    const { signal } = interrupted;
    const workflowId = upgradeId(scenario.cluster);
    this.say(`Type there:   /eks-upgrade start ${scenario.cluster.name} ${scenario.to}`);
    this.say(
      `From a shell: TEMPORAL_ADDRESS=${watcher.address} belay status ${scenario.cluster.name} --config ${this.#given.directory}/belay.yaml`,
    );
    this.say('Decide there: as Sam or Rin, top right; what happens is told here as it goes. End with Ctrl-C.\n');
    if (await untilReady(stage.slack, watcher, signal)) this.#progress.line('Belay is ready: type the command.');
    let result: RehearsalResult | undefined;
    while (!signal.aborted) {
      const since = new Date();
      try {
        await until(async () => (await watcher.look(workflowId, since)) !== undefined, { limitMs: Number.POSITIVE_INFINITY, signal });
        const startedAt = { wallMs: performance.now(), worldMs: stage.built.world.clock.elapsedMs() };
        await watcher.untilClosed(workflowId, since, signal);
        result = await this.#end(stage, watcher, { recordsDirectory, since, startedAt });
        this.#followWorld(stage);
        this.say('The page and Temporal UI stay open, and the cluster is as the run left it; end with Ctrl-C.');
      } catch (error) {
        if (signal.aborted && result !== undefined) return result;
        throw error;
      }
    }
    return result ?? { ok: false, why: 'The rehearsal was ended before an upgrade was.' };
  }

  async #end(
    stage: Stage,
    watcher: Watcher,
    times: { recordsDirectory: string; since: Date; startedAt: { wallMs: number; worldMs: number } },
  ): Promise<RehearsalResult> {
    const { scenario, interrupted } = this.#given;
    const kills = this.#cast.kills;
    // A process killed late may still be on its way back.
    await until(() => (kills?.records ?? []).every(({ recoveredMs }) => recoveredMs !== undefined), {
      limitMs: 15_000,
      signal: interrupted.signal,
    });
    const { report, headline } = await conclude({ scenario, stage, watcher, ...times, killed: kills?.records ?? [], gates: this.#gates });
    this.#progress.close();
    if (this.#options.json !== undefined) writeFileSync(resolve(this.#options.json), `${JSON.stringify(report, null, 2)}\n`);
    this.say(`\n${renderReport(report, headline)}\n`);
    const why = failureOf(report, kills?.unfired ?? []);
    this.passed = why === undefined;
    return { ok: this.passed, why: why ?? '', report, stage };
  }

  async #worldOnly(stage: Stage, temporalAddress: string): Promise<RehearsalResult> {
    const { scenario, directory, interrupted } = this.#given;
    const kubeconfig = join(directory, 'kubeconfig');
    const { url, caData } = stage.kubernetes;
    writeKubeconfig(kubeconfig, { cluster: scenario.cluster.name, url, caData, token: stage.kubernetesToken });
    const endpoints = {
      eks: stage.aws.url,
      kubeconfig,
      slack: stage.slack.apiUrl,
      prometheus: stage.prometheusUrl,
      temporal: temporalAddress,
    };
    if (this.#options.endpoints === undefined) this.say(JSON.stringify(endpoints, null, 2));
    else writeEndpoints(resolve(this.#options.endpoints), endpoints);
    this.say(`The world of ${scenario.name} is up (page: ${stage.slack.pageUrl}); end it with Ctrl-C.`);
    await untilAborted(interrupted.signal);
    return { ok: true, why: '' };
  }

  async #findTemporal(): Promise<TemporalSource> {
    const source = await findTemporal({ env: process.env, say: this.say });
    const ours = this.#given.orders.some(({ process: name }) => name === 'temporal');
    if (source.kind === 'server' && ours)
      throw new Error('--kill temporal@… needs a Temporal server of the rehearsal’s own; unset TEMPORAL_ADDRESS.');
    return source;
  }

  /** Servers close after the processes, so that their last requests are answered. */
  async tearDown(): Promise<void> {
    await this.#cast.stop();
    for (const close of this.#closing.reverse()) await close();
  }
}

/** undefined: it is as it should be. */
function failureOf(report: RehearsalReport, unfired: readonly KillOrder[]): string | undefined {
  if (!succeeded(report)) {
    const problems = [
      ...report.leftBehind.map((left) => `left behind: ${renderLeft(left)}`),
      ...(report.outcome === 'completed' ? report.unmet : []),
    ];
    return [`The upgrade ended as ${report.outcome}.`, ...problems.map((problem) => `  ${problem}`)].join('\n');
  }
  if (unfired.length > 0)
    return `These kills never found their moment: ${unfired.map(({ process: name, at }) => `${name}@${at}`).join(', ')}.`;
  const lost = report.killed.filter(({ recoveredMs }) => recoveredMs === undefined);
  if (lost.length > 0) return `Not seen again after its kill: ${lost.map(({ process: name, at }) => `${name}@${at}`).join(', ')}.`;
  return undefined;
}

/** Kept ones lie in the working directory, others among temporary files. */
function workDirectory(scenario: Scenario, keep: boolean): string {
  if (!keep) return mkdtempSync(join(tmpdir(), `belay-${scenario.name}-`));
  const stamp = new Date().toISOString().replace(/[:.]/g, '-').slice(0, 19);
  const directory = resolve('.belay', 'rehearsals', `${scenario.name}-${stamp}-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  return directory;
}

function temporalVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[0].startsWith('TEMPORAL_') && entry[1] !== undefined),
  );
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await pause(60_000, signal).catch(() => undefined);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
