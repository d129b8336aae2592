/** What a cluster's outside says of itself before a check can: a missing right, a kubeconfig, an endpoint that is not there yet. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEndpoint } from '../../activities/observe/conformance/endpoint.ts';
import { openGround, type OpenGround } from '../../activities/observe/conformance/ground.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import { configFor, startStandIn } from '../rehearsal/kubernetes/harness.ts';
import { CLUSTER } from '../support/facts.ts';
import { groundOf } from './answers.ts';

describe('a kubeconfig of somebody who may do nothing', () => {
  let folder: string;
  let standIn: Awaited<ReturnType<typeof startStandIn>>;
  let ground: OpenGround;
  beforeAll(async () => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'none', AWS_EC2_METADATA_DISABLED: 'true' });
    folder = mkdtempSync(join(tmpdir(), 'belay-ground-'));
    standIn = await startStandIn({ users: [{ token: 'guest', name: 'guest', groups: [] }] });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, configFor(standIn.server, 'guest').exportConfig());
    ground = openGround({ settings: { ref: CLUSTER, kubeconfig }, access: 'read', pollMs: 1, limitMs: 200, holdMs: 1 });
  });
  afterAll(async () => {
    await ground.close();
    await standIn.server.close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    [
      'K8S-BUDGET-STATUS',
      { because: 'right', why: expect.stringMatching(/^a right is missing: .*User "guest" cannot list resource "poddisruptionbudgets"/) },
    ],
    // There it is an answer.
    ['K8S-MISSING-TYPE', { because: 'absent', why: 'this identity may not ask for types that are not there' }],
    ['EKS-BEARER', { because: 'absent', why: 'belay.yaml names a kubeconfig for this cluster, which makes its own tokens' }],
  ])('%s cannot be tried, and why is said', async (id, verdict) => {
    const [tried] = await tryBeliefs(ground, { only: [id], disposable: false });
    expect(tried?.verdict).toEqual({ kind: 'untried', ...verdict });
  });
});

describe('the endpoint of a cluster', () => {
  const described = (cluster: object | undefined) =>
    describeEndpoint(groundOf({ aws: { DescribeCluster: () => ({ cluster }) } }).eks, 'prod');

  test('comes with its certificate authority, and without a slash at its end', async () => {
    const cluster = { endpoint: 'https://a.eks/', certificateAuthority: { data: 'MIIC' } };
    expect(await described(cluster)).toEqual({ endpoint: 'https://a.eks', caData: 'MIIC' });
  });

  test.each([
    ['no cluster', undefined],
    ['no endpoint', { certificateAuthority: { data: 'MIIC' } }],
    ['no certificate authority', { endpoint: 'https://a.eks' }],
    ['an authority without certificates', { endpoint: 'https://a.eks', certificateAuthority: {} }],
  ])('is not there yet where EKS describes %s', async (_what, cluster) => {
    await expect(described(cluster)).rejects.toMatchObject({ name: 'CannotTry', message: 'prod has no endpoint yet' });
  });
});
