/** Whether the Karpenter that others have brought will do for a hop: any at or above the minimum is waited for, and not each of those fits. */
import { tryComponentVersion } from '../../core/component-version.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import { karpenterRangeText, karpenterSupport, karpenterToAvoid } from '../../tables/karpenter.ts';

export type AskedVersion = { kind: 'fits' } | { kind: 'unfit' | 'unknown'; why: string };

/** `minors`: that the control plane is at, and that it goes to. */
export function judgeAskedVersion(text: string, minors: readonly KubernetesVersion[]): AskedVersion {
  const version = tryComponentVersion(text);
  const wanted = minors.map(formatKubernetesVersion).join(' and ');
  if (version === undefined)
    return { kind: 'unknown', why: `"${text}" is not a version, so whether it supports Kubernetes ${wanted} is not known` };
  if (version.preRelease !== undefined) return { kind: 'unfit', why: 'it is a pre-release' };
  const avoid = karpenterToAvoid(version);
  if (avoid !== undefined) return { kind: 'unfit', why: avoid };
  const support = minors.map((minor) => karpenterSupport(version, minor));
  if (support.includes('unsupported'))
    return {
      kind: 'unfit',
      why: `it supports Kubernetes ${karpenterRangeText(version) ?? 'versions that are not known'}, and this hop needs ${wanted}`,
    };
  if (support.includes('unknown'))
    return { kind: 'unknown', why: `whether it supports Kubernetes ${wanted} is not known to this release of Belay` };
  return { kind: 'fits' };
}
