/** What commands that read a snapshot in place of a cluster share. */
import type { Command } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import type { Snapshot } from '../../domain/facts/snapshot/format.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { isConfigThere } from '../../worker/config/config.ts';
import { whichCluster, whichTarget } from '../messages/arguments.ts';
import { notOfSnapshot } from '../messages/without-file.ts';
import { type ClusterFlags, flagGiven } from './cluster-choice.ts';
import { type CommonOptions, readConfig, say } from './context.ts';
import { matchSnapshot } from './match-snapshot.ts';
import { CliError } from './errors.ts';

export interface SnapshotOptions {
  snapshot?: string;
}

export function withSnapshot(command: Command): Command {
  return command.option('--snapshot <file>', 'read the cluster from a file written by "belay snapshot"; asks neither AWS nor the cluster');
}

/** A snapshot is read in place of a cluster: flags that say which, or how to reach it, are a slip. */
export function refuseBesideSnapshot(flags: ClusterFlags): void {
  const flag = flagGiven(flags);
  if (flag !== undefined) throw new CliError(notOfSnapshot(flag));
}

/** The cluster of a command that does without where it has a snapshot. `usage`: the command with a cluster. */
export function namedCluster(cluster: string | undefined, usage: string): string {
  if (cluster === undefined) throw new CliError(whichCluster(usage));
  return cluster;
}

/** Throws where the file is no snapshot. */
export async function openSnapshot(file: string): Promise<Snapshot> {
  const { readSnapshotFile } = await import('../../worker/local/snapshots/snapshot-file.ts');
  return await readSnapshotFile(file);
}

/** A snapshot needs no belay.yaml; one that is named, or that lies there, has to be right. */
export function configBeside(options: CommonOptions, of: { quiet?: boolean } = {}): Config | undefined {
  return isConfigThere(options.config) ? readConfig(options, of) : undefined;
}

export interface SnapshotSubject {
  /** Absent: there is no belay.yaml. */
  config?: Config;
  snapshot: Snapshot;
}

/** A snapshot in place of a cluster. Throws a CliError for what contradicts it; says on stderr where belay.yaml is there and counts for nothing. */
export async function snapshotSubject(
  file: string,
  cluster: string | undefined,
  options: CommonOptions & ClusterFlags,
): Promise<SnapshotSubject> {
  refuseBesideSnapshot(options);
  const config = configBeside(options);
  const snapshot = await openSnapshot(file);
  const notice = matchSnapshot(snapshot.header, { file, named: cluster, ...defined({ config }) });
  if (notice !== undefined) say(notice);
  return { snapshot, ...defined({ config }) };
}

/** The version asked for, or that of the cluster in the file where it is this very cluster. */
export async function snapshotTarget(snapshot: Snapshot, config: Config | undefined, target: string | undefined): Promise<string> {
  const { snapshotPolicy } = await import('../../worker/local/snapshots/plan-snapshot.ts');
  const wanted = target ?? snapshotPolicy(snapshot, config).target;
  if (wanted === undefined) throw new CliError(whichTarget());
  return wanted;
}
