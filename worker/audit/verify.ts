/** Compares every audit record with its anchors: a chain that fits is no proof where somebody wrote all of it anew. */
import type { Client } from '@temporalio/client';
import type { AuditHead } from '../../domain/gates/audit.ts';
import { type Anchor, contradiction } from '../../domain/gates/audit-anchor.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { anchorInRecord, anchorInTemporal } from './anchors.ts';
import { type AuditFile, auditFiles, auditOf } from '../local/read-audit.ts';
import { recordsOf } from '../local/read-records.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';

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
  { cluster, head, client }: { cluster?: string; head?: AuditHead; client?: Client },
): Promise<VerifiedAudit[]> {
  const files = auditFiles(config).filter(({ entries }) => cluster === undefined || entries[0]?.cluster?.name === cluster);
  const verified: VerifiedAudit[] = [];
  for (const file of files) verified.push(await verifiedFile(config, file, client));
  verified.push(...missingRecords(config, cluster));
  if (head !== undefined) verified.push(ofHead(files, head));
  return verified;
}

async function verifiedFile(config: Config, { name, entries, broken }: AuditFile, client: Client | undefined): Promise<VerifiedAudit> {
  const [first] = entries;
  const record = first?.cluster === undefined ? name : `${first.cluster.name} run ${first.runId}`;
  if (broken !== undefined) return { record, kind: 'wrong', lines: [broken] };
  // What was refused at the door belongs to no run, and nobody else counts it.
  if (first?.cluster === undefined) return { record, kind: 'holds', lines: [`${entries.length} entries, chained; no run knows of them`] };
  const { anchors, missing } = await anchorsOf(config, first.cluster, first.runId, client);
  const wrong = anchors.flatMap((anchor) => contradiction(entries, anchor) ?? []);
  if (wrong.length > 0) return { record, kind: 'wrong', lines: [...wrong, ...missing] };
  const held = anchors.map(({ seq, from }) => `${from} knows of entry ${seq}`);
  const lines = [
    `${entries.length} entries; ${held.length === 0 ? 'NO ANCHOR: the chain fits, and nothing shows that it is the one that was written' : held.join(', ')}`,
    ...missing,
  ];
  return { record, kind: anchors.length === 0 ? 'unknown' : 'holds', lines };
}

async function anchorsOf(
  config: Config,
  cluster: ClusterRef,
  runId: string,
  client: Client | undefined,
): Promise<{ anchors: Anchor[]; missing: string[] }> {
  const inTemporal = client === undefined ? { missing: 'Temporal was not asked' } : await anchorInTemporal(client, cluster, runId);
  const inRecord = anchorInRecord(config, cluster, runId);
  return {
    anchors: [...('missing' in inTemporal ? [] : [inTemporal]), ...(inRecord === undefined ? [] : [inRecord])],
    missing: 'missing' in inTemporal ? [inTemporal.missing] : [],
  };
}

/** Runs whose change record names entries of an audit record that is not here. */
function missingRecords(config: Config, cluster: string | undefined): VerifiedAudit[] {
  const names = cluster === undefined ? config.clusterNames : config.clusterNames.filter((name) => name === cluster);
  return names.flatMap((name) => {
    const ref = policyOf(config, name).cluster;
    return recordsOf(config, ref).flatMap(({ report }): VerifiedAudit[] => {
      const { runId } = report.status;
      const seq = report.audit?.head.seq ?? 0;
      if (seq === 0 || auditOf(config, ref, runId) !== undefined) return [];
      return [{ record: `${name} run ${runId}`, kind: 'wrong', lines: [`it is missing: the change record knows of entry ${seq}`] }];
    });
  });
}

function ofHead(files: readonly AuditFile[], head: AuditHead): VerifiedAudit {
  const record = `record ${head.seq} · ${head.hash.slice(0, 12)}`;
  const found = files.find(({ entries }) => contradiction(entries, { ...head, from: 'Slack' }) === undefined);
  return found === undefined
    ? { record, kind: 'wrong', lines: ['no record has this entry: the one that Slack shows was cut off, rewritten or taken away'] }
    : { record, kind: 'holds', lines: [`it is entry ${head.seq} of ${found.name}`] };
}
