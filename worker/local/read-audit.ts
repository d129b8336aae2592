/** Reads the audit records that runs have left below the directory of belay.yaml, and checks each chain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_FOLDER, auditName } from '../../activities/run/records/audit.ts';
import { readChain } from '../../activities/run/records/audit-chain.ts';
import type { AuditEntry } from '../../domain/gates/audit.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { ConfigError } from '../../domain/policy/config/base/errors.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { besideConfig } from '../config/settings.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

export interface FoundAudit {
  /** Oldest first, over all records. */
  entries: AuditEntry[];
  /** Records that are not as they were written, in words. */
  broken: string[];
}

/** One file of the folder. */
export interface AuditFile extends ReturnType<typeof readChain> {
  name: string;
}

/** Throws where there is no record at all. */
export function auditFiles(config: Config): AuditFile[] {
  const directory = auditDirectory(config);
  return filesOf(config, directory).map((name) => ({ name, ...readChain(readFileSync(join(directory, name), 'utf8')) }));
}

/** `cluster`: its name; absent: of all, what was refused at the door included. `sinceMs`: epoch. Throws where there is no record at all. */
export function readAudits(config: Config, { cluster, sinceMs }: { cluster?: string; sinceMs?: number }): FoundAudit {
  const found: FoundAudit = { entries: [], broken: [] };
  for (const { name, entries, broken } of auditFiles(config)) {
    const isOthers = cluster !== undefined && entries[0]?.cluster?.name !== cluster;
    if (isOthers && entries.length > 0) continue;
    if (broken !== undefined) found.broken.push(`${name}: ${broken}`);
    found.entries.push(...entries.filter(({ at }) => sinceMs === undefined || Date.parse(at) >= sinceMs));
  }
  found.entries.sort((a, b) => a.at.localeCompare(b.at) || a.runId.localeCompare(b.runId) || a.seq - b.seq);
  return found;
}

/** Of one run; undefined where its record is not here. */
export function auditOf(config: Config, cluster: ClusterRef, runId: string): ReturnType<typeof readChain> | undefined {
  try {
    return readChain(readFileSync(join(auditDirectory(config), `${auditName(cluster, runId)}.jsonl`), 'utf8'));
  } catch {
    return undefined;
  }
}

const auditDirectory = (config: Config): string => join(besideConfig(config, config.recordsDirectory), AUDIT_FOLDER);

function filesOf(config: Config, directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  } catch (error) {
    throw new ConfigError(config.fileName, [
      { path: 'records.directory', message: `${directory} cannot be read (${messageOf(error)}); runs write it where their worker runs` },
    ]);
  }
}
