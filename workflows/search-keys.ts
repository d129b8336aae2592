/** Search attributes by which upgrades are found in Temporal: registered as Keyword. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

export type KeywordName = 'BelayCluster' | 'BelayEnvironment' | 'BelayPhase' | 'BelayRequestedBy' | 'BelayTarget' | 'BelayWaitingFor';

export const keyword = (name: KeywordName): ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>> =>
  defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
