/** Orders versions such as 1.33 and v1.12.1-eksbuild.2. */

const partsOf = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);

export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? -1) - (right[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
