/** A fleet's worlds for other clients: each cluster its own behind one AWS. test/browser/fleet-rehearsal.test.ts plays a campaign over them. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeClusterCommand, EKSClient, ListClustersCommand } from '@aws-sdk/client-eks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FleetEndpoints } from '../../rehearsal/world/core/endpoints.ts';
import { rehearseFleet } from '../../rehearsal/main.ts';
import { eventually } from '../support/eventually.ts';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'belay-fleet-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

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
    // EKS calls the first cluster of dev and that of production `main` both: two accounts, two clusters.
    expect(listed.clusters).toEqual(['main', 'staging-1']);
    const others = await clientOf('444455556666', 'eu-central-1').send(new ListClustersCommand({}));
    expect(others.clusters).toEqual(['main']);
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
}, 540_000);
