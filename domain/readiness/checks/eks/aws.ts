/** What the control plane and new nodes need from AWS around EKS. */
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, check, type Look, type Resource } from '../../model/check.ts';
import { quotaOfInstance, STANDARD_ON_DEMAND } from '../../../tables/instance-quotas.ts';
import type { NodeSeen, Quota, Subnet } from '../../model/evidence.ts';

const REQUIREMENTS = 'https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html';
/** EKS places interfaces in at least two zones and asks for five free addresses in a subnet. */
const CLUSTER_FREE = 5;
const CLUSTER_ZONES = 2;
/** For nodes and pods: as eksup judges. */
const FEW = 30;
const SCARCE = 100;
const NONE = {
  nodes: 'No node group, Fargate profile or EC2NodeClass names subnets; those of self-managed nodes and Auto Mode are not looked at.',
  pods: 'No subnet is for pods alone.',
};
const QUOTA_FULL = 0.9;
const QUOTA_TIGHT = 0.8;

const resourceOf = ({ id, zone, freeIps, gone }: Subnet): Resource => ({
  kind: 'Subnet',
  name: id,
  note: gone === true ? 'gone' : `${freeIps} free in ${zone}`,
});

/** Free addresses of all subnets that have a use. */
function addresses(subnets: readonly Subnet[], use: 'nodes' | 'pods'): Look {
  const own = subnets.filter(({ uses }) => uses.includes(use));
  if (own.length === 0) return { pass: NONE[use] };
  const free = own.reduce((sum, { freeIps }) => sum + freeIps, 0);
  if (free >= SCARCE) return { pass: `${free} addresses are free for ${use}.` };
  return {
    fail: `Only ${count(free, 'address')} ${agree(free, 'is', 'are')} free for ${use}: replacements start beside what they replace.`,
    severity: free < FEW ? 'required' : 'recommended',
    resources: own.map(resourceOf),
  };
}

function quotaCheck(code: string, quotaCode: string, what: string): Check {
  return check({
    code,
    area: 'AWS',
    title: `The quota for ${what} has room`,
    severity: 'recommended',
    reads: ['quotas'],
    remediation: 'Raise it in Service Quotas first.',
    source: 'https://docs.aws.amazon.com/servicequotas/latest/userguide/intro.html',
    look({ quotas }) {
      const quota = quotas.find(({ code: each }) => each === quotaCode);
      return quota === undefined ? { unknown: `Service Quotas has no ${quotaCode} in this region.` } : judge(quota);
    },
  });
}

function judge({ code, name, limit, used, unit }: Quota): Look {
  const share = limit === 0 ? 1 : used / limit;
  const text = `${Math.round(used)} of ${limit} ${unit} (${Math.round(share * 100)} %)`;
  if (share < QUOTA_TIGHT) return { pass: `${name}: ${text}.` };
  return {
    fail: `${name}: ${text} are in use.`,
    severity: share >= QUOTA_FULL ? 'required' : 'recommended',
    resources: [{ kind: 'Quota', name: code, note: text }],
  };
}

/** For quotas of Spot and of accelerated instances: whether one more of the largest instance that the cluster has there may run. */
function roomForReplacements(nodes: readonly NodeSeen[], quotas: readonly Quota[]): Look[] {
  /** vCPUs; 0: no node says how many it has. */
  const largestByQuota = new Map<string, number>();
  for (const { instance } of nodes) {
    if (instance === undefined) continue;
    const code = quotaOfInstance(instance.type, instance.spot);
    if (code === undefined || code === STANDARD_ON_DEMAND) continue;
    largestByQuota.set(code, Math.max(largestByQuota.get(code) ?? 0, instance.vcpus ?? 0));
  }
  if (largestByQuota.size === 0) return [{ pass: 'No node is a Spot or accelerated instance.' }];
  const full: Resource[] = [];
  const unseen: string[] = [];
  for (const [code, largest] of largestByQuota) {
    const quota = quotas.find((each) => each.code === code);
    if (quota === undefined || largest === 0) unseen.push(code);
    else if (quota.limit - quota.used < largest) {
      const note = `${quota.name}: ${quota.used} of ${quota.limit} vCPU, one instance takes ${largest}`;
      full.push({ kind: 'Quota', name: code, note });
    }
  }
  const seen = largestByQuota.size - unseen.length;
  return [
    ...(full.length === 0
      ? []
      : [{ fail: `No room for one more instance under ${someOf(full.map(({ name }) => name))}.`, resources: full }]),
    ...(unseen.length === 0
      ? []
      : [{ unknown: `It is unknown whether ${someOf(unseen)} ${agree(unseen.length, 'has', 'have')} room for one more instance.` }]),
    ...(full.length + unseen.length > 0
      ? []
      : [{ pass: `${count(seen, 'quota')} of Spot and accelerated instances ${agree(seen, 'has', 'have')} room for a replacement.` }]),
  ];
}

export const awsChecks: readonly Check[] = [
  check({
    code: 'AWS001',
    area: 'AWS',
    title: 'Cluster subnets exist and have free addresses',
    severity: 'required',
    reads: ['subnets'],
    remediation: 'Free addresses, or add subnets (UpdateClusterConfig, resourcesVpcConfig).',
    source: REQUIREMENTS,
    look({ subnets }) {
      const own = subnets.filter(({ uses }) => uses.includes('cluster'));
      const zones = new Set(own.filter(({ freeIps }) => freeIps >= CLUSTER_FREE).map(({ zone }) => zone));
      const gone = own.filter((subnet) => subnet.gone === true);
      // EKS user guide, "Update existing cluster": with one of them deleted the update can fail, whatever the others have.
      if (gone.length > 0)
        return {
          fail: `Gone: ${someOf(gone.map(({ id }) => id))}.`,
          remediation:
            'Name subnets that exist on the cluster (UpdateClusterConfig, resourcesVpcConfig): updates fail with SubnetNotFound.',
          resources: own.map(resourceOf),
        };
      if (zones.size >= CLUSTER_ZONES)
        return { pass: `Subnets in ${count(zones.size, 'zone')} have ${CLUSTER_FREE} free addresses or more.` };
      return {
        fail: `${zones.size === 0 ? 'No zone has' : `Only ${count(zones.size, 'zone')} has`} ${CLUSTER_FREE} free addresses; EKS needs ${CLUSTER_ZONES} that have.`,
        resources: own.map(resourceOf),
      };
    },
  }),
  check({
    code: 'AWS002',
    area: 'AWS',
    title: 'Node subnets have free addresses',
    severity: 'recommended',
    reads: ['subnets'],
    remediation: 'Free some, or add subnets to node groups and node classes.',
    source: REQUIREMENTS,
    look: ({ subnets }) => addresses(subnets, 'nodes'),
  }),
  check({
    code: 'AWS003',
    area: 'AWS',
    title: 'Pod subnets have free addresses',
    severity: 'recommended',
    reads: ['subnets'],
    remediation: 'Free addresses, or add an ENIConfig with a larger subnet.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/cni-custom-network.html',
    look: ({ subnets }) => addresses(subnets, 'pods'),
  }),
  check({
    code: 'AWS004',
    area: 'AWS',
    title: 'The cluster’s security groups exist',
    severity: 'required',
    reads: ['securityGroups'],
    remediation: 'Recreate them, or remove them from the cluster: updates fail with SecurityGroupNotFound.',
    source: REQUIREMENTS,
    look({ securityGroups }) {
      const gone = securityGroups.filter(({ present }) => !present).map(({ id }) => id);
      if (gone.length === 0) return { pass: 'Every security group of the cluster is there.' };
      return { fail: `Gone: ${someOf(gone)}.`, resources: gone.map((name) => ({ kind: 'SecurityGroup', name })) };
    },
  }),
  check({
    code: 'AWS005',
    area: 'AWS',
    title: 'The cluster’s IAM role exists',
    severity: 'required',
    reads: ['clusterRole'],
    remediation: 'Recreate it with the same name and AmazonEKSClusterPolicy.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/cluster-iam-role.html',
    look({ clusterRole: { name, present } }) {
      return present ? { pass: `Role ${name} is there.` } : { fail: `Role ${name} is gone.`, resources: [{ kind: 'IAMRole', name }] };
    },
  }),
  check({
    code: 'AWS006',
    area: 'AWS',
    title: 'The key for Secrets is usable',
    severity: 'required',
    reads: ['encryptionKey'],
    remediation: 'Enable it, or cancel its deletion: without it the API server cannot read Secrets.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/enable-kms.html',
    look({ encryptionKey: key }) {
      if (key === 'none') return { pass: 'Secrets are encrypted with no key of yours.' };
      if (key.state === 'Enabled') return { pass: `Key ${key.id} is enabled.` };
      return { fail: `Key ${key.id} is ${key.state}.`, resources: [{ kind: 'KMSKey', name: key.id, note: key.state }] };
    },
  }),
  quotaCheck('AWS007', STANDARD_ON_DEMAND, 'on-demand standard instances'),
  quotaCheck('AWS008', 'L-D18FCD1D', 'gp2 volumes'),
  quotaCheck('AWS009', 'L-7A658B76', 'gp3 volumes'),
  check({
    code: 'AWS010',
    area: 'AWS',
    title: 'Quotas for Spot and accelerated instances have room for a replacement',
    severity: 'required',
    reads: ['instanceQuotas', 'nodes'],
    remediation:
      'Raise them in Service Quotas first, or end instances of the same kind. Node groups with update strategy MINIMAL need no room.',
    source: 'https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html',
    look: ({ instanceQuotas, nodes }) => roomForReplacements(nodes, instanceQuotas),
  }),
];
