/** Is something newer than the minor to go back to? */
import { compareKubernetesVersions, type KubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';

/** What is no version is not known to be. */
export function isAhead(version: string, backTo: KubernetesVersion): boolean {
  const parsed = tryKubernetesVersion(version);
  return parsed !== undefined && compareKubernetesVersions(parsed, backTo) > 0;
}
