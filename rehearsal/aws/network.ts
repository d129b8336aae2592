/** What lies around a cluster in its account: subnets, security groups, launch templates. A scenario or a test changes one thing. */

export interface Subnet {
  id: string;
  /** ap-northeast-1a */
  zone: string;
  /** apne1-az1: the same for all accounts. */
  zoneId: string;
  cidr: string;
  freeAddresses: number;
}

export interface LaunchTemplate {
  id: string;
  name: string;
  defaultVersion: number;
  /** An image of one's own decides the kubelet: an id, or `resolve:ssm:` and a parameter. */
  versions: { number: number; imageId?: string; description?: string; token?: string; userData?: string }[];
  tags?: Record<string, string>;
}

/** An Auto Scaling group of one's own: its nodes are self-managed. */
export interface AutoScalingGroup {
  name: string;
  size: number;
  /** `version`: a number, $Latest or $Default. */
  launchTemplate: { id: string; version: string };
  tags?: Record<string, string>;
  /** Upper bound of its instance maintenance policy. */
  maxHealthyPercent?: number;
  /** Ids of its instances where their nodes do not say whose they are. */
  instances?: string[];
  hooks?: LifecycleHook[];
  /** Newest last. */
  refreshes?: InstanceRefresh[];
  /** Instances in Terminating:Wait, by their nodes. `sinceMs`: of the newest heartbeat. */
  leaving?: { node: string; heldAtMs: number; sinceMs: number }[];
}

export interface LifecycleHook {
  name: string;
  transition: 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';
  heartbeatSeconds: number;
  defaultResult: 'CONTINUE' | 'ABANDON';
}

export interface InstanceRefresh {
  id: string;
  /** As Auto Scaling names them. */
  status:
    | 'Pending'
    | 'InProgress'
    | 'Successful'
    | 'Failed'
    | 'Cancelling'
    | 'Cancelled'
    | 'RollbackInProgress'
    | 'RollbackFailed'
    | 'RollbackSuccessful';
  reason?: string;
  launchTemplate: { id: string; version: string };
  /** The request named the launch template: the group takes it over at the end, and a rollback is possible. */
  desired: boolean;
  startedAtMs: number;
  endedAtMs?: number;
  /** Instances that it has to replace; absent: it has not looked yet. */
  toUpdateCount?: number;
  percentComplete: number;
  preferences: {
    minHealthyPercent: number;
    maxHealthyPercent: number;
    skipMatching: boolean;
    checkpoints: number[];
    checkpointDelaySeconds: number;
  };
  /** It rests at a checkpoint until then; those that it has passed. */
  restsUntilMs?: number;
  passed?: number[];
}

/** A volume beside the nodes' own. */
export interface DataVolume {
  id: string;
  type: 'gp2' | 'gp3';
  sizeGib: number;
  zone: string;
}

export interface Network {
  vpcId: string;
  cidr: string;
  subnets: Subnet[];
  securityGroups: { id: string; name: string; description: string }[];
  launchTemplates: LaunchTemplate[];
  autoScalingGroups: AutoScalingGroup[];
  volumes: DataVolume[];
  /** Where the numbers in its instances' ids begin; 0 where absent. */
  instancesFrom?: number;
  /** Values of service quotas by code, where they are not the usual ones. */
  quotas: Record<string, number>;
}

/** The region's zones that the twin has. */
export const zonesIn = (region: string): string[] => ['a', 'b', 'c'].map((letter) => `${region}${letter}`);

/** apne1 of ap-northeast-1. */
const shortRegion = (region: string): string => {
  const [area = '', direction = '', number = ''] = region.split('-');
  const compass = /^(north|south)?(east|west)?$/.exec(direction);
  const short = compass?.[0] ? `${compass[1]?.[0] ?? ''}${compass[2]?.[0] ?? ''}` : direction[0];
  return `${area}${short}${number}`;
};

/** Three subnets with room, and the two security groups that EKS knows of. */
export function defaultNetwork({ name, region }: { name: string; region: string }): Network {
  const ids = ['subnet-0a11aa11aa11aa11a', 'subnet-0b22bb22bb22bb22b', 'subnet-0c33cc33cc33cc33c'];
  return {
    vpcId: 'vpc-0f66ff66ff66ff66f',
    cidr: '10.0.0.0/16',
    subnets: zonesIn(region).map((zone, index) => ({
      id: ids[index] ?? '',
      zone,
      zoneId: `${shortRegion(region)}-az${index + 1}`,
      cidr: `10.0.${16 * (index + 1)}.0/20`,
      freeAddresses: 3_876 - 117 * index,
    })),
    securityGroups: [
      { id: 'sg-0d44dd44dd44dd44d', name: `${name}-control-plane`, description: `Control plane of ${name}` },
      {
        id: 'sg-0e55ee55ee55ee55e',
        name: `eks-cluster-sg-${name}-1730012001`,
        description:
          'EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any managed workloads.',
      },
    ],
    launchTemplates: [],
    autoScalingGroups: [],
    volumes: [],
    quotas: {},
  };
}
