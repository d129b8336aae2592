/** Examples of cli/messages/without-file.ts. */
import * as withoutFile from '../../../../cli/messages/without-file.ts';
import { chapter } from '../chapter.ts';

const KUBECONFIG = '/home/ada/.kube/config';
const [CLUSTER, REGION, ACCOUNT] = ['prod', 'eu-west-1', '111122223333'];
const WHO = 'arn:aws:sts::111122223333:assumed-role/platform/ada';
const PLACES = [
  { context: 'prod-eu', region: REGION, account: ACCOUNT },
  { context: 'prod-us', region: 'us-east-1' },
];

export const withoutFileChapter = chapter('Commands: without belay.yaml', 'cli/messages/without-file.ts', withoutFile, {
  clusterNamedTwice: [[CLUSTER, 'staging']],
  clusterOrKubeconfig: [['--cluster prod', '--context']],
  regionOfContext: [[]],
  notWithConfig: [['--cluster']],
  fileSaysSo: [['--region', 'belay.yaml']],
  notOfSnapshot: [['--region']],
  notWithAll: [['--region']],
  environmentNeedsFile: [[]],
  writeARole: [[]],
  notARegion: [['frankfurt']],
  writeARegion: [[]],
  clusterFound: [[{ cluster: CLUSTER, version: '1.33', account: ACCOUNT, region: REGION, context: 'prod-eu' }]],
  nextVersion: [['1.34']],
  withoutFile: [[]],
  fleetWithoutFile: [[]],
  noClusterIn: [[['eu-west-2', 'us-east-1']]],
  chooseCluster: [[REGION]],
  whichNumber: [[3]],
  noSuchNumber: [['4', 3]],
  noClusterChosen: [[]],
  clusterProblem: [
    [{ kind: 'no-kubeconfig', paths: [KUBECONFIG] }],
    [{ kind: 'kubeconfig-unreadable', path: KUBECONFIG, why: 'EACCES: permission denied' }],
    [{ kind: 'no-current-context', paths: [KUBECONFIG], contexts: ['prod-eu', 'prod-us'] }],
    [{ kind: 'no-such-context', context: 'prod-ue', paths: [KUBECONFIG], contexts: ['prod-eu', 'prod-us'] }],
    [{ kind: 'not-eks', context: 'minikube', isCurrent: true }],
    [{ kind: 'no-region', cluster: CLUSTER }],
    [{ kind: 'several', name: CLUSTER, places: PLACES }],
    [{ kind: 'not-found', name: 'prd', region: REGION, account: ACCOUNT, names: ['dev', 'prod'], elsewhere: [] }],
    [{ kind: 'other-account', name: CLUSTER, wanted: ACCOUNT, actual: '444455556666' }],
    [
      {
        kind: 'other-cluster',
        name: CLUSTER,
        region: REGION,
        account: '444455556666',
        context: 'prod-eu',
        server: 'https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-central-1.eks.amazonaws.com',
        profile: 'platform',
      },
    ],
    [{ kind: 'no-clusters', regions: [REGION], account: ACCOUNT }],
    [{ kind: 'which', region: REGION, names: ['dev', 'prod'] }],
    [{ kind: 'sso', profile: 'platform' }],
    [{ kind: 'session-ended', profile: 'platform', why: 'The security token included in the request is expired' }],
    [{ kind: 'no-credentials', why: 'Could not load credentials from any providers' }],
    [{ kind: 'unreachable', cluster: CLUSTER, isPublic: false, openTo: [], why: 'listing nodes: no answer in time' }],
    [{ kind: 'unreachable', cluster: CLUSTER, isPublic: true, openTo: ['192.0.2.0/24'], why: 'listing nodes: no answer in time' }],
    [{ kind: 'no-access-entry', cluster: CLUSTER, region: REGION, who: WHO }],
    [{ kind: 'no-access-entry', cluster: CLUSTER, region: REGION, who: WHO, byAwsAuth: true }],
    [{ kind: 'no-rights', cluster: CLUSTER, who: WHO, why: 'listing nodes: Kubernetes answered 403' }],
    [{ kind: 'no-versions', cluster: CLUSTER, version: '1.33', why: 'AWS answered AccessDeniedException' }],
    [{ kind: 'newest', cluster: CLUSTER, version: '1.36' }],
  ],
});
