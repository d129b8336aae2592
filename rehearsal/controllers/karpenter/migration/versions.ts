/** Karpenter's versions, as its rules depend on them. */

/** Of "1.0.14", "v0.33.12", "1.2". */
export function minorsOf(version: string): { major: number; minor: number; patch: number } {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, '').split('.').map(Number);
  return { major, minor, patch };
}

/** Is the version this one or newer? */
export function isSince(version: string, since: string): boolean {
  const [left, right] = [minorsOf(version), minorsOf(since)];
  return (left.major - right.major || left.minor - right.minor || left.patch - right.patch) >= 0;
}
