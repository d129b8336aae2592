/** What was filled in in the form of campaigns, as a command; or what is wrong with it, below the field. */
import { RETRIABLE } from '../../domain/run/campaign/commands.ts';
import type { CampaignPolicy } from '../../domain/policy/campaigns.ts';
import type { CampaignCommandText } from './commands/parse-campaign.ts';
import {
  besideNeedsCluster,
  besideOneCluster,
  noCampaignChosen,
  noSuchRing,
  notWithVerb,
  noVerbChosen,
  reasonForWithout,
  rollbackNeedsRing,
} from '../messages/campaigns.ts';
import { errorBelow, type FilledCampaign } from '../views/campaign.ts';

/** `campaigns`: those of belay.yaml as it is now. */
export function commandFrom(
  filled: FilledCampaign,
  campaigns: readonly CampaignPolicy[],
  reason: string | undefined,
): { command: CampaignCommandText } | { errors: Record<string, string> } {
  const { verb, ring, only, clusters, without } = filled;
  const policy = campaigns.find(({ name }) => name === filled.campaign);
  if (policy === undefined) return { errors: errorBelow('campaign', noCampaignChosen()) };
  if (verb === undefined) return { errors: errorBelow('verb', noVerbChosen()) };
  const errors: Record<string, string> = {};
  const wrong = (field: Parameters<typeof errorBelow>[0], error: string): void => void Object.assign(errors, errorBelow(field, error));
  const rings = policy.rings.map(({ name }) => name);
  if (ring === undefined && verb === 'rollback') wrong('ring', rollbackNeedsRing(rings));
  if (ring !== undefined && verb !== 'retry' && verb !== 'rollback') wrong('ring', notWithVerb(verb, ['retry', 'rollback']));
  else if (ring !== undefined && !rings.includes(ring)) wrong('ring', noSuchRing(ring, policy.name, rings));
  if (only.length > 0 && verb !== 'retry') wrong('only', notWithVerb(verb, ['retry']));
  if (verb === 'beside' && clusters.length !== 1)
    wrong('clusters', clusters.length === 0 ? besideNeedsCluster() : besideOneCluster(clusters.length));
  if (clusters.length > 0 && verb !== 'beside' && verb !== 'retry') wrong('clusters', notWithVerb(verb, ['retry', 'beside']));
  if (without.length > 0 && verb !== 'retry') wrong('without', notWithVerb(verb, ['retry']));
  else if (without.length > 0 && reason === undefined) wrong('without', reasonForWithout());
  if (Object.keys(errors).length > 0) return { errors };
  const [cluster] = clusters;
  const kinds = RETRIABLE.filter((kind) => only.includes(kind));
  const retry = {
    ...(ring === undefined ? {} : { ring }),
    ...(kinds.length === 0 ? {} : { only: kinds }),
    ...(clusters.length === 0 ? {} : { lift: clusters }),
    ...(without.length === 0 ? {} : { without }),
  };
  return {
    command: {
      kind: 'campaign',
      verb,
      campaign: policy.name,
      ...(verb === 'retry' ? { retry } : {}),
      ...(verb === 'beside' && cluster !== undefined ? { beside: cluster } : {}),
      ...(verb === 'rollback' && ring !== undefined ? { ring } : {}),
      ...(reason === undefined ? {} : { reason }),
    },
  };
}
