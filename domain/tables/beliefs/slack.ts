/** What is believed of Slack. `belay conformance` has no workspace to try it in; the tests of the Slack process run against a stand-in. */
import type { Belief } from './belief.ts';

const NO_WORKSPACE = { untried: 'needs a workspace and someone to press buttons' };

export const SLACK_BELIEFS: readonly Belief[] = [
  {
    id: 'SLACK-ACK',
    says: 'Slack shows an error unless a command, press or form is acknowledged within three seconds',
    sources: ['slackAck'],
    sure: 'certain',
    ifFalse: 'Handlers acknowledge before anything else.',
    where: 'slack/listeners/index.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-TRIGGER',
    says: 'A `trigger_id` opens one form within three seconds of the press',
    sources: ['slackInteraction'],
    sure: 'certain',
    ifFalse: 'The thread tells whoever pressed that the form could not open.',
    where: 'slack/interaction/open-modal.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-RESPONSE-URL',
    says: 'A `response_url` takes five answers within 30 minutes',
    sources: ['slackInteraction'],
    sure: 'certain',
    ifFalse: 'Later answers are messages only that person sees.',
    where: 'slack/interaction/reply.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-BLOCKS',
    says: 'A message has at most 50 blocks, a section’s text at most 3,000 characters',
    sources: ['slackBlocks'],
    sure: 'certain',
    ifFalse: 'Slack refuses the message; Belay posts it as plain text.',
    where: 'slack/blocks/kit/text.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-SIGNATURE',
    says: "Slack signs body and time of requests with the app's secret; after five minutes they are replays",
    sources: ['slackSigning'],
    sure: 'certain',
    ifFalse: 'The request is refused and recorded.',
    where: 'slack/transport/receivers.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-TWICE',
    says: 'Slack may deliver an envelope or request twice',
    sources: ['slackEvents'],
    sure: 'certain',
    ifFalse: 'Nothing: Belay remembers deliveries, and counts decisions once by id.',
    where: 'slack/transport/deduplicate.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-RATE',
    says: 'A method called too often returns 429 and `Retry-After` in seconds',
    sources: ['slackLimits'],
    sure: 'certain',
    ifFalse: 'Messages queue per run and retry with growing pauses.',
    where: 'slack/api/errors.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-OUTSIDERS',
    says: 'users.info says whether a user is deactivated, a guest, or from another workspace',
    sources: ['slackUser'],
    sure: 'certain',
    ifFalse: 'Only approvers named in belay.yaml or a group decide.',
    where: 'slack/api/members.ts',
    trial: NO_WORKSPACE,
  },
];
