/** Whether Karpenter's objects have to come to a newer API before a hop, over which APIs, and where its controller then is. */
import { compareMinors, type ComponentVersion, parseComponentVersion, tryComponentVersion } from '../../core/component-version.ts';
import type { KarpenterFact } from '../../facts/facts.ts';
import type { Step as MigrationLeg } from '../migration/names.ts';
import { KARPENTER_NEWEST_PATCHES } from '../../tables/karpenter.ts';

/** Serves v1beta1 and v1; the only way from one to the other (v1 migration guide). */
export const KARPENTER_OF_V1 = KARPENTER_NEWEST_PATCHES['1.0'] ?? '1.0';

const V1 = parseComponentVersion('1.0');
const ONLY_V1 = parseComponentVersion('1.1');
const FIRST_BETA = parseComponentVersion('0.32');

/**
 * A Karpenter of before 1.0 comes to v1 whatever the matrix says: freeze, pace and waves speak that API. One of 1.0 has to come all the way where the hop
 * needs 1.1 or newer, which know v1 alone. `to`: the version that the hop needs; undefined where the running one will do.
 */
export function migrationLegs({ api, storedBeta }: KarpenterFact, installed: ComponentVersion, to: string | undefined): MigrationLeg[] {
  if (compareMinors(installed, V1) < 0) return api === 'v1alpha5' || compareMinors(installed, FIRST_BETA) < 0 ? ['v1beta1', 'v1'] : ['v1'];
  const next = to === undefined ? undefined : tryComponentVersion(to);
  const leaves = next !== undefined && compareMinors(installed, ONLY_V1) < 0 && compareMinors(next, ONLY_V1) >= 0;
  return leaves && storedBeta === true ? ['v1'] : [];
}

/** v1beta1 is gone with this change, and the way back to 0.3x with it. */
export function leavesBeta(from: string, to: string): boolean {
  const [before, after] = [tryComponentVersion(from), tryComponentVersion(to)];
  return before !== undefined && after !== undefined && compareMinors(before, ONLY_V1) < 0 && compareMinors(after, ONLY_V1) >= 0;
}
