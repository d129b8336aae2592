/** Reads the audit records that runs have left where belay.yaml says, and checks each chain. */
import { auditName } from '../../activities/run/records/audit.ts';
import { readChain } from '../../activities/run/records/audit-chain.ts';
import { fileName } from '../../activities/run/records/file-name.ts';
import type { RecordStorage } from '../../activities/contract/records.ts';
import { AUDIT_START, type AuditEntry } from '../../domain/gates/audit.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { ConfigError } from '../../domain/policy/config/base/errors.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import { storageField } from '../config/storage.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

export interface FoundAudit {
  /** Oldest first, over all records. */
  entries: AuditEntry[];
  /** Records that are not as they were written, in words. */
  broken: string[];
}

/** One record. */
export interface AuditFile extends ReturnType<typeof readChain> {
  name: string;
}

/** `cluster`: its name; absent: of all, what was refused at the door included. Throws where there is no record at all. */
export async function auditFiles(config: Config, storage: RecordStorage, cluster?: string): Promise<AuditFile[]> {
  const files: AuditFile[] = [];
  try {
    // One after the other: a month at a busy door is large.
    for (const name of (await storage.audit.names(prefixOf(config, cluster))).toSorted())
      files.push({ name, ...wholeChain(await storage.audit.read(name)) });
  } catch (error) {
    const what = field(error, 'code') === 'ENOENT' ? 'has no audit record yet' : `cannot be read (${messageOf(error)})`;
    const message = `${storage.where} ${what}; runs write it where their worker runs`;
    throw new ConfigError(config.fileName, [{ path: storageField(config), message }]);
  }
  return files.filter(({ entries }) => cluster === undefined || entries.length === 0 || entries[0]?.cluster?.name === cluster);
}

/** Records of a cluster that belay.yaml no longer names are found among all. */
function prefixOf(config: Config, cluster: string | undefined): string {
  if (cluster === undefined || !config.clusterNames.includes(cluster)) return '';
  const { account, region, name } = policyOf(config, cluster).cluster;
  return fileName(`${[account, region, name].join('_')}_`);
}

/** `sinceMs`: epoch. Otherwise as auditFiles. */
export async function readAudits(
  config: Config,
  storage: RecordStorage,
  { cluster, sinceMs }: { cluster?: string; sinceMs?: number },
): Promise<FoundAudit> {
  const found: FoundAudit = { entries: [], broken: [] };
  for (const { name, entries, broken } of await auditFiles(config, storage, cluster)) {
    if (broken !== undefined) found.broken.push(`${name}: ${broken}`);
    found.entries.push(...entries.filter(({ at }) => sinceMs === undefined || Date.parse(at) >= sinceMs));
  }
  found.entries.sort((a, b) => a.at.localeCompare(b.at) || a.runId.localeCompare(b.runId) || a.seq - b.seq);
  return found;
}

/** Of one run; undefined where its record is not here. */
export async function auditOf(
  { audit }: RecordStorage,
  cluster: ClusterRef,
  runId: string,
): Promise<ReturnType<typeof readChain> | undefined> {
  const text = await audit.read(auditName(cluster, runId));
  return text === '' ? undefined : wholeChain(text);
}

/** As readChain. Where the first entries were taken away, or lie on another worker's disk, the others are a chain that fits. */
function wholeChain(text: string): ReturnType<typeof readChain> {
  const chain = readChain(text);
  const [first] = chain.entries;
  if (chain.broken !== undefined || first === undefined || first.previous === AUDIT_START.hash) return chain;
  return { ...chain, broken: `its beginning is missing: it starts with entry ${first.seq}` };
}
