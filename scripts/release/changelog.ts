/** CHANGELOG.md, one section a version: https://keepachangelog.com/en/1.1.0/ */

export interface Section {
  /** "2026-11-30"; "unreleased" before its day. */
  date: string;
  text: string;
}

const HEADING = /^## \[([^\]]+)\] - (\S+)$/;

/** What stands under a version; undefined without it. */
export function sectionOf(changelog: string, version: string): Section | undefined {
  const lines = changelog.split('\n');
  const from = lines.findIndex((line) => HEADING.exec(line)?.[1] === version);
  if (from === -1) return undefined;
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith('## '));
  const body = lines.slice(from + 1, length === -1 ? undefined : from + 1 + length);
  return { date: HEADING.exec(lines[from] ?? '')?.[2] ?? '', text: body.join('\n').trim() };
}
