/** Who somebody is in Slack, and why some people may neither decide nor command whatever groups they are in. */

/** What Slack says of a user (users.info). */
export interface SlackPerson {
  /** Their own workspace; of people in shared channels another one than the app's. */
  teamId?: string;
  /** Set on Enterprise Grid. */
  enterpriseId?: string;
  deactivated: boolean;
  bot: boolean;
  /** Multi-channel or single-channel. */
  guest: boolean;
  /** Slack's own word: of another workspace, and in no channel that the app sees. */
  stranger: boolean;
}

/** The workspace in which the app is installed. */
export interface Home {
  teamId: string;
  /** Set on Enterprise Grid: people of the same organisation may have another team id. */
  enterpriseId?: string;
}

/** undefined: they belong here. Where Slack does not say of which workspace they are, they do not. */
export function whyNotMember(person: SlackPerson, home: Home): string | undefined {
  if (person.deactivated) return 'This Slack account is deactivated';
  if (person.bot) return 'Bots and workflows decide nothing';
  if (person.stranger || !isAtHome(person, home)) return 'Only people of the workspace in which Belay is installed may do that';
  return person.guest ? 'Guests of the workspace may not do that' : undefined;
}

/** By ids, never by names. */
export function isAtHome({ teamId, enterpriseId }: Pick<SlackPerson, 'teamId' | 'enterpriseId'>, home: Home): boolean {
  return (
    (teamId !== undefined && teamId !== '' && teamId === home.teamId) ||
    (home.enterpriseId !== undefined && home.enterpriseId !== '' && enterpriseId === home.enterpriseId)
  );
}
