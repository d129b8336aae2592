/** Whether Karpenter may still launch a node that is newer than the control plane will be. */
import type { PhaseId } from '../../core/phases.ts';
import type { ClusterFacts } from '../../facts/facts.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import { someOf } from '../../core/text.ts';
import type { FindingInput } from '../findings/finding.ts';
import { karpenterBack } from './karpenter.ts';

/** A node that Karpenter launches while the control plane is still ahead would be newer than the one that it comes back to. */
export function karpenterClasses(input: { facts: ClusterFacts; backTo: KubernetesVersion; later: readonly PhaseId[] }): FindingInput[] {
  const { facts, backTo, later } = input;
  const minor = formatKubernetesVersion(backTo);
  const { pins = [], unpinnable = [] } = karpenterBack(facts, backTo) ?? {};
  const title = `Karpenter launches no node newer than ${minor}`;
  const pinned = pins.map(({ nodeClass }) => nodeClass);
  const freezes = later.includes('freeze-drift');
  const open: FindingInput[] =
    pinned.length === 0
      ? []
      : [
          {
            code: 'RBK006',
            title,
            severity: freezes ? 'recommended' : 'required',
            message: `EC2NodeClass ${someOf(pinned)} ${pinned.length === 1 ? 'chooses' : 'choose'} images by the control plane's version: a node launched before that is back would be newer than ${minor}.`,
            resources: pinned,
            remediation: freezes
              ? `Images of ${minor} are pinned under the freeze, and the earlier terms are restored after the control plane.`
              : `Somebody has removed the pins: put ids of images of ${minor} into amiSelectorTerms, with amiFamily, then retry; or request the rollback again.`,
          },
        ];
  const stuck = unpinnable.map(
    ({ nodeClass, why }): FindingInput => ({
      code: 'RBK006',
      title,
      message: `EC2NodeClass ${nodeClass} would launch nodes newer than ${minor}, and Belay cannot pin it: ${why}.`,
      resources: [nodeClass],
      remediation: `Stop drift first (a budget of nodes: "0" in its NodePools), then put ids of images of ${minor} into its amiSelectorTerms, with amiFamily; then ask again.`,
    }),
  );
  return [...open, ...stuck];
}
