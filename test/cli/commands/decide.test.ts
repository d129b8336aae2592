import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { onTerminal } from '../on-terminal.ts';
import { runBelay, type Ran } from '../run-belay.ts';
import { PROGRAM } from '../../support/program.ts';

test('RS14: without Slack, the command line starts, shows, decides, pauses and reports', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-decide-'));
  const json = join(cwd, 'out.json');
  const play = spawn(
    process.execPath,
    ['--no-warnings', PROGRAM, 'rehearse', '--scenario', 'small', '--speed', '600', '--auto', 'ask', '--json', json],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let output = '';
  play.stdout.setEncoding('utf8').on('data', (chunk: string) => void (output += chunk));
  const ended = new Promise<number | null>((resolve) => void play.once('exit', (code) => resolve(code)));
  const repeat = async (what: string, attempt: () => Promise<Ran>): Promise<Ran> => {
    for (let tries = 0; tries < 400; tries += 1) {
      const ran = await attempt();
      if (ran.code === 0) return ran;
      if (play.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`${what} did not come about`);
  };
  try {
    let env: Record<string, string> = {};
    await repeat('the rehearsal', async () => {
      const [, address, config] = /TEMPORAL_ADDRESS=(\S+) .*--config (\S+)/.exec(output) ?? [];
      if (address === undefined || config === undefined) return { code: 1, stdout: '', stderr: '' };
      env = { BELAY_CONFIG: config, TEMPORAL_ADDRESS: address };
      return { code: 0, stdout: '', stderr: '' };
    });
    const belay = (...args: string[]): Promise<Ran> => runBelay(args, { cwd, env });
    const no = (...args: string[]) => onTerminal(args, { answers: 'n\n', cwd, env });
    const asked = await repeat('the question', async () => {
      const { code, screen } = await no('start', 'small', '--target', '1.32');
      return { code: code === 2 && screen.includes('Start the upgrade of small to 1.32? [y/N]') ? 0 : 1, stdout: screen, stderr: '' };
    });
    expect(asked.stdout).toMatch(/^Belay plans it, opens a thread [^]*\[y\/N\] n\nNothing was sent\.\n$/);
    expect(await repeat('the start', () => belay('start', 'small', '--target', '1.32'))).toMatchObject({ code: 0, stderr: '' });
    expect(await belay('start', 'small', '--target', '1.32')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^small is already being upgraded to 1.32/),
    });

    await repeat('the first gate', () =>
      belay('decide', 'small', 'before:pre-checks', 'lunch').then((ran) => ({
        ...ran,
        code: ran.stderr.includes('has no choice') ? 0 : 1,
      })),
    );
    expect(await belay('decide', 'small', 'nothing', 'approve')).toMatchObject({
      code: 2,
      stderr: 'No open gate is called nothing. Open gates: before:pre-checks@1.32#1.\n',
    });
    const shown = (await belay('status', 'small')).stdout;
    expect(shown).toContain("belay decide small 'before:pre-checks@1.32#1' approve");
    const planHash = /^ {4}Plan: (\S+)$/m.exec(shown)?.[1] ?? 'none';
    expect(shown).toMatch(/^ {4}Next: .+\n[^]*^ {4}What can be undone: .+\n {4}Plan: /m);
    const other = await belay('decide', 'small', 'before:pre-checks', 'approve', '--plan', 'another');
    expect(other).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`is about plan ${planHash}, not another. Nothing was sent`),
    });
    // On a terminal, what cannot be taken back is asked first; the answer is no.
    for (const [command, question] of [
      ['abort', 'Abort the upgrade of small?'],
      ['rollback', 'small is already being upgraded to 1.32'],
    ] as const) {
      const { code, screen } = await no(command, 'small');
      expect({ code, screen }).toEqual({ code: 2, screen: expect.stringContaining(question) });
    }
    expect((await belay('status', 'small')).stdout).toContain('before:pre-checks@1.32#1');
    expect(await belay('pause', 'small', '--reason', 'lunch')).toMatchObject({ code: 0 });
    expect((await belay('status', 'small')).stdout).toContain('Paused');
    expect(await belay('resume', 'small')).toMatchObject({ code: 0 });
    for (const phase of ['pre-checks', 'control-plane', 'node-groups', 'karpenter-drift']) {
      const decided = await repeat(`a decision before ${phase}`, () =>
        belay('decide', 'small', `before:${phase}`, 'approve', '--plan', planHash),
      );
      // Whoever decides has seen about what.
      expect(decided.stderr).toContain('    What can be undone: ');
    }
    const report = await repeat('the record', () => belay('report', 'small'));
    expect(report.stdout).toContain('small: 1.31 → 1.32, completed');
    expect(report.stdout).toMatch(/before:control-plane@1\.32#1: approve by \S+ \(cli\)/);
    const logs = await belay('logs', 'small');
    expect(logs).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Times are in \S+\.\n$/) });
    expect(logs.stdout).toMatch(/^ +belay decide small 'before:control-plane@1\.32#1' approve$/m);
    expect(logs.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}✅ .*control plane/im);
    const told = (await belay('logs', 'small', '--format', 'json', '--follow')).stdout.trim().split('\n');
    expect(told.map((line) => (JSON.parse(line) as { notification: { kind: string } }).notification.kind)).toContain('report');
    const audit = await belay('audit', 'small', '--since', '1h');
    expect(audit).toMatchObject({ code: 0, stderr: '' });
    expect(audit.stdout).toMatch(/^record 1 · [0-9a-f]{12} +\S+Z {2}start +Upgrade of small to 1\.32 was asked for \(/);
    expect(audit.stdout).toMatch(/refused +decide was refused|command +pause: .*: lunch/);
    expect(audit.stdout).toMatch(/change +Start or adopt the update to 1\.32/);
    const markdown = await belay('report', 'small', '--format', 'markdown');
    expect(markdown.stdout).toMatch(/- Audit record: \d+ entries, hash [0-9a-f]{64}; unaltered/);
    expect(await belay('report', 'small', '--format', 'png', '--output', 'went.png')).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'went.png')).subarray(1, 4).toString()).toBe('PNG');
    const verified = await belay('audit', 'small', '--verify');
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toMatch(
      /^AS WRITTEN +small run \S+: \d+ entries; Temporal knows of entry \d+, the change record knows of entry \d+$/m,
    );
    // Somebody makes another person of who approved.
    const records = join(dirname(env['BELAY_CONFIG'] ?? ''), 'records', 'audit');
    const file = join(records, readdirSync(records)[0] ?? '');
    const kept = readFileSync(file, 'utf8');
    writeFileSync(file, kept.replace('"choice":"approve"', '"choice":"abandon"'));
    expect(await belay('audit', 'small')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^The record was altered\. \S+: entry \d+ was changed after it was written\. Compare it/),
    });
    expect((await belay('report', 'small', '--format', 'markdown')).stdout).toContain('NOT as Belay wrote it');
    writeFileSync(file, kept);
    // The record is written before the run has told its last words: the rehearsal compares only then.
    await repeat('the comparison', () =>
      Promise.resolve({ code: output.includes('The page and Temporal UI stay open') ? 0 : 1, stdout: '', stderr: '' }),
    );
  } finally {
    play.kill('SIGINT');
    await ended;
  }
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ outcome: 'completed' });
  expect(await ended).toBe(0);
  rmSync(cwd, { recursive: true, force: true });
}, 1_200_000);
