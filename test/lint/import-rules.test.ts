/** The import table bites: a file that breaks it is an error, per folder. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A folder that has the rules alone: in the project itself other tests would read what is written here. */
const at = mkdtempSync(join(tmpdir(), 'belay-lint-'));
copyFileSync(join(root, '.oxlintrc.json'), join(at, '.oxlintrc.json'));
afterAll(() => rmSync(at, { recursive: true, force: true }));

/** Lints one file of the given content at the given place; the messages of the import rules. */
function lint(place: string, line: string): string {
  const file = join(at, place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${line}\n`);
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), '--quiet', place], {
      cwd: at,
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? '';
  } finally {
    rmSync(file, { force: true });
  }
}

const BREACHES = [
  [
    'domain/zz-lint.ts',
    "import { readFileSync } from 'node:fs'; export const x = readFileSync;",
    'domain/ imports nothing outside domain/',
  ],
  ['domain/zz-lint.ts', "import { z } from 'zod'; export const x = z;", 'domain/ imports nothing outside domain/'],
  [
    'domain/plan/zz-lint.ts',
    "import { gateId } from '../../workflows/contract/ids.ts'; export const x = gateId;",
    'domain/ imports nothing outside domain/',
  ],
  [
    'domain/policy/config/zz-lint.ts',
    "import { parse } from 'yaml'; export const x = parse;",
    'domain/policy/config imports zod and domain/ only',
  ],
  ['workflows/zz-lint.ts', "import { hostname } from 'node:os'; export const x = hostname;", 'Workflow code runs in a sandbox'],
  ['workflows/zz-lint.ts', "import { Client } from '@temporalio/client'; export const x = Client;", 'Workflow code runs in a sandbox'],
  ['workflows/zz-lint.ts', "import { Worker } from '@temporalio/worker'; export const x = Worker;", 'Workflow code runs in a sandbox'],
  [
    'workflows/phases/zz-lint.ts',
    "import { waitUntil } from '../../activities/runtime/wait-until.ts'; export const x = waitUntil;",
    'Types of activities only',
  ],
  [
    'activities/zz-lint.ts',
    "import { gateId } from '../workflows/contract/ids.ts'; export const x = gateId;",
    'activities/ imports domain/ and vendor SDKs only',
  ],
  ['activities/eks/zz-lint.ts', "import { WebClient } from '@slack/web-api'; export const x = WebClient;", 'that is a port'],
  ['activities/zz-lint.ts', 'export const x = process.env;', 'process.env'],
  ['slack/zz-lint.ts', "import { Client } from '@temporalio/client'; export const x = Client;", 'Only client/ talks to Temporal'],
  [
    'slack/zz-lint.ts',
    "import { upgradeCluster } from '../workflows/run/upgrade-cluster.ts'; export const x = upgradeCluster;",
    'Only workflows/contract/',
  ],
  ['cli/zz-lint.ts', "import { EKSClient } from '@aws-sdk/client-eks'; export const x = EKSClient;", 'cli/ is thin'],
  ['rehearsal/zz-lint.ts', "import { escape } from '../slack/blocks/kit/text.ts'; export const x = escape;", 'The twin never shares code'],
  [
    'rehearsal/aws/eks/zz-lint.ts',
    "import { waitUntil } from '../../activities/runtime/wait-until.ts'; export const x = waitUntil;",
    'The twin never shares code',
  ],
] as const;

const ALLOWED = [
  ['domain/policy/config/zz-lint.ts', "import { z } from 'zod'; export const x = z;"],
  ['workflows/zz-lint.ts', "import { sleep } from '@temporalio/workflow'; export const x = sleep;"],
  ['workflows/zz-lint.ts', "import { ApplicationFailure } from '@temporalio/common'; export const x = ApplicationFailure;"],
  ['slack/zz-lint.ts', "import { gateId } from '../workflows/contract/ids.ts'; export const x = gateId;"],
  ['workflows/zz-lint.ts', "import type { BelayActivities } from '../activities/contract.ts'; export type X = BelayActivities;"],
  ['rehearsal/kubernetes/zz-lint.ts', "import { WORKSPACE } from '../slack/workspace.ts'; export const x = WORKSPACE;"],
  ['client/zz-lint.ts', "import { Client } from '@temporalio/client'; export const x = Client;"],
] as const;

describe('the import table', () => {
  test.each(BREACHES)('%s: %s', (place, line, says) => {
    expect(lint(place, line).replaceAll(/\s+/g, ' ')).toContain(says);
  });

  test.each(ALLOWED)('%s may: %s', (place, line) => {
    expect(lint(place, line)).toBe('');
  });

  describe('the exception for one file', () => {
    const place = 'domain/policy/config/health/promql.ts';
    const grammar = "import { parser } from '@prometheus-io/lezer-promql'; export const x = parser;";

    test('it may have the grammar of PromQL', () => expect(lint(place, grammar)).toBe(''));

    test.each([
      ["import { z } from 'zod'; export const x = z;"],
      ["import { parse } from '@prometheus-io/lezer-promql/dist/index.js'; export const x = parse;"],
      ["import { gateId } from '../../workflows/contract/ids.ts'; export const x = gateId;"],
    ])('and nothing else: %s', (line) => {
      expect(lint(place, line).replaceAll(/\s+/g, ' ')).toContain('The grammar of PromQL, and nothing else.');
    });

    test('its neighbours may not have it', () => {
      expect(lint('domain/policy/config/health/health.ts', grammar)).toContain('domain/policy/config imports zod and domain/ only.');
    });
  });
});
