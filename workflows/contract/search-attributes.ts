/** Search attributes by which upgrades are found in Temporal: registered as Keyword. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';

type KeywordName = 'BelayCluster' | 'BelayEnvironment' | 'BelayPhase' | 'BelayRequestedBy' | 'BelayTarget' | 'BelayWaitingFor';

/**
 * Sets them, or removes those that are null. One that the namespace lacks would fail the workflow's task again and again, so the recorded policy names
 * those, and they are left out: the run is only harder to find.
 */
export function setKeywords(
  { missingSearchAttributes: missing = [] }: Pick<UpgradePolicy, 'missingSearchAttributes'>,
  values: Partial<Record<KeywordName, string | null>>,
): void {
  const pairs = Object.entries(values)
    .filter(([name]) => !missing.includes(name))
    .map(([name, value]) => ({ key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value }));
  if (pairs.length > 0) upsertSearchAttributes(pairs);
}
