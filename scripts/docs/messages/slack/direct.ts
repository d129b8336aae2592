/** Examples of slack/messages/direct. */
import * as direct from '../../../../slack/messages/direct.ts';
import { chapter } from '../chapter.ts';

const MISSING = 'Slack answered missing_scope (im:write). Install the app again from slack/manifest.yaml, which has all scopes.';

export const directChapter = chapter('Slack: direct messages', 'slack/messages/direct.ts', direct, {
  messageMeLabel: [[]],
  stopMessagingLabel: [[]],
  subscribed: [['@sam']],
  unsubscribed: [[]],
  messagesOn: [[]],
  messagesOff: [[]],
  messagesNotChanged: [[`turning direct messages on: ${MISSING}`]],
  directScopesMissing: [[['im:write']], [['im:write', 'im:history']]],
  directStateUnread: [['reading who gets direct messages: Slack did not answer in time. Try again.']],
  gateWaitsForYou: [['staging', 'Move the control plane to 1.32?']],
  whoMayDecide: [['@platform']],
  directNotSent: [[`direct message to U012AB3CD: ${MISSING}`, 1]],
});
