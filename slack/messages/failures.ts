/** Why the Slack process cannot start, be reached or deliver: for its log, and for the failures of activities. */

export const botTokenMissing = (): string =>
  'SLACK_BOT_TOKEN is not set. Install the app from slack/manifest.yaml and copy its bot token (xoxb-).';

export const noWayIn = (): string =>
  'Set SLACK_APP_TOKEN (xapp-, scope connections:write) for socket mode, or SLACK_SIGNING_SECRET for HTTP mode.';

export const notAPort = (): string => 'PORT is not a port number. Write one such as 3000.';

/** `why`: "it is in use", or what the system says. */
export const cannotListen = (port: number, why: string): string => `Cannot listen on port ${port}: ${why}. Set PORT to another one.`;

export const disconnectedTooLong = (seconds: number): string =>
  `no connection to Slack for ${seconds} s: exiting, so that a supervisor restarts this process`;

export const timestampMissing = (): string => 'refused a request whose X-Slack-Request-Timestamp is not a number';

/** `aheadS`: seconds; negative where it is behind. Nobody has verified who sent it: a repeated request and a wrong clock look the same. */
export const outOfTime = (aheadS: number): string =>
  `refused a request dated ${aheadS > 0 ? `${aheadS} s ahead of` : `${-aheadS} s behind`} this machine's clock; if Slack's own requests are refused like this, synchronise the clock (chrony, systemd-timesyncd)`;

/** `doing`, here and below: a gerund and its object, "posting to C123". */
export const slackAsksToWait = (doing: string, seconds?: number): string =>
  `${doing}: Slack asks to wait${seconds === undefined ? '' : ` ${seconds} s`}`;

/** `needed`: the missing scope. `said`: Slack's own explanation. */
export function slackAnswered(doing: string, code: string, { needed, said = '' }: { needed?: string; said?: string } = {}): string {
  const remedy = slackRemedy(code);
  return `${doing}: Slack answered ${code}${needed === undefined ? '' : ` (${needed})`}${said === '' ? '' : `, ${said}`}${remedy === undefined ? '' : `. ${remedy}`}`;
}

export const slackAnsweredHttp = (doing: string, status: number): string => `${doing}: Slack answered HTTP ${status}`;

export const slackTooSlow = (doing: string): string => `${doing}: Slack did not answer in time`;

export const slackUnreachable = (doing: string, why: string): string => `${doing}: Slack cannot be reached (${why})`;

export const channelNotSeen = (doing: string): string =>
  `${doing}: the app is in no channel of that name. Invite it there (/invite @Belay), or correct the name in belay.yaml.`;

export const groupEmpty = (doing: string): string =>
  `${doing}: Slack lists no members. Add people to the group, or another group to belay.yaml.`;

export const userUnknown = (doing: string): string => `${doing}: Slack does not know this user`;

export const ownUserUnknown = (): string => 'Slack does not say whose token SLACK_BOT_TOKEN is';

export const boardNotPosted = (run: string): string => `the board of ${run} is not posted yet`;

export const boardGone = (run: string): string => `the board of ${run} is not in the channel any more, and has no thread for this`;

export const postNotFound = (message: string): string => `Slack does not find the message of ${message}, which was posted a moment ago`;

export const postUnnamed = (): string => 'Slack accepted the message without naming it';

/** Refusals that only a person can cure, and how; undefined for all others. */
export const slackRemedy = (code: string): string | undefined => REMEDIES[code];

const REMEDIES: Readonly<Record<string, string>> = {
  channel_not_found: 'Check the channel in belay.yaml, and invite the app to it if it is private.',
  not_in_channel: 'Invite the app to the channel: /invite @Belay.',
  is_archived: 'The channel is archived; name another one in belay.yaml.',
  is_inactive: 'The channel is archived or frozen; name another one in belay.yaml.',
  invalid_auth: 'Check the token.',
  not_authed: 'Set the token.',
  not_allowed_token_type: 'SLACK_BOT_TOKEN must be a bot token (xoxb-), SLACK_APP_TOKEN an app-level token (xapp-).',
  account_inactive: 'The token’s owner was deactivated; install the app again.',
  token_revoked: 'The token was revoked; install the app again.',
  token_expired: 'The token has expired; install the app again.',
  missing_scope: 'Install the app again from slack/manifest.yaml, which has all scopes.',
  restricted_action_read_only_channel:
    'Only some people may post in this channel; let the app post there, or name another one in belay.yaml.',
  restricted_action_thread_only_channel: 'This channel takes replies alone; name another one in belay.yaml.',
  restricted_action_non_threadable_channel: 'This channel takes no replies; name another one in belay.yaml.',
  restricted_action: 'The workspace does not let the app post there; ask its administrators.',
  ekm_access_denied: 'The workspace’s administrators have suspended access.',
  no_such_subteam: 'Check the user group’s ID in belay.yaml (S…).',
  subteam_not_found: 'Check the user group’s ID in belay.yaml (S…).',
  invalid_blocks: 'Slack rejects the message as it was rendered.',
  invalid_blocks_format: 'Slack rejects the message as it was rendered.',
  msg_too_long: 'Slack rejects a message of this length.',
  metadata_too_large: 'Slack rejects metadata of this size.',
  file_uploads_disabled: 'The workspace does not allow file uploads; ask its administrators.',
  file_upload_size_restricted: 'The workspace rejects a file of this size; ask its administrators.',
  file_type_not_allowed: 'The workspace rejects files of this type; ask its administrators.',
};
