/** A file with Slack user groups and no channel: what only reads works and says so, what starts something is refused before it begins. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type CheckGround, openTwinGround } from '../../support/check-ground.ts';
import { type Ran, runBelay } from '../run-belay.ts';

const WARNING =
  'groups.yaml: warning: no upgrade can start with this file: without Slack (it has no slack.channel) nobody can look up who is in the Slack user groups of approvals.groups; name each person under users, with their AWS identities under people, or write slack.channel.\n';
const REFUSED =
  /^groups\.yaml:\d+: approvals\.groups: names Slack user groups, and without Slack \(no slack\.channel in this file\) nobody can look up who is in them; name each person under users, with their AWS identities under people, or write slack\.channel\n$/;
const UPGRADE = `apiVersion: belay.dev/v1alpha1
kind: Upgrade
metadata: { name: small }
spec: { cluster: small, target: "1.32" }
`;

let ground: CheckGround;
beforeAll(async () => {
  ground = await openTwinGround('small');
  const {
    slack: _slack,
    signing: _signing,
    ...rest
  } = parse(readFileSync(join(ground.directory, 'belay.yaml'), 'utf8')) as Record<string, unknown>;
  const campaigns = { 'to-1-32': { target: '1.32', rings: [{ name: 'all' }] } };
  writeFileSync(join(ground.directory, 'groups.yaml'), stringify({ ...rest, approvals: { groups: ['S012AB3CD'] }, campaigns }));
  writeFileSync(join(ground.directory, 'upgrade.yaml'), UPGRADE);
});
afterAll(() => ground.close());

/** No Temporal answers here. */
const belay = (...args: string[]): Promise<Ran> => {
  const env = Object.fromEntries(Object.entries(ground.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return runBelay(args, {
    cwd: ground.directory,
    env: { ...env, BELAY_CONFIG: 'groups.yaml', TEMPORAL_ADDRESS: '127.0.0.1:9' },
    limitMs: 60_000,
  });
};

test.each<[string, string[], RegExp]>([
  ['check', ['check', 'small', '--target', '1.32', '--only', 'EKS001'], /small/],
  ['plan', ['plan', 'small', '--target', '1.32'], /Hop to 1\.32/],
  ['snapshot', ['snapshot', 'small', '-o', 'small.gz'], /^$/],
  ['forecast', ['forecast', 'small', '--target', '1.32', '--runs', '5', '--snapshot', 'small.gz'], /p90/],
  ['rollback --dry-run', ['rollback', 'small', '--dry-run'], /./],
])('%s needs no approvals: it works, with a warning', async (_what, args, shows) => {
  const { code, stdout, stderr } = await belay(...args);
  expect(stderr).toContain(WARNING);
  expect(stderr.split('warning')).toHaveLength(2);
  expect(stderr).not.toMatch(REFUSED);
  // A refused plan is an answer (2), a file that is refused is none (1).
  expect([code === 1, stdout]).toEqual([false, expect.stringMatching(shows)]);
});

test.each([
  ['start', ['start', 'small', '--target', '1.32']],
  ['apply', ['apply', '-f', 'upgrade.yaml']],
  ['rollback', ['rollback', 'small']],
  ['campaign start', ['campaign', 'start', 'to-1-32']],
  ['campaign rollback', ['campaign', 'rollback', 'to-1-32', 'all']],
  ['worker', ['worker']],
  ['validate', ['validate']],
])('%s is refused', async (_what, args) => {
  expect(await belay(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(REFUSED) });
});

test('doctor says once what is wrong, and what it keeps from being done', async () => {
  const { stdout, stderr } = await belay('doctor', 'small');
  expect(stdout).toMatch(/✗ Decisions  small cannot be upgraded yet: groups\.yaml:\d+: approvals\.groups: names Slack user groups/);
  expect(stderr).not.toContain('warning');
});
