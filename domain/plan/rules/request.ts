/** Rules about what was asked for. */
import type { ClusterFacts } from '../../facts/facts.ts';
import { eksRelease } from '../../tables/eks-calendar.ts';
import {
  compareKubernetesVersions,
  formatKubernetesVersion,
  type KubernetesVersion,
  minorsBetween,
  tryKubernetesVersion,
} from '../../core/version.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import type { Breach, Rule } from './rule.ts';

export const targetKnown: Rule = {
  name: 'target-known',
  text: 'EKS offers the target and every minor on the way.',
  remedy: 'Choose a minor from `aws eks describe-cluster-versions`.',
  check({ facts, target }) {
    const wanted = tryKubernetesVersion(target);
    if (wanted === undefined) return [{ message: `"${target}" is not a Kubernetes version such as 1.34.` }];
    // Where the target itself is not to be had, the minors on the way to it do not matter.
    const missing = notOffered(facts, wanted);
    if (missing.length > 0) return missing;
    const onTheWay = minorsBetween(controlPlaneMinor(facts), wanted).slice(1);
    return onTheWay.flatMap((minor) => notOffered(facts, minor));
  },
};

function notOffered(facts: ClusterFacts, minor: KubernetesVersion): Breach[] {
  const text = formatKubernetesVersion(minor);
  if (facts.supportedVersions.length === 0) {
    if (eksRelease(text) !== undefined) return [];
    return [
      {
        message: `The versions that EKS offers could not be read, and Kubernetes ${text} is not in Belay's own table.`,
        remedy: 'Allow eks:DescribeClusterVersions, or choose a minor that the table knows.',
      },
    ];
  }
  const offered = facts.supportedVersions.filter((v) => v.status !== 'UNSUPPORTED').map((v) => v.version);
  return offered.includes(text) ? [] : [{ message: `EKS does not offer Kubernetes ${text}; it offers ${offered.join(', ')}.` }];
}

export const targetAboveCurrent: Rule = {
  name: 'target-above-current',
  text: 'The target is newer than the control plane.',
  remedy: 'Choose a newer minor; going back is a rollback.',
  check({ facts, target }) {
    const wanted = tryKubernetesVersion(target);
    const current = controlPlaneMinor(facts);
    if (wanted === undefined || compareKubernetesVersions(wanted, current) > 0) return [];
    const at = formatKubernetesVersion(current);
    const relation =
      compareKubernetesVersions(wanted, current) === 0 ? `already at ${at}` : `at ${at}, newer than ${formatKubernetesVersion(wanted)}`;
    return [{ message: `The control plane of ${facts.cluster.name} is ${relation}.` }];
  },
};
