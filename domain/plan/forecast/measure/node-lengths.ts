/** Lengths that a roll of nodes is made of: how long nodes and pods take to come and to go. */
import type { Calibration } from '../types.ts';
import type { Cluster } from '../model/cluster.ts';
import { Length } from './length.ts';

const SECOND_MS = 1_000;
const NARROW = 0.15;

/**
 * Where a snapshot shows nothing: field reports of nodes of AL2023 and Bottlerocket, 40 to 60 s from NodeClaim to Ready, and a minute or
 * two in Auto Scaling groups.
 */
const CLAIM_MS = 50 * SECOND_MS;
const GROUP_NODE_MS = 90 * SECOND_MS;
const POD_MS = 20 * SECOND_MS;
/** From the last pod to the end of the instance. */
const REMOVAL_MS = 30 * SECOND_MS;
const DETACH_MS = 10 * SECOND_MS;
/** Most pods end when they are told to. */
const POD_END_MS = 5 * SECOND_MS;
/** EKS: a new version of the launch template, and the group's own checks. */
const GROUP_SETUP_MS = 60 * SECOND_MS;

/** What no snapshot shows, where it is known better than from field reports. */
export interface Usual {
  removalMs?: number;
  detachMs?: number;
  /** Of a grace period of thirty seconds. */
  podEndMs?: number;
}

export class NodeLengths {
  readonly pools: Length[];
  readonly groups: Length[];
  readonly workloads: Length[];
  readonly removal: Length;
  readonly detach: Length;
  readonly grace: Length;
  readonly groupSetup = new Length('EKS prepares the update of a node group', { basis: 'reports', medianMs: GROUP_SETUP_MS });
  /** Karpenter finds one node to replace and starts a command: one after the other, slower with more nodes to look at. */
  readonly command: Length;
  readonly #used = new Set<Length>();

  constructor(
    { pools, groups, workloads, nodes }: Cluster,
    { removalMs = REMOVAL_MS, detachMs = DETACH_MS, podEndMs = POD_END_MS }: Usual = {},
  ) {
    this.removal = new Length('from the last pod of a node to the end of its instance', { basis: 'reports', medianMs: removalMs });
    this.detach = new Length('a volume that leaves one node for another', { basis: 'reports', medianMs: detachMs });
    this.grace = new Length('a pod that ends, of a grace period of 30 s', { basis: 'reports', medianMs: podEndMs, sigma: 0.5 });
    const starts = pools.flatMap(({ starts }) => starts);
    const podStarts = workloads.flatMap(({ starts }) => starts);
    this.pools = pools.map((pool) => measuredOr(`from NodeClaim to Ready, NodePool ${pool.name}`, pool.starts, starts, CLAIM_MS));
    const groupStarts = groups.flatMap(({ starts }) => starts);
    this.groups = groups.map((group) =>
      measuredOr(`from start to Ready, node group ${group.name}`, group.starts, groupStarts, GROUP_NODE_MS),
    );
    this.workloads = workloads.map(({ ref, starts }) =>
      measuredOr(`from scheduled to Ready, ${ref.kind} ${ref.namespace}/${ref.name}`, starts, podStarts, POD_MS),
    );
    this.command = new Length("Karpenter's disruption loop, for each node", {
      basis: 'reports',
      medianMs: SECOND_MS + nodes.length / 5,
      sigma: NARROW,
    });
  }

  /** Remembers that something stands on it. */
  use(length: Length): Length {
    this.#used.add(length);
    return length;
  }

  isUsed(length: Length): boolean {
    return this.#used.has(length);
  }

  /** What plays have drawn from, workloads last. */
  get calibrations(): Calibration[] {
    return [...this.#used].map(({ calibration }) => calibration);
  }

  /** How long a pod of this grace period takes to end. */
  endMs(graceMs: number, sampledMs: number): number {
    return Math.min(graceMs, Math.round((sampledMs * graceMs) / (30 * SECOND_MS)));
  }
}

/** Its own measurements, else those of all its kind, else reports. */
function measuredOr(what: string, own: readonly number[], all: readonly number[], otherwise: number): Length {
  if (own.length > 0 || all.length === 0) return Length.measured(what, own, otherwise);
  return Length.measured(`${what} (as the others)`, all, otherwise);
}
