/** Search attributes of what is started: by them it is found in Temporal, and without them it runs all the same. */
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { SEARCH_ATTRIBUTES, UpgradeInput } from '../../workflows/contract/messages.ts';
import { missingAttributeOf } from '../calls/temporal-calls.ts';
import { actorName } from '../../domain/gates/actor.ts';

/** `target`: of a run that has one. */
export function searchAttributes(
  input: Pick<UpgradeInput, 'cluster' | 'requestedBy' | 'campaign'> & { target?: string },
  environment: string | undefined,
): SearchAttributePair[] {
  const pair = (name: (typeof SEARCH_ATTRIBUTES)[number], value: string): SearchAttributePair => ({
    key: defineSearchAttributeKey(name, 'KEYWORD'),
    value,
  });
  return [
    pair('BelayCluster', input.cluster.name),
    ...(input.target === undefined ? [] : [pair('BelayTarget', input.target)]),
    pair('BelayRequestedBy', actorName(input.requestedBy)),
    ...(environment === undefined ? [] : [pair('BelayEnvironment', environment)]),
    ...(input.campaign === undefined ? [] : [pair('BelayCampaign', input.campaign.name), pair('BelayRing', input.campaign.ring)]),
  ];
}

/** Starts without those that the namespace does not know: the server refuses such a start whole, and names one of them. */
export async function withKnownAttributes<T>(
  pairs: readonly SearchAttributePair[],
  start: (pairs: SearchAttributePair[]) => Promise<T>,
): Promise<T> {
  try {
    return await start([...pairs]);
  } catch (error) {
    const missing = missingAttributeOf(error);
    const known = pairs.filter(({ key }) => key.name !== missing);
    if (known.length === pairs.length) throw error;
    return await withKnownAttributes(known, start);
  }
}
