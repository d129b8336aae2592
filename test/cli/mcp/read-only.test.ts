/** No way leads from the tools to what starts, signals, decides or steers, nothing that they reach can change anything, and only the command loads the protocol. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createS3Client } from '../../../activities/clients/aws/s3.ts';
import { type ClusterClients, createClusterClients } from '../../../activities/clients/clusters.ts';
import { onlyReading } from '../../../activities/clients/only-reads.ts';
import { createServer } from '../../../cli/mcp/server.ts';
import { filesOf, importsOf } from '../../../scripts/lint/imports.ts';
import { startTwin, type Twin } from '../../activities/support/twin.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** By imports of values, static and dynamic, each with the file that leads there. */
function reachedFrom(start: string): Map<string, string> {
  const reached = new Map([[start, '']]);
  for (const file of reached.keys())
    for (const { to, typeOnly } of importsOf(root, file)) if (!typeOnly && !reached.has(to)) reached.set(to, file);
  return reached;
}

/** Calls of Temporal's client that begin or change something. */
const CHANGES =
  /\bworkflow\s*\.\s*(?:start|signalWithStart|execute|executeUpdate\w*)\b|\.(?:signal|executeUpdate|startUpdate|terminate|cancel)\(/;

test('G2: from the tools no file of client/ is reached that sends anything but queries', () => {
  const reached = [...reachedFrom('cli/mcp/server.ts').keys()];
  const ofClient = reached.filter((file) => file.startsWith('client/'));
  expect(ofClient).toContain('client/reader.ts');
  expect(ofClient.filter((file) => CHANGES.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
  expect(reached.filter((file) => file.startsWith('slack/'))).toEqual([]);
  expect(reached).not.toContain('worker/local/open-upgrades.ts');
});

test('the guard bites: the same look at the command line’s own client finds what sends', () => {
  const reached = [...reachedFrom('worker/local/open-upgrades.ts').keys()].filter((file) => file.startsWith('client/'));
  expect(reached.filter((file) => CHANGES.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual(
    expect.arrayContaining(['client/starting/plan-and-start.ts', 'client/steering/send-commands.ts']),
  );
});

/** Commands of AWS's SDK that do more than read. */
const commandsIn = (file: string): string[] =>
  [...readFileSync(`${root}${file}`, 'utf8').matchAll(/new ([A-Z]\w+)Command\(/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(?:Describe|List|Get|Simulate)[A-Z]/.test(name));

const commandsReached = (start: string): Record<string, string[]> =>
  Object.fromEntries(
    [...reachedFrom(start).keys()].map((file) => [file, commandsIn(file)] as const).filter(([, names]) => names.length > 0),
  );

test('what could change AWS and is reached is known, and what changes control planes, add-ons and node groups is not reached', () => {
  // Clients of an account are whole, records have one store, and what reads the control plane's log settings lies beside what changes them.
  expect(commandsReached('cli/mcp/server.ts')).toEqual({
    'activities/clients/aws/account/auto-scaling.ts': expect.any(Array),
    'activities/clients/aws/account/ec2.ts': ['CreateLaunchTemplateVersion'],
    'activities/eks/logging.ts': ['UpdateClusterConfig'],
    'activities/observe/readiness/aws/insights.ts': ['StartInsightsRefresh'],
    'activities/run/records/storage/bucket.ts': ['PutObject'],
  });
  // The same look bites: a worker's activities reach all of it.
  expect(Object.values(commandsReached('activities/create.ts')).flat()).toEqual(
    expect.arrayContaining(['UpdateClusterVersion', 'UpdateAddon', 'UpdateNodegroupVersion']),
  );
});

describe('what is reached all the same sends nothing that changes anything', () => {
  const CONFIG_MAP = { apiVersion: 'v1', plural: 'configmaps', namespace: 'default', name: 'belay-test' };
  const refused = (doing: string) => ({
    type: 'AccessDenied',
    message: `${doing}: only reads are allowed here; report it as a bug of Belay`,
  });
  let twin: Twin;
  let clients: ClusterClients;
  beforeAll(async () => {
    twin = await startTwin('small');
    clients = createClusterClients({ settings: () => ({ ref: twin.ref }) });
  });
  afterAll(async () => {
    await clients.close();
    await twin.close();
  });

  const changes: [string, string, () => Promise<unknown>][] = [
    [
      'EKS',
      'calling eks UpdateClusterVersion',
      async () => await (await clients.aws(twin.ref).writing()).send(new UpdateClusterVersionCommand({ name: 'small', version: '1.32' })),
    ],
    [
      'EKS by the client that reads',
      'calling eks UpdateClusterVersion',
      async () => await clients.aws(twin.ref).eks.send(new UpdateClusterVersionCommand({ name: 'small', version: '1.32' })),
    ],
    [
      'a bucket',
      'calling s3 PutObject',
      async () =>
        await createS3Client({ bucket: 'b', prefix: '', region: 'eu-central-1' }).send(
          new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'b' }),
        ),
    ],
    [
      'Kubernetes: create',
      'creating configmaps/default',
      async () =>
        await (await clients.clusterPorts(twin.ref)).kubernetes.create(
          { apiVersion: 'v1', plural: 'configmaps', namespace: 'default' },
          { metadata: { name: 'belay-test' } },
        ),
    ],
    [
      'Kubernetes: patch',
      'patching configmaps/default/belay-test',
      async () => await (await clients.clusterPorts(twin.ref)).kubernetes.patch(CONFIG_MAP, { type: 'merge', body: { data: {} } }),
    ],
    [
      'Kubernetes: delete',
      'deleting configmaps/default/belay-test',
      async () => await (await clients.clusterPorts(twin.ref)).kubernetes.delete(CONFIG_MAP),
    ],
  ];

  test.each(changes)('%s', async (_what, doing, change) => {
    const before = twin.built.world.journal.mutations.length;
    await expect(onlyReading(change)).rejects.toMatchObject(refused(doing));
    expect(twin.built.world.journal.mutations.slice(before)).toEqual([]);
  });

  test('reads and questions about rights are answered', async () => {
    await onlyReading(async () => {
      const { kubernetes } = await clients.clusterPorts(twin.ref);
      expect(await kubernetes.get({ apiVersion: 'v1', plural: 'namespaces', name: 'default' })).toMatchObject({
        metadata: { name: 'default' },
      });
      const spec = { resourceAttributes: { resource: 'nodes', verb: 'list' } };
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
      expect(await kubernetes.create({ apiVersion: 'authorization.k8s.io/v1', plural: 'selfsubjectaccessreviews' }, body)).toHaveProperty(
        'status',
      );
    });
  });

  test('a tool that tried to change something is an error of that tool; the same work changes the cluster elsewhere', async () => {
    const annotate = async () =>
      await (await clients.clusterPorts(twin.ref)).kubernetes.patch(
        { apiVersion: 'v1', plural: 'namespaces', name: 'default' },
        { type: 'merge', body: { metadata: { annotations: { belay: 'was here' } } } },
      );
    const server = createServer({
      version: '1',
      config: () => undefined,
      log: () => {},
      tools: [
        {
          name: 'annotate',
          title: 'Annotate',
          description: 'Changes something.',
          input: z.strictObject({}),
          run: async () => ({ text: 'done', data: await annotate() }),
        },
      ],
    });
    const client = new Client({ name: 'test', version: '1' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    const before = twin.built.world.journal.mutations.length;
    expect(await client.callTool({ name: 'annotate', arguments: {} })).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'annotate failed: patching namespaces/default: only reads are allowed here; report it as a bug of Belay',
        },
      ],
    });
    expect(twin.built.world.journal.mutations.slice(before)).toEqual([]);
    await annotate();
    expect(twin.built.world.journal.mutations.slice(before)).not.toEqual([]);
    await client.close();
  });
});

test('the protocol is loaded by its own room alone, and that only by the command, once it runs', () => {
  const wings = ['domain', 'activities', 'workflows', 'client', 'slack', 'worker', 'render', 'cli', 'rehearsal'].flatMap((wing) =>
    filesOf(root, wing),
  );
  const text = (file: string): string => readFileSync(`${root}${file}`, 'utf8');
  expect(wings.filter((file) => text(file).includes('@modelcontextprotocol/sdk'))).toEqual(['cli/mcp/server.ts']);
  const users = wings.filter((file) => !file.startsWith('cli/mcp/') && /['"/]mcp\/[a-z-]+\.ts'/.test(text(file)));
  expect(users).toEqual(['cli/commands/mcp.ts']);
  expect(text('cli/commands/mcp.ts')).toContain("import('../mcp/server.ts')");
});
