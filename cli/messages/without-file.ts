/** What commands say of clusters that no belay.yaml names. */
import { someOf } from '../../domain/core/text.ts';
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import type { ClusterProblem, KnownPlace } from '../../worker/local/without-file/problems.ts';

/** Names that are shown where there may be many. */
const SHOWN = 20;

export const clusterNamedTwice = (named: string, flag: string): string => `Use either ${named} or --cluster ${flag}, not both.`;

/** `cluster`: "prod" or "--cluster prod". */
export const clusterOrKubeconfig = (cluster: string, flag: string): string =>
  `Use either ${cluster} or ${flag}, not both: the first is looked up in AWS, the second in a kubeconfig.`;

export const regionOfContext = (): string => 'Use either --region or --context, not both: a context already has its region.';

/** `flag`: "--cluster". */
export const notWithConfig = (flag: string): string =>
  `Use either --config or ${flag}, not both: ${flag} is for a cluster that is not in belay.yaml.`;

/** `flag`: "--region"; `file`: that lies there, or that BELAY_CONFIG names. */
export const fileSaysSo = (flag: string, file: string): string =>
  `${file} already says where its clusters are and how to reach them: leave out ${flag}, or name a cluster that is not in the file with --cluster NAME.`;

/** `flag`: "--region". */
export const notOfSnapshot = (flag: string): string => `--snapshot has its own cluster, and does not ask AWS: leave out ${flag}.`;

/** `flag`: "--region". */
export const notWithAll = (flag: string): string => `--all covers the clusters in belay.yaml: leave out ${flag}.`;

export const environmentNeedsFile = (): string => '--environment needs a belay.yaml, which says which cluster is in which environment.';

export const writeARole = (): string => 'Use a role ARN such as arn:aws:iam::123456789012:role/belay.';

export const notARegion = (value: string): string => `--region ${value} is not an AWS region. ${writeARegion()}`;

export const writeARegion = (): string => 'Use an AWS region such as eu-west-1.';

/** `context`: that said so. */
export const clusterFound = (found: { cluster: string; version: string; account: string; region: string; context?: string }): string =>
  `${found.cluster} is at ${found.version}, in account ${found.account}, ${found.region}${found.context === undefined ? '' : ` (context ${found.context})`}.`;

export const nextVersion = (target: string): string =>
  `Target ${target}: the next version that EKS offers. To choose another one, use --target.`;

/** Last line of a command that had no belay.yaml. */
export const withoutFile = (): string =>
  'No belay.yaml was used: it adds owners (Terraform, Argo CD, Flux), health checks, windows, approvers, waivers and records. "belay init" writes a first one.';

export const fleetWithoutFile = (): string =>
  'No belay.yaml was used: it adds other accounts, environments, open runs, campaigns and maintenance windows. "belay init" writes a first one.';

/** Of regions that were named, beside others that have some. */
export const noClusterIn = (regions: readonly string[]): string => `No EKS cluster in ${regions.join(', ')}.`;

export const chooseCluster = (region: string): string => `EKS clusters in ${region}:`;

export const whichNumber = (count: number): string => `Which one? [1-${count}] `;

export const noSuchNumber = (answer: string, count: number): string =>
  `"${answer}" is not in the list. Enter a number from 1 to ${count}, or a name.`;

export const noClusterChosen = (): string => 'No cluster was chosen.';

/** Why a cluster cannot be used, and what helps. */
export function clusterProblem(problem: ClusterProblem): string {
  switch (problem.kind) {
    case 'no-kubeconfig':
      return `Which cluster? There is no belay.yaml here, and no kubeconfig at ${problem.paths.join(', ')}. Name the cluster with --cluster NAME --region REGION, or write a kubeconfig with "aws eks update-kubeconfig --name NAME --region REGION".`;
    case 'kubeconfig-unreadable':
      return `Could not read the kubeconfig ${problem.path} (${problem.why}). Correct it, or name another one with --kubeconfig FILE.`;
    case 'no-current-context':
      return `No current context is set in ${problem.paths.join(', ')}. ${contextsThere(problem.contexts)}`;
    case 'no-such-context': {
      const close = nearest(problem.context, problem.contexts);
      return `There is no context "${problem.context}" in ${problem.paths.join(', ')}. ${close === undefined ? '' : `Did you mean "${close}"? `}${contextsThere(problem.contexts)}`;
    }
    case 'not-eks':
      return `${problem.isCurrent ? 'The current context' : 'Context'} "${problem.context}" is not recognized as an EKS cluster: its cluster name is neither an EKS ARN nor one by eksctl, and its user does not run "aws eks get-token". Name another one with --context, or the cluster with --cluster NAME --region REGION.`;
    case 'no-region':
      return (
        `Which region? Nothing says where ${problem.cluster ?? 'to look for clusters'} ${problem.cluster === undefined ? '' : 'is'}`.trimEnd() +
        ': add --region eu-west-1, or set AWS_REGION or region in the AWS profile.'
      );
    case 'several':
      return `Several clusters are called ${problem.name}: ${problem.places.map(placeText).join(', ')}. Name one with --context, or with --cluster ${problem.name} --region REGION.`;
    case 'not-found':
      return notFound(problem);
    case 'other-account':
      return `The context of ${problem.name} is for account ${problem.wanted}, but these AWS credentials are for account ${problem.actual}. Use other credentials with --profile NAME or --role ARN.`;
    case 'other-cluster':
      return otherCluster(problem);
    case 'no-clusters':
      return `There is no EKS cluster in ${problem.regions.join(', ')} of account ${problem.account}. Try another --region or --profile.`;
    case 'which':
      return `Which cluster? Name one of ${problem.region} with --cluster NAME: ${someOf(problem.names, SHOWN)}.`;
    case 'sso':
      return `The AWS SSO session of profile ${problem.profile} has ended. Sign in again with "aws sso login --profile ${problem.profile}".`;
    case 'session-ended':
      return `The session of these AWS credentials${problem.profile === undefined ? '' : ` (profile ${problem.profile})`} has ended (${problem.why}). Sign in again, or renew AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.`;
    case 'no-credentials':
      return problem.profile === undefined
        ? `There are no AWS credentials (${problem.why}). Name a profile with --profile NAME, set AWS_PROFILE, or sign in with "aws sso login".`
        : `AWS profile ${problem.profile} gives no credentials (${problem.why}). "aws configure list-profiles" lists the profiles; name one with --profile NAME.`;
    case 'unreachable':
      return unreachable(problem);
    case 'no-access-entry':
      return `The API server of ${problem.cluster} does not know ${problem.who ?? 'these AWS credentials'} (401). ${letIn(problem)}, and bind that group to the ClusterRole that "belay check --permissions" prints. Or use another identity with --profile or --role.`;
    case 'no-rights':
      return `${problem.who ?? 'This identity'} may not read the nodes of ${problem.cluster} (${problem.why}). Bind the ClusterRole that "belay check --permissions" prints to ${problem.byAwsAuth === true ? 'its group in ConfigMap kube-system/aws-auth' : "its access entry's group; access policy AmazonEKSAdminViewPolicy is enough as well, but also lets it read Secrets"}.`;
    case 'no-versions':
      return `Which version? EKS did not say what it offers after ${problem.version} (${problem.why}). Name it with --target 1.34.`;
    case 'newest':
      return `${problem.cluster} is at ${problem.version}, and EKS offers nothing newer. To use a version anyway, name it with --target.`;
  }
}

function otherCluster({
  name,
  region,
  account,
  context,
  server,
  profile = 'NAME',
}: Extract<ClusterProblem, { kind: 'other-cluster' }>): string {
  const whose = context === undefined ? 'The kubeconfig' : `Context "${context}"`;
  return `${whose} is for another cluster than ${name} in ${region} of account ${account}, which these AWS credentials are for: its server is ${server}. Use credentials of its account with --profile ${profile}; if ${name} was created again since, run "aws eks update-kubeconfig --name ${name} --region ${region}"; or name the one in account ${account} with --cluster ${name} --region ${region}.`;
}

/** EKS refuses access entries while the authentication mode is CONFIG_MAP (EKS user guide, "Change authentication mode to use access entries"). */
function letIn({ cluster, region, byAwsAuth }: Extract<ClusterProblem, { kind: 'no-access-entry' }>): string {
  if (byAwsAuth === true)
    return `Its authentication mode is CONFIG_MAP: map the IAM role in ConfigMap kube-system/aws-auth, such as by "eksctl create iamidentitymapping --cluster ${cluster} --region ${region} --arn ROLE_ARN --group belay-readers"`;
  return `Give its IAM role an access entry: "aws eks create-access-entry --cluster-name ${cluster} --region ${region} --principal-arn ROLE_ARN --kubernetes-groups belay-readers"`;
}

const contextsThere = (contexts: readonly string[]): string =>
  contexts.length === 0
    ? 'There are none: write one with "aws eks update-kubeconfig --name NAME --region REGION", or name the cluster with --cluster NAME --region REGION.'
    : `Name one with --context NAME: ${someOf(contexts, SHOWN)}.`;

const placeText = ({ context, region, account }: KnownPlace): string =>
  `${region}${account === undefined ? '' : ` in account ${account}`} (--context ${context})`;

function notFound({ name, region, account, names, elsewhere }: Extract<ClusterProblem, { kind: 'not-found' }>): string {
  const close = typeof names === 'string' ? undefined : nearest(name, names);
  const there =
    typeof names === 'string'
      ? `Its clusters could not be listed (${names}).`
      : names.length === 0
        ? 'There are none.'
        : `There ${names.length === 1 ? 'is' : 'are'}: ${someOf(names, SHOWN)}.`;
  return [
    `No cluster ${name} in ${region}${account === undefined ? '' : ` of account ${account}`}.`,
    ...(close === undefined ? [] : [`Did you mean ${close}?`]),
    ...(elsewhere.length === 0 ? [] : [`Your kubeconfig has one in ${elsewhere.map(placeText).join(', ')}.`]),
    there,
    'To look elsewhere, use --region or --profile.',
  ].join(' ');
}

function unreachable({ cluster, isPublic, openTo, tunnel, why }: Extract<ClusterProblem, { kind: 'unreachable' }>): string {
  if (tunnel !== undefined)
    return `Could not reach the API server of ${cluster} through ${tunnel}, the server of the context (${why}). Start the tunnel, or leave the context out and name the cluster with --cluster.`;
  if (!isPublic)
    return `The API server of ${cluster} has only a private endpoint, which this machine cannot reach (${why}). Connect to the VPN of its VPC, run Belay inside the VPC, or name a context whose server is a tunnel with --context NAME.`;
  const some = openTo.length > 0 && !openTo.includes('0.0.0.0/0') ? ` EKS allows access only from ${someOf(openTo)}.` : '';
  return `Could not reach the API server of ${cluster} (${why}).${some} Check network, VPN and HTTPS_PROXY of this machine, or run Belay inside the VPC.`;
}
