/** Public documents and public source code that beliefs come from. */

export interface Source {
  title: string;
  url: string;
}

const code = (repository: string, path: string): Source => ({
  title: `${repository} ${path}`,
  url: `https://github.com/${repository}/blob/HEAD/${path}`,
});
const page = (title: string, url: string): Source => ({ title, url });
const userGuide = (title: string, name: string): Source =>
  page(`EKS User Guide, ${title}`, `https://docs.aws.amazon.com/eks/latest/userguide/${name}.html`);
const model = (service: string, version: string): Source => code('boto/botocore', `botocore/data/${service}/${version}/service-2.json.gz`);

export const SOURCES = {
  eksModel: model('eks', '2017-11-01'),
  ec2Model: model('ec2', '2016-11-15'),
  autoScalingModel: model('autoscaling', '2011-01-01'),
  stsModel: model('sts', '2011-06-15'),
  iamModel: model('iam', '2010-05-08'),
  ssmModel: model('ssm', '2014-11-06'),
  kmsModel: model('kms', '2014-11-01'),
  quotaAnswer: page(
    'AWS CLI Reference, get-service-quota',
    'https://docs.aws.amazon.com/cli/latest/reference/service-quotas/get-service-quota.html',
  ),
  usageMetrics: page(
    'CloudWatch User Guide, AWS usage metrics',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Service-Quota-Integration.html',
  ),
  eksUpdates: userGuide('Update existing cluster to new Kubernetes version', 'update-cluster'),
  eksRollback: userGuide('Rollback cluster to previous Kubernetes version', 'rollback-cluster'),
  eksAutoModeRollback: userGuide('Rollback EKS Auto Mode clusters', 'rollback-automode'),
  eksRollbackPractice: page(
    'EKS Best Practices, Cluster Version Rollback',
    'https://docs.aws.amazon.com/eks/latest/best-practices/rollback-cluster-upgrades.html',
  ),
  eksNodeUpdates: userGuide('Understand each phase of node updates', 'managed-node-update-behavior'),
  eksInsights: userGuide('Prepare for Kubernetes version upgrades with cluster insights', 'cluster-insights'),
  eksAddOns: userGuide('Amazon EKS add-ons', 'eks-add-ons'),
  eksUpdateAddOn: userGuide('Update an Amazon EKS add-on', 'updating-an-add-on'),
  eksImages: userGuide('Retrieve recommended Amazon Linux AMI IDs', 'retrieve-ami-id'),
  eksRoleOfAccount: userGuide('Assign IAM roles to Kubernetes service accounts', 'associate-service-account-role'),
  eksAutoMode: userGuide('EKS Auto Mode', 'automode'),
  terraformAddOn: code('hashicorp/terraform-provider-aws', 'internal/service/eks/addon.go'),
  terraformRoleIssue: page('terraform-provider-aws #19402', 'https://github.com/hashicorp/terraform-provider-aws/issues/19402'),
  authenticator: code('kubernetes-sigs/aws-iam-authenticator', 'pkg/token/token.go'),
  signedRequests: page(
    'IAM User Guide, Create a signed AWS API request',
    'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html',
  ),
  kubernetesEviction: code('kubernetes/kubernetes', 'pkg/registry/core/pod/storage/eviction.go'),
  kubernetesPatch: code('kubernetes/kubernetes', 'staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go'),
  kubernetesStore: code('kubernetes/kubernetes', 'staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go'),
  kubernetesConcepts: page('Kubernetes, API Concepts', 'https://kubernetes.io/docs/reference/using-api/api-concepts/'),
  kubernetesConventions: code('kubernetes/community', 'contributors/devel/sig-architecture/api-conventions.md'),
  kubernetesSkew: page('Kubernetes, Version Skew Policy', 'https://kubernetes.io/releases/version-skew-policy/'),
  kubernetesHealth: page('Kubernetes API health endpoints', 'https://kubernetes.io/docs/reference/using-api/health-checks/'),
  kubernetesDeployments: page('Kubernetes, Deployments', 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/'),
  kubernetesBudgets: page('Kubernetes, Disruptions', 'https://kubernetes.io/docs/concepts/workloads/pods/disruptions/'),
  karpenterPool: code('kubernetes-sigs/karpenter', 'pkg/apis/v1/nodepool.go'),
  karpenterBudgets: code('kubernetes-sigs/karpenter', 'pkg/controllers/disruption/helpers.go'),
  karpenterQueue: code('kubernetes-sigs/karpenter', 'pkg/controllers/provisioning/scheduling/queue.go'),
  karpenterFewAtATime: page('karpenter #1350', 'https://github.com/kubernetes-sigs/karpenter/issues/1350'),
  karpenterDrift: code('kubernetes-sigs/karpenter', 'pkg/controllers/nodeclaim/disruption/drift.go'),
  karpenterExpiration: code('kubernetes-sigs/karpenter', 'pkg/controllers/nodeclaim/expiration/controller.go'),
  karpenterState: code('kubernetes-sigs/karpenter', 'pkg/controllers/state/statenode.go'),
  karpenterClass: code('aws/karpenter-provider-aws', 'pkg/apis/v1/ec2nodeclass.go'),
  karpenterClassDrift: code('aws/karpenter-provider-aws', 'pkg/cloudprovider/drift.go'),
  karpenterAl2023: code('aws/karpenter-provider-aws', 'pkg/providers/amifamily/al2023.go'),
  karpenterDisruption: code('aws/karpenter-provider-aws', 'website/content/en/preview/concepts/disruption.md'),
  karpenterUpgrades: page('Karpenter, Upgrade Guide', 'https://karpenter.sh/docs/upgrading/upgrade-guide/'),
  karpenterPools: code('aws/karpenter-provider-aws', 'website/content/en/preview/concepts/nodepools.md'),
  istioUpgrade: page('Istio, Canary Upgrades', 'https://istio.io/latest/docs/setup/upgrade/canary/'),
  istioInjection: page('Istio, Installing the Sidecar', 'https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/'),
  istioSupport: page('Istio, Supported Releases', 'https://istio.io/latest/docs/releases/supported-releases/'),
  istioDebug: code('istio/istio', 'pilot/pkg/xds/debug.go'),
  istioTags: code('istio/istio', 'istioctl/pkg/tag/generate.go'),
  fluxHelmRelease: code('fluxcd/helm-controller', 'docs/spec/v2/helmreleases.md'),
  fluxController: code('fluxcd/helm-controller', 'internal/controller/helmrelease_controller.go'),
  fluxKustomization: page('Flux, Kustomizations', 'https://fluxcd.io/flux/components/kustomize/kustomizations/'),
  argoTypes: code('argoproj/argo-cd', 'pkg/apis/application/v1alpha1/types.go'),
  argoSync: code('argoproj/argo-cd', 'controller/sync.go'),
  argoClusters: code('argoproj/argo-cd', 'util/db/cluster.go'),
  eksArgoClusters: page(
    'Amazon EKS, Register target clusters',
    'https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html',
  ),
  argoAutoSync: page('Argo CD, Automated Sync Policy', 'https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/'),
  argoTracking: page('Argo CD, Resource Tracking', 'https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/'),
  argoDiffing: page('Argo CD, Diff Customization', 'https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/'),
  slackAck: page('Slack, Acknowledging requests', 'https://docs.slack.dev/tools/bolt-js/concepts/acknowledge'),
  slackInteraction: page('Slack, Handling user interaction', 'https://docs.slack.dev/interactivity/handling-user-interaction/'),
  slackBlocks: page('Slack, Blocks', 'https://docs.slack.dev/reference/block-kit/blocks'),
  slackSigning: page('Slack, Verifying requests', 'https://docs.slack.dev/authentication/verifying-requests-from-slack/'),
  slackEvents: page('Slack, The Events API', 'https://docs.slack.dev/apis/events-api/'),
  slackLimits: page('Slack, Rate limits', 'https://docs.slack.dev/apis/web-api/rate-limits'),
  slackUser: page('Slack, User object', 'https://docs.slack.dev/reference/objects/user-object/'),
} satisfies Record<string, Source>;

export type SourceId = keyof typeof SOURCES;
