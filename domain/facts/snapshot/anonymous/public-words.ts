/** What may stay in a snapshot without names: words of Kubernetes, AWS, Karpenter and Istio, which are the same on every cluster. Everything else is a name. */
import { LABEL_DOMAINS } from '../marks.ts';

/** Fields whose values are of a closed set, counts, times or versions, wherever they are in a line. */
export const PLAIN_FIELDS: ReadonlySet<string> = new Set(
  `acquireTime addressType amiFamily amiType appProtocol architecture attachmentLimitType authenticationMode availableReplicas capacityType category
  clusterType clusterVersion completionTime completions concurrencyPolicy consolidateAfter consolidationPolicy createdAt CreateTime creationTimestamp
  deletionTimestamp defaultPlatformVersion duration effect endOfExtendedSupportDate endOfStandardSupportDate endedAt expireAfter failurePolicy finishedAt
  fsType httpEndpoint httpProtocolIPv6 httpTokens imagePullPolicy instanceStorePolicy interval ipFamily KeyState kubeProxyVersion
  kubeletVersion kernelVersion kubernetesPatchVersion lastPodEventTime LastModifiedDate lastRefreshTime lastRequestTime lastScheduleTime
  lastSuccessfulTime lastTransitionTime LifecycleState matchPolicy maxSurge maxUnavailable medium minAvailable minor modifiedAt nodeAffinityPolicy nodes
  nodeTaintsPolicy operatingSystem operation operator osImage persistentVolumeReclaimPolicy phase platformVersion podManagementPolicy
  policy preemptionPolicy protocol qosClass QuotaCode QuotaName reclaimPolicy reinvocationPolicy releaseDate releaseVersion renewTime replacedWith
  restartPolicy schedule scope ServiceCode sideEffects sizeLimit startServingReplacementVersion startTime startedAt State status
  stopServingVersion subresource supportType terminationGracePeriod tier time timeAdded timeZone Type type unhealthyPodEvictionPolicy
  Unit updateStrategy usage versionStatus verbs volumeBindingMode volumeMode volumeType whenDeleted whenScaled whenUnsatisfiable
  addonVersion containerRuntimeVersion addonName addons computeTypes owner publisher`.split(/\s+/),
);

/** Fields in which people or services write sentences, in which anything may be named. */
export const FREE_TEXT: ReadonlySet<string> = new Set(['message', 'recommendation', 'configurationValues']);

/** Domains that every cluster may know, of label keys, API groups and registries; their subdomains as well. */
const PUBLIC_DOMAINS = [
  ...LABEL_DOMAINS,
  'k8s.aws',
  'amazon.com',
  'aws.amazon.com',
  'coreos.com',
  'nvidia.com',
  'intel.com',
  'external-secrets.io',
  'keda.sh',
  'kyverno.io',
  'gatekeeper.sh',
  'projectcalico.org',
  'cilium.io',
  'x-k8s.io',
  'docker.io',
  'quay.io',
  'ghcr.io',
  'gcr.io',
  'public.ecr.aws',
] as const;

export const isPublicDomain = (domain: string): boolean => PUBLIC_DOMAINS.some((each) => domain === each || domain.endsWith(`.${each}`));

/** Names that Kubernetes, EKS, Karpenter and Istio give to their own parts, and that are looked for by name. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  `kube-system kube-public kube-node-lease default kubernetes istio-system karpenter istio-ingress istio-operator coredns kube-dns kube-proxy aws-node vpc-cni
  aws-ebs-csi-driver aws-efs-csi-driver ebs-csi-controller ebs-csi-node efs-csi-controller efs-csi-node eks-pod-identity-agent metrics-server
  cluster-autoscaler amazon-k8s-cni amazon-k8s-cni-init amazon-cloudwatch-observability snapshot-controller eks-node-monitoring-agent istiod istio-proxy
  istio-init istio-cni istio-cni-node install-cni ztunnel proxyv2 pilot discovery controller manager istio istio-injection ingressgateway egressgateway
  istio-ingressgateway istio-eastwestgateway gateway sidecar waypoint enabled disabled ambient true false Helm helm eks aws system-cluster-critical
  system-node-critical default-scheduler general-purpose system http https http2 grpc tcp metrics health dns dns-tcp gp2 gp3 io1 io2 st1 sc1
  ebs.csi.aws.com efs.csi.aws.com Deployment StatefulSet DaemonSet ReplicaSet Job CronJob Node Pod NodePool NodeClaim EC2NodeClass NodeClass Namespace
  Service HelmRelease OCIRepository HelmRepository GitRepository Kustomization Application ApplicationSet Rollout PersistentVolumeClaim PersistentVolume
  PodDisruptionBudget Gateway GatewayClass HTTPRoute GRPCRoute Lease In NotIn Exists DoesNotExist Gt Lt amd64 arm64 linux windows spot on-demand reserved
  arn iam role cluster nodegroup addon fargateprofile key kms ec2 autoscaling secrets api audit authenticator controllerManager scheduler ami alias
  al2 al2023 bottlerocket windows2019 windows2022 windows2025 latest recommended image_id release_version ssm parameter optimized-ami standard
  amazon-linux-2 amazon-linux-2023 x86_64 apis namespaces pods nodes deployments statefulsets daemonsets replicasets services nodepools nodeclaims owner
  exec attach portforward resourceclaims status binding driver ClusterRole Role public-info-viewer anonymous unauthenticated ffff
  karpenter.sh/termination foregroundDeletion orphan aws-service apps batch policy autoscaling core v1 v1beta1 v1beta2 v1alpha1 v1alpha5 v2 None router
  ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod CREATE UPDATE DELETE CONNECT Underutilized Empty Drifted tag-key subnet-id group-id
  apiVersion revision service termination * instance-state-name pending running volume-type L-1216C47A L-D18FCD1D L-7A658B76 ebs amazon public.ecr.aws ebs-csi-driver NLB ALB addons none
  ingress-nginx cert-manager cert-manager-controller jetstack kedacore keda kyverno argoproj argocd`.split(/\s+/),
);

const PATTERNS: readonly RegExp[] = [
  /^[\d.]{1,11}(?:m|[kKMGTPE]i?|%|h|s|d)?$/,
  /^v?\d+\.\d+[\w.+-]*$/,
  /^\d{4}-\d\d-\d\dT/,
  // Regions, zones and their ids; types of instances.
  /^[a-z]{2}(?:-gov|-iso[a-z]?)?-(?:north|south|east|west|central|northeast|northwest|southeast|southwest)-\d(?:[a-z]|-[a-z]{3}-\d[a-z]?)?$/,
  /^[a-z]{3,4}\d-az\d$/,
  /^[a-z][a-z\d]*\d[a-z\d-]*\.(?:nano|micro|small|medium|metal|\d*x?large)(?:-\d+xl)?$/,
  /^page-\d+$/,
  // Revisions of Istio: "1-27", "1-27-3".
  /^1-\d{2}(?:-\d{1,2})?$/,
  /^v\d+$/,
  // Images that Amazon publishes.
  /^(?:amazon-eks|bottlerocket-aws|Windows_Server)[\w.-]*$/,
  /^$/,
];

/** The word of a field, or a part of one, that is no name. */
export const isPublicWord = (word: string): boolean => WELL_KNOWN.has(word) || PATTERNS.some((pattern) => pattern.test(word));

/** Programs that write objects. */
export const isPublicManager = (manager: string): boolean =>
  /^(?:kubectl|kube-|k3s|helm|argocd|flux|kustomize-controller|source-controller|Terraform|terraform|HashiCorp|eks|karpenter|istio|pilot|vpc|aws|ebs|cluster-autoscaler|manager$|controller$|before-first-apply$|Go-http-client$)/.test(
    manager,
  );
