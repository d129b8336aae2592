/** `belay apply` as CI and Argo CD run it, beside a whole installation: started once, adopted, refused, waited for. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type Ran, runBelay } from '../run-belay.ts';
import { PROGRAM } from '../../support/program.ts';

const upgrade = (target: string, cluster = 'small'): string => `apiVersion: belay.dev/v1alpha1
kind: Upgrade
metadata: { name: ${cluster}-${target.replace('.', '-')} }
spec: { cluster: ${cluster}, target: "${target}" }
`;

test('G1: applying twice starts nothing twice, approves nothing, and repeats nothing that people have stopped', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'belay-apply-'));
  for (const target of ['1.31', '1.32', '1.33']) writeFileSync(join(cwd, `${target}.yaml`), upgrade(target));
  const play = spawn(
    process.execPath,
    ['--no-warnings', PROGRAM, 'rehearse', '--scenario', 'small', '--speed', '600', '--auto', 'ask', '--json', join(cwd, 'out.json')],
    { cwd, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let output = '';
  play.stdout.setEncoding('utf8').on('data', (chunk: string) => void (output += chunk));
  const ended = new Promise<number | null>((resolve) => void play.once('exit', (code) => resolve(code)));
  try {
    const [, address = '', config = ''] = await eventually('the rehearsal', () => {
      const found = /TEMPORAL_ADDRESS=(\S+) .*--config (\S+)/.exec(output);
      return found ?? undefined;
    });
    const env = { BELAY_CONFIG: config, TEMPORAL_ADDRESS: address };
    const belay = (...args: string[]): Promise<Ran> => runBelay(args, { cwd, env, limitMs: 240_000 });
    const apply = (target: string, ...args: string[]): Promise<Ran> => belay('apply', '-f', `${target}.yaml`, ...args);
    const runsOf = async (): Promise<string> => (await belay('status')).stdout;
    // A worker polls at last.
    const dry = await eventually('a plan', async () => {
      const ran = await apply('1.32', '--dry-run');
      return ran.code === 0 && ran;
    });
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toMatch(/Hop to 1\.32[^]*\nsmall: would start an upgrade to 1\.32 and wait at its first gate\.\n$/);
    expect(await runsOf()).toBe('No upgrade is running.\n');

    expect(await apply('1.33')).toEqual({
      code: 2,
      stdout: expect.stringContaining('(target-known)'),
      stderr: 'small cannot be upgraded to 1.33: no plan satisfies all rules; see the remedies above. Nothing was started.\n',
    });
    expect(await apply('1.31')).toEqual({
      code: 0,
      stdout: 'small: the control plane is already at 1.31. Nothing was started.\n',
      stderr: '',
    });

    // Two pipelines at once: Temporal takes one of them, and the other adopts it.
    const both = await Promise.all([apply('1.32', '--format', 'json'), apply('1.32', '--format', 'json')]);
    const results = both.map(({ code, stdout }) => ({ code, applied: JSON.parse(stdout) as unknown }));
    const waiting = {
      name: 'small-1-32',
      at: '1.32.yaml:1',
      cluster: 'small',
      target: '1.32',
      workflowId: 'eks-upgrade/111122223333/eu-central-1/small',
      state: 'waiting',
      waited: { for: 'gate' },
      gates: [{ id: 'before:pre-checks@1.32#1', choices: expect.arrayContaining(['approve']) }],
    };
    expect(results.toSorted((a, b) => JSON.stringify(a.applied).length - JSON.stringify(b.applied).length)).toMatchObject([
      { code: 0, applied: [{ ...waiting, result: 'adopted' }] },
      { code: 0, applied: [{ ...waiting, result: 'started', plan: { to: '1.32' } }] },
    ]);
    expect((await runsOf()).trim().split('\n')).toHaveLength(2);
    expect(await apply('1.33')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'small already has another run (1.31 → 1.32), not one to 1.33. Nothing was started: wait until that run has ended, or change the target in the file to match it.\n',
    });
    const adopted = await apply('1.32', '--dry-run');
    expect(adopted).toMatchObject({ code: 0, stdout: expect.stringContaining('No second one was started.') });
    // Nobody has decided: however often it is applied, the gate stays open.
    expect(await apply('1.32', '--wait-for', 'end', '--wait', '2s')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('small: the run did not end within 2 s. The run continues: see "belay status small"'),
    });

    expect(await belay('decide', 'small', 'before:pre-checks', 'reject', '--reason', 'not today')).toMatchObject({ code: 0 });
    await eventually('the run has ended', async () => (await runsOf()).startsWith('No upgrade'));
    expect(await apply('1.32')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^The last upgrade of small to 1\.32 was stopped: .+\. Nothing was started, because apply does not repeat an upgrade that ended this way\. To start another, use --again or "belay start small --target 1\.32"\.\n$/,
      ),
    });
    expect(await runsOf()).toBe('No upgrade is running.\n');

    const toTheEnd = apply('1.32', '--again', '--wait-for', 'end');
    for (const phase of ['pre-checks', 'control-plane', 'node-groups', 'karpenter-drift'])
      await eventually(
        `a decision before ${phase}`,
        async () => (await belay('decide', 'small', `before:${phase}`, 'approve')).code === 0,
        120_000,
      );
    const completed = await toTheEnd;
    expect(completed).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nsmall: completed\. .+\n$/) });
    // It says what it sees at its looks; a gate that is decided between two of them is not among that.
    const seen = completed.stderr.trim().split('\n');
    expect(seen).toEqual(seen.map(() => expect.stringMatching(/^small: /)));
    expect(seen.length).toBeGreaterThan(2);
    expect(await apply('1.32')).toEqual({
      code: 0,
      stdout: 'small: the control plane is already at 1.32. Nothing was started.\n',
      stderr: '',
    });
  } finally {
    play.kill('SIGINT');
    await ended;
    rmSync(cwd, { recursive: true, force: true });
  }
}, 1_200_000);
