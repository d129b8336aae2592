/** Reads the records that runs have left in the directory of belay.yaml. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AskedChange } from '../../domain/run/record/change-requests.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { ConfigError } from '../../domain/policy/config/base/errors.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { field } from '../../domain/core/unknown.ts';
import { besideConfig } from '../config/settings.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

interface FoundRecord {
  report: UpgradeReport;
  /** What the run asked others to change. */
  asked: AskedChange[];
  /** Absent where the run ended before it had one. */
  plan?: UpgradePlan;
  /** The whole file. */
  json: unknown;
}

/** The newest record of a cluster. Throws an error that names the directory where there is none. */
export function lastRecord(config: Config, cluster: ClusterRef): FoundRecord {
  const [record] = recordsOf(config, cluster);
  if (record !== undefined) return record;
  throw new ConfigError(config.fileName, [
    {
      path: 'records.directory',
      message: `${directoryOf(config)} has no record of ${cluster.name}; a run writes one when it ends, where its worker runs`,
    },
  ]);
}

/** The records of a cluster, the newest first; none where there is no such directory. */
export function recordsOf(config: Config, cluster: ClusterRef): FoundRecord[] {
  const files = filesBelow(directoryOf(config)).sort((a, b) => b.modifiedMs - a.modifiedMs);
  return files.flatMap(({ path }) => {
    const json = parse(readFileSync(path, 'utf8'));
    const report = reportIn(json);
    const of = report?.status.cluster;
    const isIts = of?.name === cluster.name && of.account === cluster.account && of.region === cluster.region;
    return report !== undefined && isIts
      ? [{ report, asked: askedIn(json), plan: field(json, 'plan') as UpgradePlan | undefined, json }]
      : [];
  });
}

const directoryOf = (config: Config): string => besideConfig(config, config.recordsDirectory);

function filesBelow(directory: string): { path: string; modifiedMs: number }[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(directory, name))
      .map((path) => ({ path, modifiedMs: statSync(path).mtimeMs }));
  } catch {
    return [];
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Records are written by us; a file of another kind is passed over. */
export function reportIn(json: unknown): UpgradeReport | undefined {
  const report = field(json, 'report') ?? json;
  return isReport(report) ? report : undefined;
}

function askedIn(json: unknown): AskedChange[] {
  const asked = field(json, 'asked');
  return Array.isArray(asked) ? asked.filter(isAsked) : [];
}

function isAsked(value: unknown): value is AskedChange {
  return ['step', 'component', 'name', 'version', 'managedBy', 'at', 'text'].every((key) => typeof field(value, key) === 'string');
}

function isReport(value: unknown): value is UpgradeReport {
  return (
    typeof field(value, 'outcome') === 'string' &&
    typeof field(field(field(value, 'status'), 'cluster'), 'name') === 'string' &&
    Array.isArray(field(value, 'decisions'))
  );
}
