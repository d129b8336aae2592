/** Nodes: versions, images, runtimes, who owns them. */
import { AL2_SEVERITY, isAl2Group } from '../../../facts/amazon-linux-2.ts';
import { isWell } from '../../../facts/resource-health.ts';
import { compareKubernetesVersions, formatKubernetesVersion, type KubernetesVersion, tryKubernetesVersion } from '../../../core/version.ts';
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, check, type Resource, unlessAny } from '../../model/check.ts';
import type { LaunchTemplateUse, NodeSeen } from '../../model/evidence.ts';
import { lagsTooFar } from '../../../facts/version-skew.ts';

const SKEW = 'https://kubernetes.io/releases/version-skew-policy/';
const OUTSIDE: Partial<Record<NodeSeen['owner'], string>> = {
  'self-managed': 'self-managed nodes are replaced by their own Auto Scaling group: an upgrade asks for that and waits',
  fargate: 'Fargate nodes come with their pods: an upgrade restarts the owners, after the control plane has moved',
  hybrid: 'hybrid nodes stay as they are: upgrade them with nodeadm',
};

/** By what the node calls its system: the kernel's cgroup version is nowhere in the API. */
const CGROUP_V1 = /^(?:Amazon Linux 2(?!0)|Ubuntu (?:18|20)\.|(?:Red Hat Enterprise Linux|CentOS Linux) [78]\b)/;
const CGROUP_V2 = /^(?:Amazon Linux 20\d\d|Bottlerocket|Ubuntu 2[2-9]\.|Red Hat Enterprise Linux (?:9|1\d)\b|Windows)/;
/** AWS replaces these by itself. */
const ofAws = ({ owner }: NodeSeen): boolean => owner === 'fargate' || owner === 'auto-mode';

const nodeResource = ({ name }: NodeSeen, note: string): Resource => ({ kind: 'Node', name, note });

function drifted(uses: readonly LaunchTemplateUse[], kind: LaunchTemplateUse['usedBy']['kind']): Resource[] {
  return uses
    .filter(({ usedBy, version, latest }) => usedBy.kind === kind && version !== latest)
    .map(({ usedBy, template, version, latest }) => ({
      kind,
      name: usedBy.name,
      note: `${template} version ${version}, the newest is ${latest}`,
    }));
}

const templateDrift = (code: string, kind: LaunchTemplateUse['usedBy']['kind'], what: string): Check =>
  check({
    code,
    area: 'EKS',
    title: `${what} use their newest launch template version`,
    severity: 'recommended',
    reads: ['launchTemplates'],
    remediation: 'Review what changed: a node update brings it along.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html',
    look({ launchTemplates }) {
      const behind = drifted(launchTemplates, kind);
      return behind.length === 0
        ? { pass: 'None has changes that wait.' }
        : { fail: `${count(behind.length, 'launch template')} with changes that wait.`, resources: behind };
    },
  });

/** Kubelets that a control plane at this minor would not take. */
function outOfRange(nodes: readonly NodeSeen[], controlPlane: KubernetesVersion): Resource[] {
  return nodes.flatMap((node): Resource[] => {
    const kubelet = tryKubernetesVersion(node.kubelet);
    if (kubelet === undefined) return [nodeResource(node, `kubelet "${node.kubelet}" cannot be read`)];
    const fits = compareKubernetesVersions(kubelet, controlPlane) <= 0 && !lagsTooFar(kubelet, controlPlane);
    return fits ? [] : [nodeResource(node, `kubelet ${formatKubernetesVersion(kubelet)}`)];
  });
}

export const nodeChecks: readonly Check[] = [
  check({
    code: 'EKS009',
    area: 'EKS',
    title: 'Node groups are ACTIVE without health issues',
    severity: 'required',
    reads: ['nodeGroups'],
    remediation: 'Repair the node groups, or delete unneeded ones.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#troubleshoot-managed-node-groups',
    look({ nodeGroups }) {
      const sick = nodeGroups.filter((group) => !isWell(group));
      if (sick.length === 0) return { pass: `${count(nodeGroups.length, 'node group')} without issues.` };
      return {
        fail: `${count(sick.length, 'node group')} with issues.`,
        resources: sick.map(({ name, status, healthIssues }) => ({
          kind: 'NodeGroup',
          name,
          note: [status, ...healthIssues.map(({ code }) => code)].join(', '),
        })),
      };
    },
  }),
  check({
    code: 'EKS010',
    area: 'EKS',
    title: 'No node group is on Amazon Linux 2',
    severity: AL2_SEVERITY,
    reads: ['nodeGroups'],
    remediation: 'Create an Amazon Linux 2023 node group and drain the old one: an AMI type cannot be changed.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html',
    look({ nodeGroups }) {
      const old = nodeGroups.filter(isAl2Group);
      if (old.length === 0) return { pass: 'No node group is on Amazon Linux 2.' };
      return {
        fail: `${count(old.length, 'node group')} on Amazon Linux 2, which has no images from 1.33 on.`,
        resources: old.map(({ name, amiType }) => ({ kind: 'NodeGroup', name, note: amiType })),
      };
    },
  }),
  templateDrift('EKS023', 'NodeGroup', 'Node groups'),
  templateDrift('EKS024', 'AutoScalingGroup', 'Self-managed Auto Scaling groups'),
  check({
    code: 'EKS025',
    area: 'EKS',
    title: 'Every node belongs to a node group, Karpenter or Auto Mode',
    severity: 'recommended',
    reads: ['nodes'],
    remediation: 'Plan time to replace the others; they work up to three minors behind.',
    source: SKEW,
    look({ nodes }) {
      const left = nodes.filter(({ owner }) => OUTSIDE[owner] !== undefined);
      if (left.length === 0) return { pass: 'Every node belongs to a node group, to Karpenter or to Auto Mode.' };
      const owners = [...new Set(left.map(({ owner }) => OUTSIDE[owner]))];
      return {
        fail: `${count(left.length, 'node')} outside of node groups and Karpenter: ${owners.join('; ')}.`,
        resources: left.map((node) => nodeResource(node, node.owner)),
      };
    },
  }),
  check({
    code: 'EKS030',
    area: 'EKS',
    title: 'Fargate profiles are ACTIVE',
    severity: 'recommended',
    reads: ['fargateProfiles'],
    remediation: 'Repair or delete it: otherwise restarted pods find no node.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/fargate-profile.html',
    look({ fargateProfiles }) {
      const off = fargateProfiles.filter(({ status }) => status !== 'ACTIVE');
      return unlessAny(
        off.map(({ name, status }) => ({ kind: 'FargateProfile', name, note: status })),
        fargateProfiles.length === 0 ? 'There is no Fargate profile.' : 'Every Fargate profile is ACTIVE.',
        `${count(off.length, 'Fargate profile')} not ACTIVE.`,
      );
    },
  }),
  check({
    code: 'K8S001',
    area: 'Kubernetes',
    title: 'Kubelets stay within three minors of the control plane',
    severity: 'required',
    reads: ['nodes'],
    remediation: 'Replace these nodes before the control plane moves that far.',
    source: SKEW,
    look({ nodes }, { target, hops: [next = target] }) {
      const now = outOfRange(nodes, next);
      if (now.length > 0) {
        const at = formatKubernetesVersion(next);
        return { fail: `${count(now.length, 'node')} out of range with the control plane at ${at}.`, resources: now };
      }
      const later = outOfRange(nodes, target);
      const to = formatKubernetesVersion(target);
      if (later.length === 0) return { pass: `All kubelets may serve a control plane at ${to}.` };
      return {
        fail: `${count(later.length, 'node')} to be replaced on the way: out of range with the control plane at ${to}.`,
        severity: 'recommended',
        remediation: 'Nothing to do: the plan replaces nodes before the control plane moves that far.',
        resources: later,
      };
    },
  }),
  check({
    code: 'K8S042',
    area: 'Kubernetes',
    title: 'Nodes are at the control plane’s minor',
    severity: 'recommended',
    reads: ['nodes'],
    remediation: 'Finish the last upgrade, or roll nodes once for several minors: kubelets may be three behind.',
    source: SKEW,
    look({ nodes }, { from }) {
      const behind = nodes.flatMap((node): Resource[] => {
        const kubelet = tryKubernetesVersion(node.kubelet);
        if (kubelet === undefined || compareKubernetesVersions(kubelet, from) >= 0) return [];
        return [nodeResource(node, `kubelet ${formatKubernetesVersion(kubelet)}`)];
      });
      const at = formatKubernetesVersion(from);
      return unlessAny(behind, `No node is behind ${at}.`, `${count(behind.length, 'node')} behind the control plane at ${at}.`);
    },
  }),
  check({
    code: 'K8S034',
    area: 'Kubernetes',
    title: 'Nodes have cgroup v2',
    severity: [
      { from: '1.31', severity: 'recommended' },
      { from: '1.35', severity: 'required' },
    ],
    reads: ['nodes'],
    remediation: 'Move to Amazon Linux 2023 or Bottlerocket: from 1.35 kubelets do not start on cgroup v1.',
    source: 'https://kubernetes.io/docs/concepts/architecture/cgroups/#deprecation-of-cgroup-v1',
    look({ nodes }) {
      const judged = nodes.filter((node) => !ofAws(node));
      const old = judged.filter(({ osImage }) => CGROUP_V1.test(osImage));
      const blind = judged.filter(({ osImage }) => !CGROUP_V1.test(osImage) && !CGROUP_V2.test(osImage));
      const resources = old.map((node) => nodeResource(node, node.osImage));
      if (old.length > 0) return { fail: `${count(old.length, 'node')} whose system has cgroup v1.`, resources };
      if (blind.length === 0) return { pass: 'Every node’s system has cgroup v2.' };
      const systems = [...new Set(blind.map(({ osImage }) => osImage))];
      return {
        unknown: `Whether ${someOf(systems)} ${agree(systems.length, 'has', 'have')} cgroup v2 is not known to this release of Belay.`,
        remediation: 'Run stat -fc %T /sys/fs/cgroup on such a node: cgroup2fs is what is needed.',
      };
    },
  }),
  check({
    code: 'K8S038',
    area: 'Kubernetes',
    title: 'Nodes run containerd 2',
    // Never required: a kubelet keeps the containerd of its image, and serves a newer control plane with it as long as its skew allows.
    severity: [{ from: '1.35', severity: 'recommended' }],
    reads: ['nodes'],
    remediation:
      'Nothing to do for Amazon’s AMIs: from 1.34 they have containerd 2. Build your own with it before their kubelets are of 1.38.',
    source: 'https://kubernetes.dev/resources/keps/4033',
    look({ nodes }) {
      const old = nodes.filter((node) => !ofAws(node) && node.runtime.startsWith('containerd://1.'));
      if (old.length === 0) return { pass: 'No node runs containerd 1.' };
      return {
        fail: `${count(old.length, 'node')} with containerd 1, which kubelets of 1.38 and newer do not speak to.`,
        resources: old.map((node) => nodeResource(node, node.runtime)),
      };
    },
  }),
];
