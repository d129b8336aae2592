/** A real worker keeps one workflow of proposals, as belay.yaml says; the command line lists it, has it look, and dismisses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { PROPOSALS_WORKFLOW } from '../../../workflows/contract/proposals.ts';
import { type Ran, runBelay } from '../../cli/run-belay.ts';
import { eventually } from '../../support/eventually.ts';
import { type DevServer, startDevServer } from '../../support/temporal-server.ts';
import { PROGRAM } from '../../support/program.ts';

/** Nothing listens there: AWS is away. */
const AWS = {
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'none',
  AWS_MAX_ATTEMPTS: '1',
};

let server: DevServer;
let connection: Connection;
let client: Client;
let directory: string;
let workers: ChildProcess[];
beforeAll(async () => {
  server = await startDevServer();
  connection = await Connection.connect({ address: server.address });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  await server.stop();
});
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'belay-proposals-'));
  workers = [];
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(ended));
  rmSync(directory, { recursive: true, force: true });
});

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => void child.once('exit', (code) => resolve(code)));
}

function write(proposals: string): void {
  const file = `clusters:
  prod: { region: eu-west-1, account: "123456789012" }
approvals: { users: [U012AB3CD], allowUnverifiedCli: true }
${proposals}
`;
  writeFileSync(join(directory, 'belay.yaml'), file);
}

async function startWorker(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, 'worker'], {
    cwd: directory,
    env: { ...process.env, ...AWS, TEMPORAL_ADDRESS: server.address, SLACK_BOT_TOKEN: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  workers.push(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
  await eventually('the worker polls', () => log.includes('worker is polling'));
  return child;
}

const campaign = (...args: string[]): Promise<Ran> =>
  runBelay(['campaign', ...args], { cwd: directory, env: { ...AWS, TEMPORAL_ADDRESS: server.address }, limitMs: 60_000 });

/** All executions that there are or were. */
async function executions(): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId, status } of client.workflow.list({ query: `WorkflowId = '${PROPOSALS_WORKFLOW}'` }))
    found.push(`${workflowId} ${status.name}`);
  return found;
}

test('F36: without proposals nothing is begun; with them one workflow is, however many workers start; off, it stays and looks at nothing', async () => {
  write('');
  const without = await startWorker();
  expect(await campaign('proposals')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'Belay proposes no campaigns, because workflow eks-proposals is not running: write proposals in belay.yaml, then restart the worker.',
    ),
  });
  expect(await executions()).toEqual([]);
  without.kill('SIGTERM');
  await ended(without);

  write('proposals: { at: "08:00" }');
  const [one, two] = await Promise.all([startWorker(), startWorker()]);
  const listed = await eventually('it is listed', async () => {
    const ran = await campaign('proposals');
    return ran.stdout.includes('Next check') && ran;
  });
  expect(listed.stdout).toMatch(
    /^Belay has proposed no campaign\.\n\nBelay has not checked yet: "belay campaign propose" makes it check now\.\n\nNext check: \d{4}-\d\d-\d\d 08:00 UTC\.\n$/,
  );
  expect(await executions()).toEqual([`${PROPOSALS_WORKFLOW} RUNNING`]);

  expect(await campaign('propose')).toMatchObject({ code: 0, stdout: expect.stringContaining('Belay is checking all clusters now.') });
  await eventually('AWS is away', async () => (await campaign('proposals')).stdout.includes('The last check could not read anything'));
  expect(await campaign('dismiss', '1.35', '--reason', 'later')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No campaign to 1.35 is proposed. None is.'),
  });
  expect(await campaign('dismiss', 'next')).toMatchObject({ code: 1, stderr: expect.stringContaining('1.34') });

  for (const worker of [one, two]) worker.kill('SIGTERM');
  await Promise.all([ended(one), ended(two)]);
  write('proposals: { enabled: false }');
  await startWorker();
  await eventually('it is off', async () => (await campaign('proposals')).stdout.includes('Proposals are off in belay.yaml'));
  expect((await executions()).filter((each) => each.endsWith('RUNNING'))).toHaveLength(1);
}, 720_000);
