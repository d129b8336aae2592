/** What is believed of Slack. `belay conformance` has no workspace to try it in; the tests of the Slack process run against a stand-in. */
import type { Belief } from './belief.ts';

const NO_WORKSPACE = { untried: 'needs a workspace and somebody who presses buttons' };

export const SLACK_BELIEFS: readonly Belief[] = [
  {
    id: 'SLACK-ACK',
    says: 'A command, a press or a form is acknowledged within three seconds, or Slack shows an error',
    sources: ['slackAck'],
    sure: 'certain',
    ifFalse: 'Every handler acknowledges before it does anything else.',
    where: 'slack/listeners/index.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-TRIGGER',
    says: 'A `trigger_id` opens one form within three seconds of the press',
    sources: ['slackInteraction'],
    sure: 'certain',
    ifFalse: 'Whoever pressed is told in the thread that the form could not be opened.',
    where: 'slack/interaction/open-modal.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-RESPONSE-URL',
    says: 'A `response_url` takes five answers within 30 minutes',
    sources: ['slackInteraction'],
    sure: 'certain',
    ifFalse: 'Later answers are posted as messages that only the person sees.',
    where: 'slack/interaction/reply.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-BLOCKS',
    says: 'A message has at most 50 blocks, and the text of a section at most 3,000 characters',
    sources: ['slackBlocks'],
    sure: 'certain',
    ifFalse: 'Slack refuses the message; it is posted again as plain text.',
    where: 'slack/blocks/kit/text.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-SIGNATURE',
    says: "Requests of Slack are signed over body and time with the app's secret, and older than five minutes they are replays",
    sources: ['slackSigning'],
    sure: 'certain',
    ifFalse: 'The request is refused and recorded.',
    where: 'slack/transport/receivers.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-TWICE',
    says: 'Slack may deliver the same envelope or request again',
    sources: ['slackEvents'],
    sure: 'certain',
    ifFalse: 'Nothing: deliveries are remembered, and decisions are counted once by their id.',
    where: 'slack/transport/deduplicate.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-RATE',
    says: 'A method that is called too often is answered with 429 and `Retry-After` in seconds',
    sources: ['slackLimits'],
    sure: 'certain',
    ifFalse: 'Messages are queued per run and tried again with a growing pause.',
    where: 'slack/api/errors.ts',
    trial: NO_WORKSPACE,
  },
  {
    id: 'SLACK-OUTSIDERS',
    says: 'users.info says whether a user is deactivated, a guest, or of another workspace',
    sources: ['slackUser'],
    sure: 'certain',
    ifFalse: 'Approvers are named in belay.yaml or in a group, and only they decide.',
    where: 'slack/api/members.ts',
    trial: NO_WORKSPACE,
  },
];
