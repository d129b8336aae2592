/** What commands share: options, configuration, the caller's identity, the way to Temporal. */
import { hostname, userInfo } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { type Config, defaultTarget } from '../domain/config/config.ts';
import type { Actor } from '../domain/gate.ts';
import type { ConnectedUpgrades } from '../slack/upgrades.ts';
import { configFileName, loadConfig } from '../worker/config.ts';
import { CliError, EXIT_HELP } from './errors.ts';

export interface CommonOptions {
  config?: string;
  debug?: boolean;
}

/** Options and help that every command has. */
export function withCommon(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file (default: BELAY_CONFIG or belay.yaml)')
    .option('--debug', 'show where an error comes from')
    .addHelpText('after', EXIT_HELP);
}

export function readConfig(options: CommonOptions): Config {
  return loadConfig(configFileName(options.config));
}

/** The operating system's user and host: recorded, but verified by nobody. */
export function cliActor(): Actor {
  const { username } = userInfo();
  return { kind: 'cli', id: `${username}@${hostname()}`, name: username };
}

/** Runs `work` with upgrades over a connection of its own. */
export async function withUpgrades<T>(config: Config, work: (connected: ConnectedUpgrades) => Promise<T>): Promise<T> {
  const { openUpgrades } = await import('../worker/upgrades.ts');
  const connected = openUpgrades(config);
  // Not closed: a call that was given up still retries, and a closed connection would throw there. main.ts ends the process.
  return await work(connected);
}

/** Option parser for a Kubernetes minor. */
export function parseTarget(value: string): string {
  if (!/^1\.\d{2}$/.test(value)) throw new InvalidArgumentError(`Write a Kubernetes minor such as 1.34.`);
  return value;
}

/** The version asked for, or the cluster's `target` in the file. */
export function targetOf(config: Config, cluster: string, target: string | undefined): string {
  const wanted = target ?? defaultTarget(config, cluster);
  if (wanted === undefined)
    throw new CliError(`Say to which version: --target 1.34, or target: "1.34" for ${cluster} in ${config.fileName}.`);
  return wanted;
}

/** Option parser for one of several words. */
export function oneOf<T extends string>(...words: T[]): (value: string) => T {
  return (value) => {
    const word = words.find((known) => known === value);
    if (word === undefined) throw new InvalidArgumentError(`Write one of ${words.join(', ')}.`);
    return word;
  };
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Aborts on the first SIGINT or SIGTERM. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
