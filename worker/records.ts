/** Reads the records that runs have left in the directory of belay.yaml. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../domain/config/config.ts';
import { ConfigError } from '../domain/config/errors.ts';
import type { ClusterRef } from '../domain/facts.ts';
import type { UpgradePlan } from '../domain/plan/types.ts';
import type { UpgradeReport } from '../domain/status.ts';
import { field } from '../domain/unknown.ts';
import { besideConfig } from './settings.ts';

interface FoundRecord {
  report: UpgradeReport;
  /** Absent where the run ended before it had one. */
  plan?: UpgradePlan;
  /** The whole file. */
  json: unknown;
}

/** The newest record of a cluster. Throws an error that names the directory where there is none. */
export function lastRecord(config: Config, cluster: ClusterRef): FoundRecord {
  const directory = besideConfig(config, config.recordsDirectory);
  const files = filesBelow(directory).sort((a, b) => b.modifiedMs - a.modifiedMs);
  for (const { path } of files) {
    const json = parse(readFileSync(path, 'utf8'));
    const report = reportIn(json);
    if (report === undefined) continue;
    const of = report.status.cluster;
    if (of.name === cluster.name && of.account === cluster.account && of.region === cluster.region)
      return { report, plan: field(json, 'plan') as UpgradePlan | undefined, json };
  }
  throw new ConfigError(config.fileName, [
    {
      path: 'records.directory',
      message: `${directory} has no record of ${cluster.name}; a run writes one when it ends, where its worker runs`,
    },
  ]);
}

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
function reportIn(json: unknown): UpgradeReport | undefined {
  const report = field(json, 'report') ?? json;
  return isReport(report) ? report : undefined;
}

function isReport(value: unknown): value is UpgradeReport {
  return (
    typeof field(value, 'outcome') === 'string' &&
    typeof field(field(field(value, 'status'), 'cluster'), 'name') === 'string' &&
    Array.isArray(field(value, 'decisions'))
  );
}
