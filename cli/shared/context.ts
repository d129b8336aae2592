/** What commands share: options, configuration, the caller's identity, the way to Temporal. */
import { hostname, userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import type { Prove } from '../../domain/gates/identity-proof.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { reasonProblem } from '../../domain/gates/gate.ts';
import { UpgradesError } from '../../client/calls/contract.ts';
import type { Campaigns } from '../../client/campaigns/campaigns.ts';
import type { Answer, ConnectedUpgrades, Upgrades } from '../../client/upgrades-client.ts';
import type { UpgradesOptions } from '../../worker/local/open-upgrades.ts';
import { configFileName, loadConfig } from '../../worker/config/config.ts';
import { withoutControls } from './controls.ts';
import { inLocalTime } from './local-time.ts';
import { CliError, EXIT, EXIT_HELP } from './errors.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import { NODE_STRATEGIES, type NodeStrategy } from '../../domain/policy/policy.ts';
import { defaultTarget, policyOf, refuseToStart } from '../../domain/policy/config/of-cluster.ts';
import { oneOfWords, whichVersion, writeAMinor, writeAPort } from '../messages/arguments.ts';
import type { People } from '../../domain/policy/identities.ts';
import { askThem, groupsUnreadable, noAwsCredentials } from '../messages/outcomes.ts';

export interface CommonOptions {
  config?: string;
  debug?: boolean;
}

export interface FormatOptions {
  format: 'text' | 'json';
}

export interface PlanOptions {
  target?: string;
  strategy?: NodeStrategy;
}

/** Options and help that every command has. */
export function withCommon(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: BELAY_CONFIG or belay.yaml)')
    .option('--debug', 'show stack traces of errors')
    .addHelpText('after', EXIT_HELP);
}

/** Of commands that need no belay.yaml. */
export const CLUSTER_ARGUMENT = 'name in belay.yaml; without such a file, in EKS';
export const TARGET_OPTION = 'version to upgrade to, such as 1.34 (default: target in belay.yaml, else the next that EKS offers)';

/** What is to be planned: for `plan` and `start`. `cluster`: in square brackets where the command does without. */
export function withPlanOptions(command: Command, cluster: '<cluster>' | '[cluster]' = '<cluster>'): Command {
  return command
    .argument(cluster, cluster === '[cluster]' ? CLUSTER_ARGUMENT : 'name in belay.yaml')
    .option('-t, --target <minor>', cluster === '[cluster]' ? TARGET_OPTION : 'version to upgrade to, such as 1.34', parseTarget)
    .option('--strategy <strategy>', 'when nodes are replaced: every-hop or once-at-the-end', oneOf(...NODE_STRATEGIES));
}

/** For commands that show something. */
export function withFormat(command: Command): Command {
  return command.option('--format <format>', 'text or json', oneOf('text', 'json'), 'text');
}

/** For what starts nothing: approvers whom nobody can look up are a warning, on stderr. */
export function readConfig(options: CommonOptions, { quiet = false } = {}): Config {
  const config = loadConfig(configFileName(options.config));
  if (!quiet && config.unreadableGroups.length > 0) say(groupsUnreadable(config));
  return config;
}

/** Throws ConfigError where no upgrade could be approved by this file. */
export function readConfigToStart(options: CommonOptions): Config {
  const config = readConfig(options, { quiet: true });
  refuseToStart(config);
  return config;
}

/** The operating system's user and host: recorded, but verified by nobody. */
export function cliActor(): Actor {
  const username = userName();
  return { kind: 'cli', id: `${username}@${hostname()}`, name: username };
}

/** A container's user ID often has no entry in /etc/passwd, and then Node throws (https://github.com/nodejs/node/issues/25714). */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER'] || `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Who sends a command: shown by AWS credentials where belay.yaml names people, else recorded as it stands. */
export interface Sender {
  actor: Actor;
  prove?: Prove;
}

/**
 * Where belay.yaml names people, every command says by AWS who sends it. A shell without credentials is unverified where
 * approvals.allowUnverifiedCli lets it be, and refused elsewhere.
 */
export async function senderOf(config: Config, cluster: string): Promise<Sender> {
  const actor = cliActor();
  const { people, approvals, cluster: ref } = policyOf(config, cluster);
  if (people === undefined) return { actor };
  const { createProve } = await import('../../worker/local/sign-identity.ts');
  const prove = createProve(ref);
  try {
    await prove('');
    return { actor, prove };
  } catch (error) {
    if (approvals.allowUnverifiedCli) return { actor };
    const why = messageOf(error).replace(/[.\s]+$/, '');
    throw new CliError(noAwsCredentials(config.fileName, why, config.usesSlack), EXIT.refused);
  }
}

/** Runs `work` with upgrades over a connection of its own. */
export async function withUpgrades(
  config: Config,
  work: (upgrades: Upgrades, campaigns: Campaigns, connected: ConnectedUpgrades) => Promise<void>,
  options: Pick<UpgradesOptions, 'prove' | 'interceptors' | 'withinMs'> = {},
): Promise<void> {
  const { openUpgrades } = await import('../../worker/local/open-upgrades.ts');
  const connected = openUpgrades(config, options);
  try {
    await work(connected.upgrades, connected.campaigns, connected);
  } catch (error) {
    throw error instanceof UpgradesError && error.code === 'unreachable' ? await namingCertificates(config, error) : error;
  } finally {
    await connected.close();
  }
}

/** Temporal's client says of a server that hangs up only that it does not answer. */
async function namingCertificates(config: Config, error: UpgradesError): Promise<Error> {
  const { temporalSettings, TemporalUnreachableError } = await import('../../worker/temporal/connection.ts');
  const { tlsTrouble } = await import('../../worker/temporal/tls-trouble.ts');
  const settings = temporalSettings(config.temporal);
  const trouble = await tlsTrouble(settings.connection);
  return trouble === undefined ? error : new TemporalUnreachableError(settings, error, trouble);
}

/** Option parser for a Kubernetes minor. */
export function parseTarget(value: string): string {
  if (!/^1\.\d{2}$/.test(value)) throw new InvalidArgumentError(writeAMinor());
  return value;
}

/** Option parser for a port to listen on; 0: a free one. */
export function parsePort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError(writeAPort());
  return port;
}

/** Option parser for a reason. */
export function parseReason(value: string): string {
  const problem = reasonProblem(value);
  if (problem !== undefined) throw new InvalidArgumentError(problem);
  return value;
}

/** The version asked for, or the cluster's `target` in the file. */
export function targetOf(config: Config, cluster: string, target: string | undefined): string {
  const wanted = target ?? defaultTarget(config, cluster);
  if (wanted === undefined) throw new CliError(whichVersion(cluster, config.fileName));
  return wanted;
}

/** Option parser for one of several words. */
export function oneOf<T extends string>(...words: T[]): (value: string) => T {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word === undefined) throw new InvalidArgumentError(oneOfWords(words));
    return word;
  };
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Beside the result, for people: on stderr, and without colours. */
export function say(text: string): void {
  process.stderr.write(`${withoutControls(text)}\n`);
}

/** For people at this terminal: times are in its zone. */
export function printText(text: string): void {
  print(inLocalTime(text));
}

/** The value as JSON where that was asked for, else as `render` writes it. */
export function show<T>(options: FormatOptions, value: T, render: (value: T) => string): void {
  if (options.format === 'json') printJson(value);
  else printText(render(withoutControls(value)));
}

/** People and their AWS identities are those of the whole file. */
function peopleIn(config: Config): People {
  const [first] = config.clusterNames;
  return first === undefined ? {} : (policyOf(config, first).people ?? {});
}

/** What came of a decision or a control. Throws a CliError where it was not accepted, which names who may, with their AWS identities in belay.yaml. */
export function printReply({ reply }: Answer, config: Config): void {
  const { accepted, message, ask } = reply;
  if (!accepted) throw new CliError(ask === undefined ? message : `${message} ${askThem(ask, peopleIn(config))}`, EXIT.refused);
  printText(withoutControls(message));
}

/**
 * SIGINT and SIGTERM abort the work, which then cleans up. Afterwards, and the second time, they end the process as usual. `follows`: it goes on for as long
 * as somebody reads, so that it is also aborted once the reader of stdout has gone, such as head.
 */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>, { follows = false } = {}): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  for (const name of STOPS) process.once(name, stop);
  // EPIPE; run.ts throws any other error of it.
  if (follows) process.stdout.once('error', stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of STOPS) process.off(name, stop);
    process.stdout.off('error', stop);
  }
}

const STOPS = ['SIGINT', 'SIGTERM'] as const;

/** Aborts on the first SIGINT or SIGTERM. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of STOPS) process.once(name, () => controller.abort());
  return controller.signal;
}
