/** What a rollback depends on and nobody could read: a check that has nothing to look at would pass. */
import { formatKubernetesVersion } from '../../core/version.ts';
import type { FindingInput } from '../findings/finding.ts';
import type { RollbackContext } from './evidence.ts';

interface Part {
  code: string;
  title: (minor: string) => string;
  /** As the inspection calls it. */
  reads: RegExp;
}

/** Kubelets, Auto Mode's NodePools, EKS's versions and newer APIs have checks that say so themselves. */
const PARTS: readonly Part[] = [
  { code: 'RBK002', title: () => 'The cluster is ACTIVE and EKS busy with nothing else', reads: /^the updates in progress$/ },
  { code: 'RBK005', title: (minor) => `No node is newer than ${minor}`, reads: /^(?:the managed node groups$|node group )/ },
  {
    code: 'RBK006',
    title: (minor) => `Karpenter launches no node newer than ${minor}`,
    reads: /^the (?:Karpenter Deployment|Karpenter NodePools|EC2NodeClasses)$/,
  },
  { code: 'RBK007', title: (minor) => `Every add-on supports ${minor}`, reads: /^(?:the add-ons$|add-on |.* in kube-system$)/ },
  { code: 'RBK008', title: (minor) => `Istio supports ${minor}`, reads: /^the istiod Deployments$/ },
];

export function unseen({ facts, backTo }: RollbackContext): FindingInput[] {
  const minor = formatKubernetesVersion(backTo);
  return PARTS.flatMap(({ code, title, reads }) =>
    facts.unknowns
      .filter(({ what }) => reads.test(what))
      .map(
        ({ what, why }): FindingInput => ({
          code,
          title: title(minor),
          status: 'unknown',
          message: `Could not read ${what}: ${why}.`,
          resources: [what],
          remediation: 'Give Belay the permission, or look yourself before you continue.',
        }),
      ),
  );
}
