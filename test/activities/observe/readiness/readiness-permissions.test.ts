/** Readiness over the wire: each source with exactly the permissions that it names, and every check without each of them in turn. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gatherEvidence } from '../../../../activities/observe/readiness/gather.ts';
import { CATALOGUE } from '../../../../domain/readiness/catalogue.ts';
import { type Check, type CheckFinding, runCheck } from '../../../../domain/readiness/model/check.ts';
import type { Evidence } from '../../../../domain/readiness/model/evidence.ts';
import {
  permissionNames,
  permissionsOf,
  type Source,
  SOURCE_IDS,
  SOURCES,
  type SourceId,
} from '../../../../domain/readiness/model/sources.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { QUICK } from '../../support/timing.ts';
import { addApiGateway } from '../../../../rehearsal/scenarios/parts/gateway-parts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const CLUSTER = 'eks:DescribeCluster';
const CONTEXT = {
  from: { major: 1, minor: 32 },
  target: { major: 1, minor: 36 },
  hops: [33, 34, 35, 36].map((minor) => ({ major: 1, minor })),
  now: '2026-01-01T00:00:00Z',
  managedBy: {},
};
/** Insights that EKS has refreshed by itself within a day were seen, whether or not they could be refreshed now. */
const REFRESH = ['eks:StartInsightsRefresh', 'eks:DescribeInsightsRefresh'];

/** For the sake of what it reads. */
const readingJust = (ids: readonly SourceId[]): Check[] => CATALOGUE.slice(0, 1).map((check) => ({ ...check, reads: ids }));
const readersOf = (ids: readonly SourceId[]): Check[] => CATALOGUE.filter(({ reads }) => reads.some((id) => ids.includes(id)));
const every = [...new Set(SOURCE_IDS.flatMap((id) => permissionNames(SOURCES[id])))];
const sourcesWith = (permission: string): SourceId[] => SOURCE_IDS.filter((id) => permissionNames(SOURCES[id]).includes(permission));

describe('over the wire', () => {
  let twin: Twin;
  /** With every permission that sources name. */
  let whole: Evidence;

  beforeAll(async () => {
    twin = await startTwin('seed-002');
    plantWhatIsReadOnlyWhereItIs(twin);
    whole = await gatherWith(SOURCE_IDS);
  });
  afterAll(() => twin.close());

  /** Reads these sources with what they need, but for one permission. `quicker`: with what spares them others, too. */
  async function gatherWith(ids: readonly SourceId[], { without = '', granted = ids, quicker = false } = {}): Promise<Evidence> {
    const { rbac } = permissionsOf(granted, true);
    const iam = granted.flatMap((id): readonly string[] => [...(sourceOf(id).iam ?? []), ...(quicker ? (sourceOf(id).quicker ?? []) : [])]);
    const kubernetes = rbac.flatMap((rule) =>
      rule.verbs.map((verb) => {
        const given = (thing: string): boolean => `${verb} on ${thing}` !== without;
        const [group = ''] = rule.apiGroups ?? [];
        return {
          verbs: [verb],
          apiGroups: [group],
          resources: (rule.resources ?? []).filter((each) => given(group === '' ? each : `${each}.${group}`)),
          nonResourceURLs: (rule.nonResourceURLs ?? []).filter(given),
        };
      }),
    );
    twin.grant({ aws: (action) => action !== without && (action === CLUSTER || iam.includes(action)), kubernetes: () => kubernetes });
    const clients = twin.freshClients();
    try {
      const { kubernetes: port } = await clients.clusterPorts(twin.ref);
      const reading = {
        aws: clients.aws(twin.ref),
        account: clients.account(twin.ref),
        kubernetes: port,
        ref: twin.ref,
        timing: QUICK,
        target: parseKubernetesVersion('1.33'),
      };
      return await gatherEvidence({ ...reading, checks: readingJust(ids), optional: true });
    } finally {
      await clients.close();
    }
  }

  test('what sources name is enough to see all of them', () => {
    expect(SOURCE_IDS.filter((id) => !whole[id].ok)).toEqual([]);
  });

  test.each(SOURCE_IDS)('%s is read with what it names and no more', async (id) => {
    expect((await gatherWith([id]))[id]).toMatchObject({ ok: true });
  });

  test.each(every.filter((permission) => permission !== CLUSTER && !REFRESH.includes(permission)))(
    'without %s each check that needs it is unknown and names it',
    async (permission) => {
      const concerned = sourcesWith(permission);
      const seen = await gatherWith(concerned, { without: permission });
      const evidence = { ...whole, ...Object.fromEntries(concerned.map((id) => [id, seen[id]])) };
      const checks = readersOf(concerned);
      const found = checks.flatMap((check) => runCheck(check, evidence, CONTEXT));
      expect(found.map(standing)).toEqual(checks.map(({ code }) => `${code} unknown: Allow ${permission}.`));
    },
  );

  const spared = SOURCE_IDS.filter((id) => sourceOf(id).quicker !== undefined);
  test.each(spared)('%s is the same with what makes it quicker', async (id) => {
    expect((await gatherWith([id], { quicker: true, without: 'ec2:DescribeInstances' }))[id]).toEqual((await gatherWith([id]))[id]);
  });

  // Before the tests that begin a refresh and cannot wait for its end: it would make them new.
  test('insights of another day do not count, and the permission to refresh them is named', async () => {
    const { insights } = twin.built.world.eks;
    for (const insight of insights) insight.lastRefreshMs -= 2 * 86_400_000;
    const evidence = await gatherWith(['insights'], { without: 'eks:StartInsightsRefresh' });
    for (const insight of insights) insight.lastRefreshMs += 2 * 86_400_000;
    const found = readersOf(['insights']).flatMap((check) => runCheck(check, evidence, CONTEXT));
    expect([...new Set(found.map(({ status, remediation }) => `${status}: ${remediation}`))]).toEqual([
      'unknown: Allow eks:StartInsightsRefresh.',
    ]);
  });

  test.each(REFRESH)('without %s insights of the last day count', async (permission) => {
    // A day of the twin's is over in minutes.
    const { eks, clock } = twin.built.world;
    for (const insight of eks.insights) insight.lastRefreshMs = clock.nowMs();
    expect((await gatherWith(['insights'], { without: permission })).insights).toMatchObject({ ok: true });
  });

  test('without any permission but for the cluster itself nothing passes that was not seen', async () => {
    const evidence = await gatherWith(SOURCE_IDS, { granted: [] });
    const checks = CATALOGUE.filter(({ reads }) => reads.some((id) => id !== 'cluster'));
    const found = checks.flatMap((check) => runCheck(check, evidence, CONTEXT));
    expect(found.filter(({ status, remediation = '' }) => status !== 'unknown' || !remediation.startsWith('Allow '))).toEqual([]);
  });

  test('without the cluster there is nothing to check, and the permission is named', async () => {
    await expect(gatherWith(SOURCE_IDS, { without: CLUSTER })).rejects.toThrow(`not authorized to perform: ${CLUSTER}`);
  });
});

const sourceOf = (id: SourceId): Source => SOURCES[id];
const standing = ({ code, status, remediation }: CheckFinding): string => `${code} ${status}: ${remediation}`;

/** What some actions are needed for: an update, an insight that does not pass, a profile, a template, add-ons, a release. */
function plantWhatIsReadOnlyWhereItIs({ built }: Twin): void {
  const { eks, clock, store } = built.world;
  addApiGateway(built.world, { namespace: 'edge', name: 'public' });
  const createdAtMs = clock.nowMs();
  // Of On-Demand standard instances alone nobody asks for other quotas.
  const [node] = store.list('nodes');
  store.update(
    'nodes',
    String(node?.metadata.name),
    undefined,
    (copy) => void (copy.metadata.labels = { ...copy.metadata.labels, 'karpenter.sh/capacity-type': 'spot' }),
  );
  // With @latest alone nobody asks SSM.
  store.update('ec2nodeclasses', 'al2023', undefined, (copy) => void (copy.spec.amiSelectorTerms = [{ alias: 'al2023@v20250403' }]));
  eks.updates.push({
    id: '5e0b8f7a-0000-4000-8000-000000000001',
    resource: { kind: 'cluster' },
    type: 'LoggingUpdate',
    status: 'Successful',
    params: [],
    errors: [],
    createdAtMs,
  });
  eks.fargateProfiles.push({
    name: 'batch',
    status: 'ACTIVE',
    podExecutionRoleArn: `arn:aws:iam::${eks.cluster.account}:role/fargate`,
    subnetIds: eks.cluster.subnetIds,
    selectors: [{ namespace: 'batch' }],
    createdAtMs,
  });
  const template = { id: 'lt-0123456789abcdef0', name: 'workers', defaultVersion: 1, versions: [{ number: 1 }] };
  eks.network.launchTemplates.push(template);
  for (const group of eks.nodeGroups) group.launchTemplate = { id: template.id, version: '1' };
  store.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sh.helm.release.v1.cart.v1', namespace: 'default', labels: { owner: 'helm', status: 'deployed', name: 'cart' } },
    data: { release: Buffer.from(Buffer.from('{"manifest":""}').toString('base64')).toString('base64') },
  });
  eks.cluster.health.push({ code: 'Ec2SecurityGroupNotFound', message: 'sg-1 is gone.', resourceIds: ['sg-1'] });
  const selfManaged = ['coredns', 'kube-proxy'];
  eks.addOns = eks.addOns.filter(({ name }) => !selfManaged.includes(name));
  for (const addOn of eks.addOns) addOn.configurationValues = '{}';
}
