/** What a rollback depends on and nobody could read: a check that has nothing to look at would pass. */
import { formatKubernetesVersion } from '../../core/version.ts';
import type { Inspected } from '../../facts/facts.ts';
import type { FindingInput } from '../findings/finding.ts';
import type { RollbackContext } from './evidence.ts';

interface Dependency {
  code: string;
  title: (minor: string) => string;
  parts: readonly Inspected['part'][];
}

/** Kubelets, Auto Mode's NodePools, EKS's versions and newer APIs have checks that say so themselves. */
const DEPENDENCIES: readonly Dependency[] = [
  { code: 'RBK002', title: () => 'The cluster is ACTIVE and EKS busy with nothing else', parts: ['updates'] },
  { code: 'RBK005', title: (minor) => `No node is newer than ${minor}`, parts: ['node-groups'] },
  {
    code: 'RBK006',
    title: (minor) => `Karpenter launches no node newer than ${minor}`,
    parts: ['karpenter', 'node-pools', 'node-classes'],
  },
  { code: 'RBK007', title: (minor) => `Every add-on supports ${minor}`, parts: ['add-ons', 'self-managed-add-ons'] },
  { code: 'RBK008', title: (minor) => `Istio supports ${minor}`, parts: ['istiods'] },
];

export function unseen({ facts, backTo }: RollbackContext): FindingInput[] {
  const minor = formatKubernetesVersion(backTo);
  return DEPENDENCIES.flatMap(({ code, title, parts }) =>
    facts.unknowns
      .filter(({ part }) => parts.includes(part))
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
