/** Versions as objects carry them: image tags and kubelet versions. */
import { runningVersion } from '../../../domain/core/component-version.ts';
import type { ClusterNode, Workload } from '../../clients/kubernetes/objects.ts';

/** "1.33" from "v1.33.1-eks-b9364f6", "1.28.3", "1.28". undefined: not a version. */
export function minorOf(version: string | undefined): string | undefined {
  return /^v?(\d+\.\d+)(?![\d])/.exec(version ?? '')?.[1];
}

/** Is `version` the same as or newer than `minimum`? Both need not name a patch. Pre-releases count as their release. Unreadable is no. */
export function isAtLeast(version: string, minimum: string): boolean {
  const have = numbers(version);
  const want = numbers(minimum);
  if (have.length === 0 || want.length === 0) return false;
  for (let i = 0; i < want.length; i += 1) {
    const difference = (have[i] ?? 0) - (want[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbers(version: string): number[] {
  const match = /^v?(\d+(?:\.\d+)*)/.exec(version);
  return match?.[1] === undefined ? [] : match[1].split('.').map(Number);
}

/** The version of Karpenter's controller, by its Deployment. */
export function controllerVersion(deployment: Workload): string | undefined {
  return runningVersion(deployment, 'controller');
}

/** "1.33" of a Node; undefined while the kubelet has not said. */
export function kubeletMinor({ status }: ClusterNode): string | undefined {
  return minorOf(status?.nodeInfo?.kubeletVersion);
}
