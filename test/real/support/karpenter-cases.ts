/** Manifests of v1beta1 with what Karpenter's own examples do not have. */
import type { SourceFile } from '../../../cli/migrate/handmade.ts';

const TERMS = `
  role: nodes
  subnetSelectorTerms: [{ id: subnet-12345678 }, { tags: { tier: private } }]
  securityGroupSelectorTerms: [{ name: nodes }]`;

const nodeClass = (name: string, spec: string, annotations = '{}'): string => `---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: { name: ${name}, annotations: ${annotations} }
spec:${TERMS}
${spec}
`;

const nodePool = (name: string, template: string, disruption = ''): string => `---
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: ${name}, labels: { team: shop } }
spec:
  weight: 7
  limits: { cpu: 100, memory: 1000Gi }
${disruption}
  template:
    metadata:
      labels: { team: shop }
      annotations: { example.com/owner: shop }
    spec:
      requirements: [{ key: karpenter.k8s.aws/instance-family, operator: In, values: [c7g, m7g], minValues: 2 }]
      taints: [{ key: gpu, effect: NoSchedule }]
      startupTaints: [{ key: node.cilium.io/agent-not-ready, effect: NoExecute }]
${template}
`;

const BUDGETS = `  disruption:
    consolidationPolicy: WhenUnderutilized
    expireAfter: Never
    budgets: [{ nodes: 20% }, { nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h }]`;

export const HARD: readonly SourceFile[] = [
  {
    path: 'kubelet settings, a full reference, budgets',
    text:
      nodePool(
        'a',
        `      nodeClassRef: { apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: a }
      kubelet:
        maxPods: 42
        clusterDNS: [10.0.1.100]
        systemReserved: { cpu: 100m, memory: 100Mi }
        evictionHard: { memory.available: 5% }
        evictionSoft: { nodefs.available: 10% }
        evictionSoftGracePeriod: { nodefs.available: 1m30s }
        imageGCHighThresholdPercent: 85
        imageGCLowThresholdPercent: 80
        cpuCFSQuota: true`,
        BUDGETS,
      ) + nodeClass('a', '  amiFamily: AL2023'),
  },
  {
    path: 'empty nodes only, after hours',
    text:
      nodePool(
        'b',
        '      nodeClassRef: { name: b }',
        '  disruption: { consolidationPolicy: WhenEmpty, consolidateAfter: 1h30m, expireAfter: 90m }',
      ) + nodeClass('b', '  amiFamily: Bottlerocket\n  metadataOptions: { httpTokens: optional }'),
  },
  {
    path: 'a release that v1 had pinned',
    text: nodeClass('c', '  amiFamily: AL2', '{ compatibility.karpenter.k8s.aws/v1-alias-version: v20240807 }'),
  },
  {
    path: 'a profile, volumes, AMIs by name and owner',
    text: nodeClass(
      'd',
      `  amiFamily: AL2
  amiSelectorTerms: [{ name: my-ami-*, owner: self }, { tags: { team: shop } }]
  blockDeviceMappings: [{ deviceName: /dev/xvda, rootVolume: true, ebs: { volumeSize: 100Gi, volumeType: gp3, iops: 3000, throughput: 125 } }]
  associatePublicIPAddress: true
  detailedMonitoring: true
  instanceStorePolicy: RAID0
  context: some-context
  tags: { team: shop }`,
    ).replace('role: nodes', 'instanceProfile: nodes'),
  },
  {
    path: 'Ubuntu with AMIs and volumes of its own',
    text: nodeClass(
      'e',
      `  amiFamily: Ubuntu
  amiSelectorTerms: [{ id: ami-0123 }]
  blockDeviceMappings: [{ deviceName: /dev/sda1, ebs: { volumeSize: 50Gi } }]`,
    ),
  },
];
