/** A fleet at once: every cluster a world of its own behind one AWS, one Slack, one Temporal, one worker and one Slack app. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeClusterCommand, EKSClient, ListClustersCommand } from '@aws-sdk/client-eks';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { FleetEndpoints } from '../../rehearsal/core/endpoints.ts';
import type { FleetReport } from '../../rehearsal/play/fleet/options.ts';
import { rehearseFleet } from '../../rehearsal/main.ts';
import { runBelay } from '../cli/run-belay.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/processes.ts';

/** Temporary files of the rehearsal lie here, so that its processes can be told by their arguments. */
let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'belay-fleet-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('three rings: two clusters complete, in two accounts, the one that goes bad is aborted, and nothing is left anywhere', async () => {
  const json = join(directory, 'out.json');
  const args = ['rehearse', '--fleet', '3', '--speed', '600', '--auto', 'approve', '--json', json];
  const ran = await runBelay(args, { cwd: directory, env: { HOME: process.env['HOME'] ?? '', TMPDIR: directory }, limitMs: 150_000 });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const lines = ran.stdout.split('\n').map((line) => line.replace(/^\[[\d:]+\] /, '').replace(/ in \d+ min/, ''));
  expect(lines.filter((line) => /^(dev|staging|production)-|^ring /.test(line))).toEqual([
    'dev-1, 1.31 → 1.32: completed; nothing left behind',
    'ring dev: 1 completed of 1 cluster',
    'staging-1, 1.31 → 1.32: aborted (Aborted by sam: Control plane 1.31 → 1.32 failed); as it should, and nothing left behind',
    'ring staging: 1 aborted of 1 cluster',
    'production-1, 1.31 → 1.32: completed; nothing left behind',
    'ring production: 1 completed of 1 cluster',
  ]);
  const { clusters }: FleetReport = JSON.parse(readFileSync(json, 'utf8'));
  expect(clusters.map(({ workflowId }) => workflowId)).toEqual([
    'eks-upgrade/111122223333/eu-central-1/dev-1',
    'eks-upgrade/111122223333/eu-central-1/staging-1',
    'eks-upgrade/444455556666/eu-central-1/production-1',
  ]);
  // Each world has received its own cluster's change, and no other.
  for (const { mutations } of clusters) expect(mutations.filter(({ operation }) => operation === 'UpdateClusterVersion')).toHaveLength(1);
  expect(processesOf(directory)).toEqual([]);
  expect(readdirSync(directory)).toEqual(['out.json']);
}, 240_000);

test('the worlds alone: any client finds the clusters of each account and region, and files tell Belay’s where they are', async () => {
  const file = join(directory, 'endpoints.json');
  const ending = new AbortController();
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const before = process.cwd();
  process.chdir(directory);
  const options = { fleet: 4, speed: 60, auto: 'approve' as const, worldOnly: true, endpoints: file, say, signal: ending.signal };
  const ended = rehearseFleet(options).finally(() => process.chdir(before));
  try {
    await eventually('the worlds are up', () => said.some((line) => line.startsWith('The worlds of 4 clusters are up')), 120_000);
    const endpoints: FleetEndpoints = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.entries(endpoints.clusters).map(([name, { account, region }]) => `${name} ${account} ${region}`)).toEqual([
      'dev-1 111122223333 eu-central-1',
      'staging-1 111122223333 eu-central-1',
      'production-1 444455556666 eu-central-1',
      'production-2 444455556666 eu-west-1',
    ]);
    const clientOf = (account: string, region: string) =>
      new EKSClient({
        endpoint: endpoints.eks,
        region,
        credentials: { accessKeyId: endpoints.accessKeys[account] ?? '', secretAccessKey: 'example' },
      });
    const listed = await clientOf('111122223333', 'eu-central-1').send(new ListClustersCommand({}));
    expect(listed.clusters).toEqual(['dev-1', 'staging-1']);
    const far = await clientOf('444455556666', 'eu-west-1').send(new DescribeClusterCommand({ name: 'production-2' }));
    expect(far.cluster).toMatchObject({ version: '1.31', arn: 'arn:aws:eks:eu-west-1:444455556666:cluster/production-2' });
    expect(readFileSync(endpoints.kubeconfig, 'utf8')).toContain(`server: ${far.cluster?.endpoint}`);
    // Keys are for their owner alone.
    expect(statSync(endpoints.environment).mode & 0o777).toBe(0o600);
    expect(readFileSync(endpoints.environment, 'utf8')).toContain(`BELAY_CONFIG='${endpoints.config}'\n`);
  } finally {
    ending.abort();
    expect(await ended).toMatchObject({ ok: true });
  }
}, 180_000);
