/** In which order environments are upgraded: as `environments.NAME.after` says, else as belay.yaml names their clusters. */
import type { UpgradePolicy } from '../../policy/policy.ts';

export function environmentOrder(policies: readonly Pick<UpgradePolicy, 'environment' | 'after'>[]): string[] {
  const before = new Map(policies.map(({ environment, after }) => [environment, after?.environment]));
  const ordered: string[] = [];
  /** `path`: environments that wait for this one; one that waits for itself is put where it stands in the file. */
  const put = (name: string, path: readonly string[]): void => {
    if (ordered.includes(name) || path.includes(name)) return;
    const first = before.get(name);
    if (first !== undefined) put(first, [...path, name]);
    if (!ordered.includes(name)) ordered.push(name);
  };
  for (const name of before.keys()) put(name, []);
  return ordered;
}
