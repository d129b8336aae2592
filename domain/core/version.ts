/** Kubernetes minors: parsed once at the edge of the domain, compared as values, never as strings. */

/** A Kubernetes minor. Patches do not matter to any rule of an upgrade. */
export interface KubernetesVersion {
  major: number;
  minor: number;
}

const SHAPE = /^v?(\d+)\.(\d+)\+?(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]*)?$/;

/**
 * Reads "1.32", a kubelet's "v1.32.3-eks-abc1234" or a server's "1.32+".
 * Throws a RangeError that shows the text for anything else.
 */
export function parseKubernetesVersion(text: string): KubernetesVersion {
  const version = tryKubernetesVersion(text);
  if (version === undefined) throw new RangeError(`"${text}" is not a Kubernetes version such as 1.34`);
  return version;
}

/** As parseKubernetesVersion, but undefined for what is not a version. */
export function tryKubernetesVersion(text: string): KubernetesVersion | undefined {
  const match = SHAPE.exec(text.trim());
  if (match === null) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]) };
}

/** "1.32" */
export function formatKubernetesVersion(version: KubernetesVersion): string {
  return `${version.major}.${version.minor}`;
}

/** Negative when `a` is older than `b`, 0 when they are the same minor. */
export function compareKubernetesVersions(a: KubernetesVersion, b: KubernetesVersion): number {
  return a.major - b.major || a.minor - b.minor;
}

/** Minors from `a` up to `b`; negative when `b` is older. Kubernetes has had one major only, so another one is an error. */
export function minorDistance(a: KubernetesVersion, b: KubernetesVersion): number {
  if (a.major !== b.major)
    throw new RangeError(`Minors of Kubernetes ${formatKubernetesVersion(a)} and ${formatKubernetesVersion(b)} cannot be counted`);
  return b.minor - a.minor;
}

/** "1.33" of "1.34"; undefined for what is no Kubernetes version, or has no minor below it. */
export function minorBelow(text: string): string | undefined {
  const version = tryKubernetesVersion(text);
  return version === undefined || version.minor === 0 ? undefined : formatKubernetesVersion({ ...version, minor: version.minor - 1 });
}

/** As minorDistance, of texts; undefined where one is absent or no version. */
export function tryMinorDistance(from: string | undefined, to: string | undefined): number | undefined {
  const [a, b] = [tryKubernetesVersion(from ?? ''), tryKubernetesVersion(to ?? '')];
  return a === undefined || b === undefined ? undefined : minorDistance(a, b);
}

export function nextMinor(version: KubernetesVersion): KubernetesVersion {
  return { major: version.major, minor: version.minor + 1 };
}

/** Every minor from `from` to `to`, both included; empty when `to` is older. */
export function minorsBetween(from: KubernetesVersion, to: KubernetesVersion): KubernetesVersion[] {
  const minors: KubernetesVersion[] = [];
  for (let step = 0; step <= minorDistance(from, to); step += 1) minors.push({ major: from.major, minor: from.minor + step });
  return minors;
}
