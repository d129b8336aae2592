import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseScenario } from '../../rehearsal/play/choose.ts';
import { setStage, type Stage } from '../../rehearsal/play/stage/stage.ts';
import { loadConfig } from '../../worker/config/config.ts';
import { testSigner } from '../support/signing.ts';
import { runBelay } from './run-belay.ts';

const signer = testSigner();
const PRIVATE = signer.key.key.export({ format: 'der', type: 'pkcs8' }).toString('base64');
let cwd: string;
let stage: Stage;
let env: Record<string, string>;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'belay-first-day-'));
  stage = await setStage({ scenario: chooseScenario('seed-002'), speed: 1, faults: [], temporalUi: () => undefined });
  env = {
    AWS_ENDPOINT_URL: stage.aws.url,
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'test',
    SLACK_API_URL: stage.slack.apiUrl,
    SLACK_BOT_TOKEN: 'xoxb-rehearsal',
    SLACK_APP_TOKEN: 'xapp-rehearsal',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BELAY_SIGNING_KEY: `slack-1:${PRIVATE}`,
  };
});
afterAll(async () => {
  await stage.close();
  rmSync(cwd, { recursive: true, force: true });
});

const configWith = (lines: string): string => `clusters:
  prod-seoul: { region: ap-northeast-2, account: "444455556666"${lines} }
approvals: { users: [U0SAM], groups: [S0PLATFORM] }
signing: { publicKeys: ${JSON.stringify(signer.publicKeys)} }
slack: { channel: C0UPGRADES }
`;

function write(name: string, text: string): string {
  writeFileSync(join(cwd, name), text);
  return name;
}

describe('belay init', () => {
  test('writes what AWS and the cluster say, and the file is valid', async () => {
    const ran = await runBelay(['init', '--region', 'ap-northeast-2', '-c', 'first.yaml'], { cwd, env });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const text = readFileSync(join(cwd, 'first.yaml'), 'utf8');
    expect(text).toContain('account: "444455556666"');
    expect(text).toContain('karpenter: argocd # guess: the Deployment carries an Argo CD tracking mark');
    expect(loadConfig(join(cwd, 'first.yaml')).clusterNames).toEqual(['prod-seoul']);
    // The key that is set stays the key.
    expect(loadConfig(join(cwd, 'first.yaml')).publicKeys).toEqual(signer.publicKeys);
    expect(ran.stdout).not.toContain('BELAY_SIGNING_KEY=');
  });

  test('RS1: makes a signing key where none is set, puts the private line where it was told, and overwrites none', async () => {
    const args = ['init', '--region', 'ap-northeast-2', '-c', 'keyed.yaml', '--append-to', 'keyed.env'];
    const unset = { ...env, BELAY_SIGNING_KEY: '' };
    const ran = await runBelay(args, { cwd, env: unset });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('BELAY_SIGNING_KEY is in keyed.env. Only "belay slack" may have it.');
    const line = readFileSync(join(cwd, 'keyed.env'), 'utf8').trim();
    const shown = await runBelay(['signing-key', '--public'], {
      cwd,
      env: { ...env, BELAY_SIGNING_KEY: line.slice('BELAY_SIGNING_KEY='.length) },
    });
    expect(readFileSync(join(cwd, 'keyed.yaml'), 'utf8')).toContain(shown.stdout.trim().split('\n').at(-1)?.trim() ?? 'none');
    const again = await runBelay([...args, '--force'], { cwd, env: unset });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('keyed.env has a BELAY_SIGNING_KEY already, and it is not overwritten.');
    expect(readFileSync(join(cwd, 'keyed.env'), 'utf8').trim()).toBe(line);
  });

  test('says where it looked when there is nothing', async () => {
    const ran = await runBelay(['init', '--region', 'eu-west-1', '-c', 'none.yaml'], {
      cwd,
      env: { ...env, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^looking for clusters in eu-west-1: .*refused/);
  });
});

describe('belay plan', () => {
  test('needs neither Temporal nor Slack, and changes nothing', async () => {
    const before = stage.built.world.journal.mutations.length;
    const ran = await runBelay(['plan', 'prod-seoul', '-t', '1.34', '--format', 'json', '-c', write('a.yaml', configWith(''))], {
      cwd,
      env,
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const result: unknown = JSON.parse(ran.stdout);
    expect(result).toMatchObject({ kind: 'plan', plan: { from: '1.32', hops: ['1.33', '1.34'] } });
    expect(stage.built.world.journal.mutations.slice(before)).toEqual([]);
  });

  test.each(['1.32', '1.31'])('A16: to %s is refused with a rule, a remedy and exit code 2', async (target) => {
    const ran = await runBelay(['plan', 'prod-seoul', '-t', target, '-c', write('a.yaml', configWith(''))], { cwd, env });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain('(target-above-current)');
    expect(ran.stderr).toBe('No plan satisfies all rules; see the remedies above.\n');
  });

  test('a kubeconfig that is not there', async () => {
    const text = configWith(', kubernetes: { kubeconfig: ./nothing }');
    const ran = await runBelay(['plan', 'prod-seoul', '-t', '1.34', '-c', write('b.yaml', text)], { cwd, env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/kubeconfig .*nothing/);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('belay doctor', () => {
  test('finds what works and what does not, each with its fix', async () => {
    const ran = await runBelay(['doctor', '-c', write('c.yaml', configWith(''))], { cwd, env });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain('✓ AWS        prod-seoul: signed in to account 444455556666');
    expect(ran.stdout).toMatch(/✓ Kubernetes prod-seoul: all \d+ permissions are granted/);
    expect(ran.stdout).toContain('✗ Temporal   Temporal is not reachable at 127.0.0.1:1');
    expect(ran.stdout).toContain('→ start it ("docker compose up"), or set TEMPORAL_ADDRESS');
    expect(ran.stdout).toContain('✓ Slack      the app is in #eks-upgrades');
    expect(ran.stdout).toContain('✓ Slack      approver group S0PLATFORM has 2 members');
    // The twin lives in the past; for an hour of each day it is days to the hour.
    expect(ran.stdout).toMatch(/! Clocks +this machine's clock is \d+ d(?: \d+ h)? ahead of EKS/);
    expect(ran.stderr).toBe('1 check failed; the fix is shown with each.\n');
  });

  test.each([
    ['two', `b:${'B'.repeat(43)}=,a:${'A'.repeat(43)}=`, '✓ Temporal   what it stores is encrypted with key "b"; older ones: "a"\n'],
    ['a malformed one', 'b:short', '✗ Temporal   BELAY_CODEC_KEYS: key 1 ("b") is not 32 bytes in base64.'],
  ])('T19: says with which key Temporal is written to: %s', async (_what, keys, line) => {
    const ran = await runBelay(['doctor', '-c', write('k.yaml', configWith(''))], { cwd, env: { ...env, BELAY_CODEC_KEYS: keys } });
    expect(ran.stdout).toContain(line);
  });

  test.each([
    [
      'until-2999-12-31',
      '! Temporal   until 3000-01-01 00:00 UTC whoever reaches it is believed without a key (BELAY_CODEC_ALLOW_PLAIN)\n',
    ],
    ['until-2020-01-01', '✗ Temporal   BELAY_CODEC_ALLOW_PLAIN: 2020-01-01 is over: remove the variable, or name a later day.'],
  ])('RS1: says that plain payloads are read: %s', async (BELAY_CODEC_ALLOW_PLAIN, line) => {
    const keys = { BELAY_CODEC_KEYS: `b:${'B'.repeat(43)}=`, BELAY_CODEC_ALLOW_PLAIN };
    const ran = await runBelay(['doctor', '-c', write('k.yaml', configWith(''))], { cwd, env: { ...env, ...keys } });
    expect(ran.stdout).toContain(line);
  });

  test.each<[string, () => { config?: string; key?: string }, string]>([
    [
      'of another pair',
      () => ({ key: `slack-1:${Buffer.alloc(32, 7).toString('base64')}` }),
      '✗ Decisions  the public key "slack-1" in s.yaml is not that of',
    ],
    [
      'under an id that is not listed',
      () => ({ key: `slack-9:${PRIVATE}` }),
      '✗ Decisions  BELAY_SIGNING_KEY has the id "slack-9", and signing.publicKeys lists slack-1',
    ],
    ['that is none', () => ({ key: 'short' }), '✗ Decisions  BELAY_SIGNING_KEY: it has no id'],
    ['that fits', () => ({}), '✓ Decisions  messages from Slack are signed with key "slack-1", which belay.yaml lists'],
    [
      'without public keys',
      () => ({ config: configWith('').replace(/signing: .*\n/, '') }),
      '✗ Decisions  signing.publicKeys lists no key',
    ],
    [
      'without approvers',
      () => ({ config: configWith('').replace(/\[U0SAM\], groups: \[S0PLATFORM\]/, '[], groups: []') }),
      '✗ Decisions  prod-seoul cannot be upgraded yet: ',
    ],
  ])('RS1: looks at the signing key: %s', async (_what, change, line) => {
    const { config = configWith(''), key } = change();
    const own = { ...env, ...(key === undefined ? {} : { BELAY_SIGNING_KEY: key }) };
    const ran = await runBelay(['doctor', '-c', write('s.yaml', config)], { cwd, env: own });
    expect(ran.stdout).toContain(line);
    expect(ran.stdout).not.toContain(PRIVATE);
  });

  test('A13: names the account that the credentials really have', async () => {
    const text = configWith('').replace('444455556666', '999999999999');
    const ran = await runBelay(['doctor', '--format', 'json', '-c', write('d.yaml', text)], { cwd, env });
    expect(JSON.parse(ran.stdout)).toContainEqual({
      area: 'AWS',
      status: 'failed',
      message: expect.stringContaining('but d.yaml says 999999999999'),
      fix: 'use credentials of 999999999999, or set clusters.prod-seoul.role',
    });
  });

  test('a group, a channel and scopes that are not there', async () => {
    const text = configWith('').replace('S0PLATFORM', 'S0NOBODY').replace('C0UPGRADES', 'C0GENERAL');
    const ran = await runBelay(['doctor', '-c', write('e.yaml', text)], { cwd, env: { ...env, SLACK_APP_TOKEN: '' } });
    expect(ran.stdout).toContain('✗ Slack      the app is not in #general');
    expect(ran.stdout).toContain('✗ Slack      approver group S0NOBODY cannot be read');
    expect(ran.stdout).toContain('! Slack      no buttons arrive at this process: neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set');
  });
});

test('an approver group that does not exist refuses the start', async () => {
  const text = configWith('').replace('S0PLATFORM', 'S0NOBODY');
  const ran = await runBelay(['start', 'prod-seoul', '-t', '1.34', '-c', write('f.yaml', text)], { cwd, env });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^f.yaml: approvals.groups: reading user group S0NOBODY: .* Nothing was started.\n$/);
});
