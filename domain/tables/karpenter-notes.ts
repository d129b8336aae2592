/** What a Karpenter upgrade needs beside the new controller, by the minor that brought it. */
import type { ComponentVersion } from '../core/component-version.ts';
import { compareMinors, parseComponentVersion } from '../core/component-version.ts';

export interface KarpenterNote {
  /** Needed by everyone who comes from below this minor to it or above. */
  since: string;
  needs: string;
  /** An action that the policy of the controller's role has to allow: what `needs` says, for IAM to be asked. */
  permission?: string;
}

/**
 * Source: Karpenter's upgrade guide (karpenter.sh/docs/upgrading/upgrade-guide, 1.14); 1.15: its code, where repair is a disruption method
 * (pkg/controllers/disruption/repair.go). Notes of minors that are passed over add up.
 */
const KARPENTER_NOTES: readonly KarpenterNote[] = [
  {
    since: '1.1',
    needs:
      'v1beta1 is gone: storedVersions of the CRDs must be ["v1"], nodeClassRef.group and kind set on every NodePool and NodeClaim, kubelet settings in the EC2NodeClass',
  },
  { since: '1.6', needs: 'open capacity reservations are used only with capacityReservationSelectorTerms' },
  { since: '1.7', needs: 'the controller’s role needs iam:ListInstanceProfiles', permission: 'iam:ListInstanceProfiles' },
  { since: '1.12', needs: 'the controller’s role needs ec2:DescribeInstanceStatus', permission: 'ec2:DescribeInstanceStatus' },
  { since: '1.12', needs: 'existing nodes may be marked as drifted: the hash of a node class includes the cluster’s CA bundle' },
  { since: '1.14', needs: 'the new CRD capacitybuffers.autoscaling.x-k8s.io, installed with karpenter-crd' },
  {
    since: '1.15',
    needs:
      'node repair (featureGates.nodeRepair) obeys NodePool budgets: a budget of 0 without reasons also keeps unhealthy nodes, unless settings.legacyNodeRepair is set',
  },
];

/** The notes on the way from one version to another, oldest first. */
export function karpenterNotes(from: ComponentVersion, to: ComponentVersion): string[] {
  return notesBetween(from, to).map((note) => `${note.since}: ${note.needs}`);
}

/** IAM actions that the controller's role needs for the new version and did not need for the old one; those of all versions between add up. */
export function karpenterPermissions(from: ComponentVersion, to: ComponentVersion): string[] {
  return notesBetween(from, to).flatMap(({ permission }) => permission ?? []);
}

function notesBetween(from: ComponentVersion, to: ComponentVersion): KarpenterNote[] {
  return KARPENTER_NOTES.filter((note) => {
    const since = parseComponentVersion(note.since);
    return compareMinors(from, since) < 0 && compareMinors(to, since) >= 0;
  });
}
