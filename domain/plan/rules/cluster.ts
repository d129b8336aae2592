/** Rules about the cluster's own fitness for a control-plane update. */
import type { Inspected } from '../../facts/facts.ts';
import { compareKubernetesVersions, tryKubernetesVersion } from '../../core/version.ts';
import type { Rule } from './rule.ts';

export const clusterActiveAndHealthy: Rule = {
  name: 'cluster-active-and-healthy',
  text: 'The cluster is ACTIVE without health issues.',
  remedy: 'Solve health issues in the EKS console, wait until it is ACTIVE, then start again.',
  check({ facts }) {
    const { status, healthIssues } = facts.controlPlane;
    const inactive = status === 'ACTIVE' ? [] : [{ message: `Cluster ${facts.cluster.name} is ${status}, not ACTIVE.` }];
    return [...inactive, ...healthIssues.map((issue) => ({ message: `EKS reports ${issue.code}: ${issue.message}` }))];
  },
};

export const workerElsewhere: Rule = {
  name: 'worker-elsewhere',
  text: 'The worker runs outside the cluster it upgrades, or on nodes there that no step replaces.',
  remedy:
    'Run the worker on another cluster or machine. If its node is not replaced (Fargate, a node group of its own that you roll yourself), set allowWorkerOnCluster: true for the cluster in belay.yaml.',
  check({ facts }) {
    if (facts.workerOnCluster === undefined || facts.workerOnCluster.allowed) return [];
    return [{ message: `The worker's own pod runs on ${facts.cluster.name}: the upgrade would replace the node that runs it.` }];
  },
};

export const noUpdateInProgress: Rule = {
  name: 'no-update-in-progress',
  text: 'No other update runs on the cluster.',
  remedy: 'Wait until it ends, then start again.',
  check({ facts }) {
    const update = facts.updateInProgress;
    if (update === undefined) return [];
    return [{ message: `EKS has ${update.type} ${update.id}${update.version === undefined ? '' : ` to ${update.version}`} in progress.` }];
  },
};

/** Addresses that EKS may take in one zone for the new control plane's interfaces (EKS user guide, "Update existing cluster"). */
const FREE_IPS = 5;

export const freeIpAddresses: Rule = {
  name: 'free-ip-addresses',
  text: 'Cluster subnets in two or more zones have five free IP addresses each for the new control plane.',
  remedy: 'Free addresses, or add subnets with UpdateClusterConfig.',
  check({ facts }) {
    if (facts.subnets === undefined) return [];
    const zones = new Set(facts.subnets.filter((subnet) => subnet.freeIpCount >= FREE_IPS).map((subnet) => subnet.zone));
    if (zones.size >= 2) return [];
    const seen = facts.subnets.map((subnet) => `${subnet.id} (${subnet.zone}): ${subnet.freeIpCount}`).join(', ');
    return [{ message: `Subnets with ${FREE_IPS} free addresses exist in ${zones.size} of the 2 zones that are needed: ${seen}.` }];
  },
};

export const dependenciesPresent: Rule = {
  name: 'control-plane-dependencies-present',
  text: 'The cluster’s IAM role, KMS key, security groups and subnets exist.',
  remedy: 'Restore it, or point the cluster at another.',
  check({ facts }) {
    const missing = (facts.dependencies ?? []).filter((dependency) => !dependency.present);
    return missing.map((dependency) => ({ message: `The cluster's ${dependency.kind} ${dependency.id} does not exist.` }));
  },
};

export const noRemovedApis: Rule = {
  name: 'no-removed-apis',
  text: 'Nothing uses an API the target removes.',
  remedy: 'First move its users to the replacement API.',
  check({ facts, target }) {
    const wanted = tryKubernetesVersion(target);
    const removed = (facts.removedApis ?? []).filter((use) => {
      const minor = tryKubernetesVersion(use.removedIn);
      return wanted === undefined || minor === undefined || compareKubernetesVersions(minor, wanted) <= 0;
    });
    return removed.map((use) => ({
      message: `${use.api} is removed in Kubernetes ${use.removedIn} and still used by ${use.usedBy.slice(0, 3).join(', ') || 'somebody'}.`,
    }));
  },
};

/** What a plan cannot do without. Anything else that could not be read is a finding. */
const NEEDED: readonly { parts: readonly Inspected['part'][]; so: string }[] = [
  { parts: ['karpenter', 'node-pools', 'auto-mode-pools'], so: 'whether Karpenter has to be frozen is not known' },
  { parts: ['istiods', 'namespaces'], so: 'whether Istio has to be upgraded first, and for whom, is not known' },
  { parts: ['node-groups'], so: 'which nodes have to be moved is not known' },
  // Without them a cluster on Fargate, or with nodes of its own, looks as if it had none.
  { parts: ['nodes'], so: 'which nodes have to be moved, and how far their kubelets are behind, is not known' },
];

export const inspectionSufficient: Rule = {
  name: 'inspection-sufficient',
  text: 'Belay could read nodes, managed node groups, Karpenter and Istio: unseen does not mean absent.',
  remedy: 'Give Belay the named permission, then start again.',
  check: ({ facts }) =>
    facts.unknowns.flatMap(({ part, what, why }) => {
      const needed = NEEDED.find(({ parts }) => parts.includes(part));
      return needed === undefined ? [] : [{ message: `${what} could not be read, so ${needed.so}: ${why}` }];
    }),
};
