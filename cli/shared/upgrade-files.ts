/** What -f of `belay apply` names: files, or stdin. All are read and looked through before anything is started. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import type { UpgradeRequest } from '../../domain/policy/config/upgrade-file.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import { MOST_BYTES, parseUpgrades } from '../../worker/config/upgrade-file.ts';
import {
  noFiles,
  noSuchUpgradeFile,
  sameClusterTwice,
  stdinTwice,
  tooLarge,
  unknownClusterAt,
  upgradeFileUnread,
} from '../messages/apply.ts';
import { CliError } from './errors.ts';

const STDIN = '-';

/** Throws ConfigError or CliError that name file, line and fix. */
export async function readUpgrades(files: readonly string[], config: Config): Promise<UpgradeRequest[]> {
  if (files.length === 0) throw new CliError(noFiles());
  if (files.filter((file) => file === STDIN).length > 1) throw new CliError(stdinTwice());
  const found: UpgradeRequest[] = [];
  for (const file of files) {
    const name = file === STDIN ? 'stdin' : file;
    found.push(...parseUpgrades(file === STDIN ? await readStdin() : readFile(file), name));
  }
  for (const [index, { cluster, at }] of found.entries()) {
    try {
      policyOf(config, cluster);
    } catch (error) {
      throw new CliError(unknownClusterAt(at, messageOf(error)));
    }
    // Two targets for one cluster contradict each other, and one written twice is a slip.
    const first = found.slice(0, index).find((other) => other.cluster === cluster);
    if (first !== undefined) throw new CliError(sameClusterTwice(at, cluster, first.at));
  }
  return found;
}

function readFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = field(error, 'code');
    throw new CliError(code === 'ENOENT' ? noSuchUpgradeFile(file) : upgradeFileUnread(file, String(code)));
  }
  return limited(text, file);
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MOST_BYTES) throw new CliError(tooLarge('stdin', MOST_BYTES));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function limited(text: string, name: string): string {
  if (Buffer.byteLength(text) > MOST_BYTES) throw new CliError(tooLarge(name, MOST_BYTES));
  return text;
}
