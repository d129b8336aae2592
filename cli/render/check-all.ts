/** Readiness of many clusters for a terminal: a line each, then what stands in the way. */
import pc from 'picocolors';
import type { ClusterCheck, ManyChecks } from '../../domain/readiness/many.ts';
import { isMostlyUnknown, withStanding } from '../../render/readiness/shared.ts';
import { someOf } from '../../domain/core/text.ts';
import { alreadyThere, couldNotCheck, mostlyUnknownWith, nothingNewer, notReadyWith, readyWith, unknownWith } from '../messages/fleet.ts';
import { heading, table, wrapped } from './words.ts';

const COLUMNS = 100;
const INDENT = '    ';
/** Codes of one cluster; its own report has all. */
const NAMED = 8;

/** What became of one, on a line. */
export function verdictOf(check: ClusterCheck): string {
  switch (check.kind) {
    case 'there':
      return alreadyThere(check.version, check.target);
    case 'newest':
      return nothingNewer(check.version);
    case 'unread':
      return couldNotCheck(check.why);
    case 'report': {
      const { target, verdict, counts } = check.report;
      const text = `${counts.required} required, ${counts.recommended} recommended, ${counts.unknown} unknown`;
      if (isMostlyUnknown(check.report)) return mostlyUnknownWith(target, text);
      return { ready: readyWith, 'required-findings': notReadyWith, 'unknowns-only': unknownWith }[verdict](target, text);
    }
  }
}

export function renderCheckAll({ clusters }: ManyChecks): string {
  const rows = clusters.map(cells);
  const open = clusters.flatMap(openLines);
  return [
    ...(open.length === 0 ? [] : [...open, '']),
    table(['CLUSTER', 'ACCOUNT', 'REGION', 'FROM', 'TARGET', 'VERDICT', 'REQ', 'REC', 'UNKNOWN'], rows),
  ].join('\n');
}

function cells(check: ClusterCheck): string[] {
  const { name, account, region } = check.cluster;
  const place = [name.length > 20 ? `${name.slice(0, 19)}…` : name, account, region];
  switch (check.kind) {
    case 'there':
      return [...place, check.version, check.target, 'there', '-', '-', '-'];
    case 'newest':
      return [...place, check.version, '-', 'newest', '-', '-', '-'];
    case 'unread':
      return [...place, '?', '?', 'not read', '?', '?', '?'];
    case 'report': {
      const { from, target, verdict, counts } = check.report;
      const word = { ready: 'ready', 'required-findings': 'not ready', 'unknowns-only': 'unknown' }[verdict];
      return [...place, from, target, word, ...[counts.required, counts.recommended, counts.unknown].map(String)];
    }
  }
}

/** Those that are not simply ready: with the codes of what is required or unknown. */
function openLines(check: ClusterCheck): string[] {
  const { name, account, region } = check.cluster;
  const title = (mark: string): string => `${mark} ${heading(name)}  ${pc.dim(`${account} ${region}`)}`;
  const about = (text: string): string[] => wrapped(text, INDENT, COLUMNS);
  if (check.kind === 'unread') return [title(pc.yellow('?')), ...about(verdictOf(check))];
  if (check.kind !== 'report' || check.report.verdict === 'ready') return [];
  const { findings, verdict } = check.report;
  const codes = (standing: 'required' | 'unknown'): string[] => {
    const own = withStanding(findings, standing).map(({ code }) => code);
    return own.length === 0 ? [] : about(`${standing}: ${someOf(own, NAMED)}`);
  };
  const mark = verdict === 'required-findings' ? pc.red('✗') : pc.yellow('?');
  return [title(mark), ...about(verdictOf(check)), ...codes('required'), ...codes('unknown')];
}
