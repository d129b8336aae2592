/** What goes on in some clusters, as Temporal lists it. */
import type { Listed, VisibilityStatus } from '../../client/calls/contract.ts';
import type { SlackDeps } from './deps.ts';

/** `clusters`: those that may be seen. Rejects with UpgradesError. */
export async function goingOn({ upgrades }: Pick<SlackDeps, 'upgrades'>, clusters: readonly string[]): Promise<Listed> {
  const { runs, keptFreezes } = await upgrades.listAll();
  const isHere = ({ cluster }: VisibilityStatus): boolean => clusters.includes(cluster);
  return { runs: runs.filter(isHere), keptFreezes: keptFreezes.filter(isHere) };
}
