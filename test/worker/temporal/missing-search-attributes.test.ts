/** Belay on a namespace that lacks its search attributes, with a key that may not add them: as on Temporal Cloud. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { createUpgrades, type UpgradesSettings } from '../../../client/upgrades-client.ts';
import { howToAdd, missingSearchAttributes, registerSearchAttributes } from '../../../worker/temporal/search-attributes.ts';
import { SEARCH_ATTRIBUTES, WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { CLUSTER } from '../../support/facts.ts';
import { fakeActivities, quickPolicy } from '../../support/fake-activities.ts';
import { startWorker } from '../../support/temporal.ts';
import { type Door, openDoor } from '../../support/temporal-door.ts';
import { type DevServer, startDevServer } from '../../support/temporal-server.ts';
import { SAM, follow } from '../../support/upgrade.ts';
import { eventually } from '../../support/eventually.ts';
import { PROGRAM } from '../../support/program.ts';

const NAMESPACE = 'default';
const KEYWORD = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

let server: DevServer;
let door: Door;
let native: NativeConnection;
let connection: Connection;
let client: Client;
beforeAll(async () => {
  server = await startDevServer({ names: [] });
  door = await openDoor({ to: server.address, forbids: ['AddSearchAttributes'] });
  native = await NativeConnection.connect({ address: door.address });
  connection = await Connection.connect({ address: door.address });
  client = new Client({ connection, namespace: NAMESPACE });
});
afterAll(async () => {
  await connection.close();
  await native.close();
  await door.close();
  await server.stop();
});

async function connectTo(address: string, use: (direct: Connection) => Promise<unknown>): Promise<void> {
  const direct = await Connection.connect({ address });
  await use(direct);
  await direct.close();
}

function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => void child.once('exit', resolve));
}

test('RA20: a worker that may not add search attributes says the command and works without them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'belay-worker-'));
  writeFileSync(join(directory, 'belay.yaml'), 'clusters:\n  prod: { region: eu-west-1, account: "123456789012" }\n');
  const worker = spawn(process.execPath, ['--no-warnings', PROGRAM, 'worker'], {
    cwd: directory,
    env: { ...process.env, TEMPORAL_ADDRESS: door.address, SLACK_BOT_TOKEN: '', AWS_EC2_METADATA_DISABLED: 'true' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let log = '';
    worker.stderr.setEncoding('utf8').on('data', (chunk: string) => void (log += chunk));
    await eventually('polling', () => (log.includes('worker is polling') ? true : undefined));
    const line = log.split('\n').filter((each) => each.includes('search attributes are missing'));
    expect(line).toHaveLength(1);
    expect(line[0]).toContain('temporal operator search-attribute create --namespace default --name BelayCluster --type Keyword');
    expect(line[0]).toContain('--name BelayRequestedBy --type Keyword');

    // What it tells runs that begin.
    const cluster = { name: 'prod', account: '123456789012', region: 'eu-west-1' };
    const handle = await client.workflow.start(WORKFLOWS.plan, {
      workflowId: 'eks-plan/missing',
      taskQueue: 'belay',
      args: [{ cluster, target: '1.32', requestedBy: SAM }],
    });
    const policy = await eventually('the policy', async () => {
      const { events } = await handle.fetchHistory();
      const payload = events?.flatMap((event) => event.activityTaskCompletedEventAttributes?.result?.payloads ?? [])[0];
      return payload === undefined ? undefined : defaultPayloadConverter.fromPayload<Record<string, unknown>>(payload);
    });
    expect(policy['missingSearchAttributes']).toEqual([...SEARCH_ATTRIBUTES]);
    // Without AWS it may have ended by itself.
    await handle.terminate().catch(() => undefined);
  } finally {
    worker.kill('SIGKILL');
    await ended(worker);
    rmSync(directory, { recursive: true, force: true });
  }
});

test('RA20: without search attributes a whole upgrade is started, shown, decided and completed', async () => {
  const { missing } = await registerSearchAttributes(native, NAMESPACE);
  expect(missing).toEqual([...SEARCH_ATTRIBUTES]);
  const { activities } = fakeActivities({ policy: quickPolicy({ missingSearchAttributes: missing }) });
  const taskQueue = 'belay-missing';
  const settings: UpgradesSettings = { resolveCluster: (name) => ({ ...CLUSTER, name }), environmentOf: () => 'test', taskQueue };
  const upgrades = createUpgrades({ client, ...settings });
  const worker = await startWorker({ nativeConnection: native, namespace: NAMESPACE }, activities, taskQueue);
  await worker.runUntil(async () => {
    const started = await upgrades.start({ cluster: 'unlisted', target: '1.32', requestedBy: SAM });
    const run = follow({ client }, started.workflowId);
    await run.until(({ gates }) => gates.length > 0);
    expect(await upgrades.status('unlisted')).toMatchObject({ source: 'workflow' });
    // Visibility is behind a little.
    const listed = await eventually('the list', async () => (await upgrades.list()).find(({ cluster }) => cluster === 'unlisted'));
    expect(listed).toMatchObject({ execution: 'RUNNING' });
    expect((await run.finish()).outcome).toBe('completed');
  });
  // Nobody works any more.
  const away = createUpgrades({ client, ...settings, withinMs: 1_000 });
  expect(await away.status('unlisted')).toMatchObject({
    source: 'visibility',
    status: { execution: 'COMPLETED' },
    why: expect.stringContaining('search attributes are missing: "belay doctor" shows the command'),
  });
});

test('O8 RA20: a key that may not list search attributes either finds out by queries which there are', async () => {
  await connectTo(server.address, (direct) =>
    direct.operatorService.addSearchAttributes({ namespace: NAMESPACE, searchAttributes: { BelayTarget: KEYWORD } }),
  );
  const strict = await openDoor({ to: server.address, forbids: ['AddSearchAttributes', 'ListSearchAttributes'] });
  const asking = await NativeConnection.connect({ address: strict.address });
  try {
    await eventually('BelayTarget', async () =>
      (await missingSearchAttributes(asking, NAMESPACE)).includes('BelayTarget') ? undefined : true,
    );
    expect(await missingSearchAttributes(asking, NAMESPACE)).toEqual(SEARCH_ATTRIBUTES.filter((name) => name !== 'BelayTarget'));
    expect(await registerSearchAttributes(asking, NAMESPACE)).toMatchObject({
      added: [],
      refused: expect.stringContaining('unauthorized'),
    });
  } finally {
    await asking.close();
    await strict.close();
  }
});

test.each([
  ['ns.acct.tmprl.cloud:7233', 'tcld namespace search-attributes add --namespace ns.acct --search-attribute "BelayPhase=Keyword" (or'],
  ['eu-west-1.aws.api.temporal.io:7233', 'tcld namespace search-attributes add --namespace ns.acct'],
  ['temporal.internal:7233', 'temporal operator search-attribute create --namespace ns.acct --name BelayPhase --type Keyword'],
])('RA20: the command fits the server at %s', (address, command) => {
  expect(howToAdd(['BelayPhase'], 'ns.acct', address)).toContain(command);
});
