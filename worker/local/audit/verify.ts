/** Compares every audit record with its anchors: a chain that fits is no proof where somebody wrote all of it anew. */
import type { Client } from '@temporalio/client';
import type { AuditHead } from '../../../domain/gates/audit.ts';
import { type Anchor, contradiction } from '../../../domain/gates/audit-anchor.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import type { RecordStorage } from '../../../activities/contract/records.ts';
import { anchorInLock, anchorInRecord, anchorInTemporal } from './anchors.ts';
import { type AuditFile, auditFiles, auditOf } from '../read-audit.ts';
import { recordsOf } from '../read-records.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { policyOf } from '../../../domain/policy/config/of-cluster.ts';
import { count } from '../../../domain/core/text.ts';

/** `wrong`: it is not as it was written. `unknown`: nothing outside of it could be asked. */
export interface VerifiedAudit {
  /** "prod run 0199…" */
  record: string;
  kind: 'holds' | 'wrong' | 'unknown';
  /** One sentence each. */
  lines: string[];
}

/** `head`: as a message in Slack shows it. Without a `client` Temporal is not asked. */
export async function verifyAudits(
  config: Config,
  storage: RecordStorage,
  { cluster, head, client }: { cluster?: string; head?: AuditHead; client?: Client },
): Promise<VerifiedAudit[]> {
  const files = (await auditFiles(config, storage, cluster)).filter(({ entries }) => cluster === undefined || entries.length > 0);
  const verified: VerifiedAudit[] = [];
  for (const file of files) verified.push(await verifiedFile(storage, file, client));
  verified.push(...(await missingRecords(config, storage, cluster)));
  if (head !== undefined) verified.push(ofHead(files, head));
  return verified;
}

async function verifiedFile(
  storage: RecordStorage,
  { name, entries, broken }: AuditFile,
  client: Client | undefined,
): Promise<VerifiedAudit> {
  const [first] = entries;
  const record = first?.cluster === undefined ? name : `${first.cluster.name} run ${first.runId}`;
  if (broken !== undefined) return { record, kind: 'wrong', lines: [broken] };
  // What was refused at the door belongs to no run, and nobody else counts it.
  if (first?.cluster === undefined)
    return { record, kind: 'holds', lines: [`${count(entries.length, 'entry')}, chained; no run knows of them`] };
  const { anchors, replaced, missing } = await anchorsOf(storage, first.cluster, first.runId, client);
  const wrong = [
    ...anchors.flatMap((anchor) => contradiction(entries, anchor) ?? []),
    ...replaced.map((part) => `${part} was replaced or deleted after it was written; its first version is kept`),
  ];
  if (wrong.length > 0) return { record, kind: 'wrong', lines: [...wrong, ...missing] };
  const held = anchors.map(({ seq, from }) => `${from} knows of entry ${seq}`);
  const lines = [
    `${count(entries.length, 'entry')}; ${held.length === 0 ? 'NO ANCHOR: the chain fits, and nothing shows that it is the one that was written' : held.join(', ')}`,
    ...missing,
  ];
  return { record, kind: anchors.length === 0 ? 'unknown' : 'holds', lines };
}

async function anchorsOf(
  storage: RecordStorage,
  cluster: ClusterRef,
  runId: string,
  client: Client | undefined,
): Promise<{ anchors: Anchor[]; replaced: string[]; missing: string[] }> {
  const inTemporal = client === undefined ? { missing: 'Temporal was not asked' } : await anchorInTemporal(client, cluster, runId);
  const inRecord = await anchorInRecord(storage, cluster, runId);
  const inLock = await anchorInLock(storage, cluster, runId);
  const locked = inLock !== undefined && 'anchor' in inLock ? inLock : undefined;
  return {
    anchors: [
      ...('missing' in inTemporal ? [] : [inTemporal]),
      ...(inRecord === undefined ? [] : [inRecord]),
      ...(locked === undefined ? [] : [locked.anchor]),
    ],
    replaced: locked?.replaced ?? [],
    missing: [inTemporal, inLock].flatMap((each) => (each !== undefined && 'missing' in each ? [each.missing] : [])),
  };
}

/** Runs whose change record names entries of an audit record that is not here. */
async function missingRecords(config: Config, storage: RecordStorage, cluster: string | undefined): Promise<VerifiedAudit[]> {
  const names = cluster === undefined ? config.clusterNames : config.clusterNames.filter((name) => name === cluster);
  const missing: VerifiedAudit[] = [];
  for (const name of names) {
    const ref = policyOf(config, name).cluster;
    for (const { report } of await recordsOf(storage, ref)) {
      const { runId } = report.status;
      const seq = report.audit?.head.seq ?? 0;
      if (seq === 0 || (await auditOf(storage, ref, runId)) !== undefined) continue;
      missing.push({ record: `${name} run ${runId}`, kind: 'wrong', lines: [`it is missing: the change record knows of entry ${seq}`] });
    }
  }
  return missing;
}

function ofHead(files: readonly AuditFile[], head: AuditHead): VerifiedAudit {
  const record = `record ${head.seq} · ${head.hash.slice(0, 12)}`;
  const found = files.find(({ entries }) => contradiction(entries, { ...head, from: 'Slack' }) === undefined);
  return found === undefined
    ? { record, kind: 'wrong', lines: ['no record has this entry: the one that Slack shows was cut off, rewritten or taken away'] }
    : { record, kind: 'holds', lines: [`it is entry ${head.seq} of ${found.name}`] };
}
