/** Examples of slack/messages/campaigns. */
import * as campaigns from '../../../../slack/messages/campaigns.ts';
import { chapter } from '../chapter.ts';

export const campaignFormChapter = chapter('Slack: form of campaigns', 'slack/messages/campaigns.ts', campaigns, {
  campaignFormTitle: [[]],
  campaignFormButton: [[]],
  campaignAsking: [['plan', 'to-1-34']],
  campaignsNone: [[]],
  campaignUnknown: [['to-1-35']],
  ringHint: [[]],
  onlyHint: [[]],
  clustersHint: [[]],
  withoutHint: [[]],
  reasonForWithout: [[]],
  campaignReasonHint: [[]],
  noCampaignChosen: [[]],
  noVerbChosen: [[]],
  notWithVerb: [['pause', ['retry', 'beside']]],
  noSuchRing: [['pord', 'to-1-34', ['dev', 'prod']]],
  besideNeedsCluster: [[]],
  rollbackNeedsRing: [[['dev', 'prod']]],
  besideOneCluster: [[2]],
  verbDoes: [['plan'], ['start'], ['status'], ['pause'], ['resume'], ['retry'], ['beside'], ['stop']],
});
