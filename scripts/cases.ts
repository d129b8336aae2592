/** Prints which of the cases are tested, and by which tests: titles begin with the ids, such as "A3 A4: …". */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASES as FAULT_CASES } from './cases-list.ts';
import { FLEET_CASES } from './fleet-cases.ts';
import { OPERATION_CASES } from './operation-cases.ts';
import { REVIEW_ROWS } from './review-rows.ts';

const CASES = { ...FAULT_CASES, ...REVIEW_ROWS, ...OPERATION_CASES, ...FLEET_CASES };

const TESTS = fileURLToPath(new URL('../test/', import.meta.url));
/** A string that begins with ids and a colon. */
const TITLE = /(['"`])((?:(?:[TAKSPOFU]|R[ASD])\d{1,3} )*(?:[TAKSPOFU]|R[ASD])\d{1,3}): ((?:(?!\1).)+)\1/g;

interface Found {
  file: string;
  title: string;
}

/** Tests by case id. Ids that are no case have entries, too. */
export function coverage(): Map<string, Found[]> {
  const found = new Map<string, Found[]>();
  for (const file of readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))) {
    for (const [, , ids = '', title = ''] of readFileSync(join(TESTS, file), 'utf8').matchAll(TITLE)) {
      for (const id of ids.trim().split(' ')) found.set(id, [...(found.get(id) ?? []), { file, title }]);
    }
  }
  return found;
}

function print(): void {
  const found = coverage();
  for (const [id, about] of Object.entries(CASES)) {
    const tests = found.get(id) ?? [];
    process.stdout.write(`${tests.length === 0 ? '-' : '+'} ${id.padEnd(4)} ${about}\n`);
    for (const { file, title } of tests) process.stdout.write(`         ${file}: ${title}\n`);
  }
  const ids = Object.keys(CASES);
  const covered = ids.filter((id) => found.has(id));
  const missing = ids.filter((id) => !found.has(id));
  process.stdout.write(`\n${covered.length} of ${ids.length} cases are tested; not tested: ${missing.join(' ') || 'none'}.\n`);
  const unknown = [...found.keys()].filter((id) => !ids.includes(id));
  if (unknown.length === 0) return;
  process.stderr.write(`No such case: ${unknown.join(' ')}.\n`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print();
