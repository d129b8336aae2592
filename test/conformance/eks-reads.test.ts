/** What is found of EKS's answers where they are as believed, and where they are not. */
import { expect, test } from 'vitest';
import { type Outside, refusing, verdictOn } from './answers.ts';

type Aws = NonNullable<Outside['aws']>;

const cluster = (...looks: object[]): Aws => ({ DescribeCluster: () => ({ cluster: looks.length > 1 ? looks.shift() : looks[0] }) });

const made = (at: string, issuer: string | undefined = 'https://oidc') => ({
  createdAt: new Date(at),
  identity: { oidc: { issuer } },
});

const pages = (whole: string[], page: (from: number) => object): Outside => ({
  aws: {
    ListAddons: ({ maxResults, nextToken }) => (maxResults === undefined ? { addons: whole } : page(Number(nextToken ?? 0))),
  },
});
const names = ['coredns', 'kube-proxy', 'vpc-cni'];
const one = (from: number, of = names) => ({
  addons: of.slice(from, from + 1),
  nextToken: from + 1 < of.length ? String(from + 1) : undefined,
});

const api = (gitVersion: string | undefined, described: object = {}): Outside => ({
  aws: cluster({ version: '1.33', status: 'ACTIVE', endpoint: 'https://a', ...described }),
  kube: { '/version': { gitVersion } },
});

const fit = (clusterVersion: string, defaultVersion = false) => ({ clusterVersion, defaultVersion });
const offers = (...versions: [string, ...object[]][]): Outside => ({
  aws: {
    ...cluster({ version: '1.33' }),
    ListAddons: () => ({ addons: ['coredns'] }),
    DescribeAddonVersions: () => ({
      addons: [{ addonVersions: versions.map(([addonVersion, ...compatibilities]) => ({ addonVersion, compatibilities })) }],
    }),
  },
});

const calendar = (clusterVersion: string, standard?: string, extended?: string): Outside => ({
  aws: {
    ...cluster({ version: '1.33' }),
    DescribeClusterVersions: () => ({
      clusterVersions: [
        {
          clusterVersion,
          endOfStandardSupportDate: standard === undefined ? undefined : new Date(standard),
          endOfExtendedSupportDate: extended === undefined ? undefined : new Date(extended),
        },
      ],
    }),
  },
});

const insight = (category: string, status?: string, name = 'Deprecated APIs') => ({
  name,
  category,
  insightStatus: status === undefined ? undefined : { status },
});
const insights = (all: object[], described?: object): Outside => ({
  aws: { ListInsights: () => ({ insights: all }), DescribeInsight: () => ({ insight: described }) },
});
const callers = (...clientStats: object[]) => ({ categorySpecificSummary: { deprecationDetails: [{ clientStats }] } });
const ready = insight('UPGRADE_READINESS', 'PASSING');

const identity = (serviceAccount: string) => ({ namespace: 'shop', serviceAccount });
const identities = (all: object[], filtered: object[]): Outside => ({
  aws: { ListPodIdentityAssociations: ({ serviceAccount }) => ({ associations: serviceAccount === undefined ? all : filtered }) },
});

const LABELLED = '/api/v1/nodes?labelSelector=eks.amazonaws.com%2Fnodegroup%3Dblue';
const kubelet = (name: string, kubeletVersion: string) => ({ metadata: { name }, status: { nodeInfo: { kubeletVersion } } });
const group = (change: object = {}) => ({
  nodegroupName: 'blue',
  version: '1.33',
  status: 'ACTIVE',
  scalingConfig: { desiredSize: 1 },
  ...change,
});
const groups = (all: object[], nodes: object[] = []): Outside => ({
  aws: {
    ListNodegroups: () => ({ nodegroups: all.map((_, index) => String(index)) }),
    DescribeNodegroup: ({ nodegroupName }) => ({ nodegroup: all[Number(nodegroupName)] }),
    DescribeAutoScalingGroups: () => ({ AutoScalingGroups: [{ AutoScalingGroupName: 'asg-1' }] }),
  },
  kube: { [LABELLED]: { items: nodes } },
});
const scaling = (...all: string[]) => ({ resources: { autoScalingGroups: all.map((name) => ({ name })) } });

const POOLS = '/apis/karpenter.sh/v1/nodepools';
const pool = (name: string, of: string) => ({ metadata: { name }, spec: { template: { spec: { nodeClassRef: { group: of } } } } });
const autoMode = (enabled: boolean | undefined, ...items: object[]): Outside => ({
  aws: cluster({ computeConfig: { enabled } }),
  kube: { [POOLS]: { items } },
});

test.each<[string, Outside, string]>([
  [
    'EKS-ARN',
    { aws: cluster({ arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod' }) },
    'held: arn:aws:eks:eu-central-1:111122223333:cluster/prod',
  ],
  [
    'EKS-ARN',
    { aws: cluster({ arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/other' }) },
    'broken: arn:aws:eks:eu-central-1:111122223333:cluster/other is not of prod in 111122223333, eu-central-1',
  ],
  [
    'EKS-ARN',
    { aws: cluster({ arn: 'arn:aws:eks:us-east-1:111122223333:cluster/prod' }) },
    'broken: arn:aws:eks:us-east-1:111122223333:cluster/prod is not of prod in 111122223333, eu-central-1',
  ],
  ['EKS-ARN', {}, 'untried, absent: DescribeCluster answered without a cluster'],

  ['EKS-IDENTITY', { aws: cluster(made('2025-01-01')) }, 'held: made 2025-01-01T00:00:00.000Z, the same at two looks'],
  ['EKS-IDENTITY', { aws: cluster(made('2025-01-01'), made('2025-01-02')) }, 'broken: they differ between two looks'],
  ['EKS-IDENTITY', { aws: cluster(made('2025-01-01'), made('2025-01-01', 'https://b')) }, 'broken: they differ between two looks'],
  ['EKS-IDENTITY', { aws: cluster({ createdAt: new Date() }) }, 'broken: DescribeCluster has no issuer, or no createdAt'],
  ['EKS-IDENTITY', { aws: cluster({ identity: made('2025-01-01').identity }) }, 'broken: DescribeCluster has no issuer, or no createdAt'],

  ['EKS-DATE', { aws: cluster({}), ground: { eksDate: () => '2026-03-03T12:00:00Z' } }, 'held: 2026-03-03T12:00:00Z'],
  ['EKS-DATE', { aws: cluster({}) }, 'broken: the answer has no Date'],

  ['EKS-MISSING-CLUSTER', { aws: { DescribeCluster: refusing('ResourceNotFoundException') } }, 'held: ResourceNotFoundException, 400'],
  ['EKS-MISSING-ADDON', { aws: { DescribeAddon: refusing('InvalidRequestException', 'no') } }, 'broken: InvalidRequestException: no'],
  ['EKS-MISSING-UPDATE', {}, 'broken: it was answered as if it were there'],

  ['EKS-PAGES', pages(names, one), 'held: 3 pages of one add-on'],
  ['EKS-PAGES', pages(names, () => ({ addons: names })), 'broken: a page of one had 3'],
  [
    'EKS-PAGES',
    pages(names, (from) => one(from, ['coredns', 'vpc-cni'])),
    'broken: coredns, kube-proxy, vpc-cni at once, coredns, vpc-cni in pages',
  ],
  ['EKS-PAGES', pages(['coredns'], one), 'untried, absent: there are fewer than two add-ons'],

  ['EKS-ENDPOINT', api('v1.33.4-eks-1'), 'held: https://a answers, trusted by that authority'],
  ['EKS-ENDPOINT', api(undefined), 'broken: its /version has no gitVersion'],
  ['EKS-ENDPOINT', { aws: cluster({}) }, 'untried, unanswered: GET /version was answered with 404 (not found)'],
  ['EKS-API-VERSION', api('v1.33.4-eks-1'), 'held: both say 1.33'],
  ['EKS-API-VERSION', api('v1.32.4-eks-1'), 'broken: EKS says 1.33, the API server 1.32'],
  ['EKS-API-VERSION', api('v1.32.4-eks-1', { status: 'UPDATING' }), 'untried, absent: the cluster is UPDATING'],

  ['EKS-ADDON-OFFERS', offers(['v2', fit('1.33', true)], ['v1', fit('1.33')]), 'held: 2 versions of coredns for 1.33, default v2'],
  ['EKS-ADDON-OFFERS', offers(), 'broken: nothing is offered of coredns for 1.33, which has it'],
  [
    'EKS-ADDON-OFFERS',
    offers(['v2', fit('1.34', true)], ['v1', fit('1.33', true)]),
    'broken: v2 is offered for 1.33 and does not say that it is compatible',
  ],
  ['EKS-ADDON-OFFERS', offers(['v2', fit('1.33')]), 'broken: 0 versions of coredns are the default for 1.33'],
  ['EKS-ADDON-OFFERS', { aws: cluster({}) }, 'untried, absent: there is no add-on on this cluster'],

  ['EKS-CALENDAR', calendar('1.33', '2026-07-29', '2027-07-29'), 'held: 1.33: standard support to 2026-07-29, extended to 2027-07-29'],
  ['EKS-CALENDAR', calendar('1.33', '2027-07-29', '2026-07-29'), 'broken: extended support of 1.33 ends before standard support'],
  ['EKS-CALENDAR', calendar('1.33', '2026-07-29'), 'broken: 1.33 has no end of support'],
  ['EKS-CALENDAR', calendar('1.33', undefined, '2026-07-29'), 'broken: 1.33 has no end of support'],
  ['EKS-CALENDAR', calendar('1.34', '2026-07-29', '2027-07-29'), 'broken: 1.33, which the cluster has, is not among them'],

  ['EKS-INSIGHTS-FILTER', insights([ready]), 'held: 1 insight, all of UPGRADE_READINESS and with a status'],
  [
    'EKS-INSIGHTS-FILTER',
    insights([ready, insight('MISCONFIGURATION', 'ERROR', 'Hybrid')]),
    'broken: Hybrid is of MISCONFIGURATION, with status ERROR',
  ],
  [
    'EKS-INSIGHTS-FILTER',
    insights([insight('UPGRADE_READINESS')]),
    'broken: Deprecated APIs is of UPGRADE_READINESS, with status undefined',
  ],
  ['EKS-INSIGHTS-FILTER', insights([]), 'untried, absent: EKS has computed no insights, after a refresh either'],
  ['EKS-INSIGHTS-DETAIL', insights([ready], { ...ready, ...callers({ userAgent: 'kubectl' }) }), 'held: Deprecated APIs, 1 caller'],
  ['EKS-INSIGHTS-DETAIL', insights([ready], { ...ready, ...callers({}) }), 'broken: a caller has no user agent'],
  [
    'EKS-INSIGHTS-DETAIL',
    insights([ready], insight('UPGRADE_READINESS', 'ERROR')),
    'broken: Deprecated APIs is described as Deprecated APIs, ERROR',
  ],

  ['EKS-IDENTITY-FILTER', identities([identity('a'), identity('b')], [identity('a')]), 'held: 1 of 2'],
  ['EKS-IDENTITY-FILTER', identities([identity('a')], []), 'broken: 0 were answered, of other service accounts'],
  [
    'EKS-IDENTITY-FILTER',
    identities([identity('a')], [identity('a'), identity('b')]),
    'broken: 2 were answered, of other service accounts',
  ],
  ['EKS-IDENTITY-FILTER', identities([], []), 'untried, absent: there is no Pod Identity association on this cluster'],

  ['EKS-NODEGROUP-GROUPS', groups([group(scaling('asg-1'))]), 'held: 1 group'],
  ['EKS-NODEGROUP-GROUPS', groups([group(scaling('asg-1', 'asg-2'))]), 'broken: asg-2 does not exist'],
  ['EKS-NODEGROUP-GROUPS', groups([group()]), 'broken: blue names no Auto Scaling group'],
  ['EKS-NODEGROUP-GROUPS', groups([]), 'untried, absent: there is no managed node group on this cluster'],

  ['EKS-NODEGROUP-LABEL', groups([group()], [kubelet('a', 'v1.33.1-eks-1')]), 'held: blue: 1 node at 1.33'],
  ['EKS-NODEGROUP-LABEL', groups([group({ scalingConfig: { desiredSize: 0 } })]), 'held: blue: 0 nodes at 1.33'],
  ['EKS-NODEGROUP-LABEL', groups([group()]), 'broken: no node carries the label of blue'],
  ['EKS-NODEGROUP-LABEL', groups([group()], [kubelet('a', 'v1.32.1-eks-1')]), 'broken: a of blue has another kubelet than 1.33'],
  ['EKS-NODEGROUP-LABEL', groups([group({ amiType: 'CUSTOM' })], [kubelet('a', 'v1.32.1')]), 'held: blue: 1 node at 1.33'],
  ['EKS-NODEGROUP-LABEL', groups([group({ status: 'UPDATING' })]), 'untried, absent: no node group is ACTIVE'],

  ['EKS-NODEGROUP-PACE', groups([group({ updateConfig: { maxUnavailablePercentage: 10 } })]), 'held: 1 node group says so'],
  ['EKS-NODEGROUP-PACE', groups([group({ updateConfig: { maxUnavailable: 1 } }), group()]), 'broken: blue says neither'],
  ['EKS-NODEGROUP-PACE', groups([group({ updateConfig: { maxUnavailable: 0 } })]), 'broken: blue says neither'],

  [
    'EKS-AUTO-MODE',
    autoMode(true, pool('general', 'eks.amazonaws.com'), pool('own', 'karpenter.k8s.aws')),
    'held: on, 1 NodePool of its own',
  ],
  ['EKS-AUTO-MODE', autoMode(undefined, pool('own', 'karpenter.k8s.aws')), 'held: off, and no NodePool is of its node classes'],
  ['EKS-AUTO-MODE', autoMode(false, pool('general', 'eks.amazonaws.com')), 'broken: Auto Mode is off, and general are of its node classes'],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});
