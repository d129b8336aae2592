/** `belay audit`: who was asked, who decided, who was refused, and what was changed; each record's chain of hashes is checked. */
import { Command, InvalidArgumentError } from 'commander';
import { type AuditHead, auditText, headText } from '../../domain/gates/audit.ts';
import { parseHead } from '../../domain/gates/audit-anchor.ts';
import type { VerifiedAudit } from '../../worker/local/audit/verify.ts';
import { type CommonOptions, oneOf, print, readConfig, withCommon } from '../shared/context.ts';
import { plain } from '../shared/controls.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { writeARecord, writeATime } from '../messages/arguments.ts';
import { auditAltered, noAuditEntries, noAuditRecords, recordsUnanchored, recordsWrong, temporalNotAsked } from '../messages/outcomes.ts';

interface Options extends CommonOptions {
  since?: number;
  format: 'text' | 'jsonl';
  verify?: boolean;
  head?: AuditHead;
}

const UNITS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function auditCommand(): Command {
  return withCommon(new Command('audit'))
    .description('show the audit record: decisions, refused attempts, commands, changes, altered records')
    .argument('[cluster]', 'name in belay.yaml (default: all, and requests refused before they reached a run)')
    .option('--since <when>', 'only entries since then: 12h, 30d, 4w, or a date such as 2026-11-01', parseSince)
    .option('--verify', 'compare each record with Temporal and the change records instead')
    .option(
      '--head <record>',
      "with --verify: the record that a message in Slack shows, such as 'record 12 · 3f2a9c01b7e4'",
      parseHeadOption,
    )
    .option('--format <format>', 'text, or jsonl: one JSON object per line, as recorded', oneOf('text', 'jsonl'), 'text')
    .action(async (cluster: string | undefined, options: Options) => {
      if (options.verify === true || options.head !== undefined) return await verify(cluster, options);
      const config = readConfig(options);
      const { readAudits } = await import('../../worker/local/read-audit.ts');
      const { withStorage } = await import('../../worker/local/read-records.ts');
      const { entries, broken } = await withStorage(config, (storage) => readAudits(config, storage, { cluster, sinceMs: options.since }));
      for (const entry of entries)
        print(options.format === 'jsonl' ? JSON.stringify(entry) : plain(`${headText(entry).padEnd(27)}  ${auditText(entry)}`));
      if (entries.length === 0 && options.format === 'text') print(noAuditEntries());
      if (broken.length > 0) throw new CliError(auditAltered(broken), EXIT.refused);
    });
}

async function verify(cluster: string | undefined, options: Options): Promise<void> {
  const config = readConfig(options);
  const { verifyAudits } = await import('../../worker/local/audit/verify.ts');
  const { withStorage } = await import('../../worker/local/read-records.ts');
  const { openClient } = await import('../../worker/temporal/client.ts');
  const opened = await openClient(config);
  try {
    const client = 'client' in opened ? opened.client : undefined;
    const verified = await withStorage(config, (storage) => verifyAudits(config, storage, { cluster, head: options.head, client }));
    if ('why' in opened) print(plain(temporalNotAsked(opened.why)));
    for (const { record, kind, lines } of verified) print(plain(`${WORDS[kind].padEnd(14)}  ${record}: ${lines.join('; ')}`));
    if (verified.length === 0) print(noAuditRecords());
    const count = (wanted: VerifiedAudit['kind']): number => verified.filter(({ kind }) => kind === wanted).length;
    if (count('wrong') > 0) throw new CliError(recordsWrong(count('wrong'), verified.length), EXIT.refused);
    if (count('unknown') > 0) throw new CliError(recordsUnanchored(count('unknown'), verified.length), EXIT.unknown);
  } finally {
    await opened.close();
  }
}

const WORDS = { holds: 'AS WRITTEN', wrong: 'NOT AS WRITTEN', unknown: 'NO ANCHOR' } as const;

function parseHeadOption(value: string): AuditHead {
  const head = parseHead(value);
  if (head === undefined) throw new InvalidArgumentError(writeARecord());
  return head;
}

function parseSince(value: string): number {
  const ago = /^(\d{1,4})([hdw])$/.exec(value);
  const unit = ago?.[2];
  if (ago !== null && (unit === 'h' || unit === 'd' || unit === 'w')) return Date.now() - Number(ago[1]) * UNITS[unit];
  const atMs = /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(atMs)) throw new InvalidArgumentError(writeATime());
  return atMs;
}
