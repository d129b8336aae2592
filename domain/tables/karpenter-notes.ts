/** What a Karpenter upgrade needs beside the new controller, by the minor that brought it. */
import type { ComponentVersion } from '../component-version.ts';
import { compareMinors, parseComponentVersion } from '../component-version.ts';

export interface KarpenterNote {
  /** Needed by everyone who comes from below this minor to it or above. */
  since: string;
  needs: string;
}

/** Source: Karpenter's upgrade guide (karpenter.sh/docs/upgrading/upgrade-guide, 1.14). Notes of minors that are passed over add up. */
const KARPENTER_NOTES: readonly KarpenterNote[] = [
  {
    since: '1.1',
    needs:
      'v1beta1 is gone: storedVersions of the CRDs must be ["v1"], nodeClassRef.group and kind set on every NodePool and NodeClaim, kubelet settings in the EC2NodeClass',
  },
  { since: '1.6', needs: 'open capacity reservations are used only with capacityReservationSelectorTerms' },
  { since: '1.7', needs: 'the controller’s role needs iam:ListInstanceProfiles' },
  { since: '1.12', needs: 'the controller’s role needs ec2:DescribeInstanceStatus' },
  { since: '1.14', needs: 'the new CRD capacitybuffers.autoscaling.x-k8s.io, installed with karpenter-crd' },
];

/** The notes on the way from one version to another, oldest first. */
export function karpenterNotes(from: ComponentVersion, to: ComponentVersion): string[] {
  return KARPENTER_NOTES.filter((note) => {
    const since = parseComponentVersion(note.since);
    return compareMinors(from, since) < 0 && compareMinors(to, since) >= 0;
  }).map((note) => `${note.since}: ${note.needs}`);
}
