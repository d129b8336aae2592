/** The rehearsal's fixed workspace: one team, its people, one channel that the bot is in. */

export interface Person {
  id: string;
  /** Handle, without @. */
  name: string;
  realName: string;
  /** What the page says under the name. */
  role: string;
  /** What users.info says beyond that; absent: a full member. `team`: of another workspace, through Slack Connect. */
  standing?: { guest?: 'multi-channel' | 'single-channel'; bot?: boolean; deleted?: boolean; team?: string };
}

export interface Workspace {
  team: { id: string; name: string; domain: string; enterpriseId?: string };
  app: { id: string; botId: string; botUserId: string; name: string; handle: string };
  people: Person[];
  /** `people`: ids of those who are in it; absent: everybody. */
  channels: {
    id: string;
    name: string;
    topic: string;
    botIsMember: boolean;
    people?: string[] /** A conversation of this person and the app. */;
    direct?: string;
  }[];
  groups: { id: string; handle: string; name: string; users: string[] }[];
  /** What the app was granted; Slack says it in a header of each answer. */
  scopes: string[];
  /** Slash commands that the app registered. */
  commands: string[];
  /** Tokens that the rehearsal's app uses. Any token of the right kind is taken unless `startSlackServer` is told otherwise. */
  botToken: string;
  appToken: string;
  signingSecret: string;
}

export const WORKSPACE = {
  team: { id: 'T0BELAY', name: 'Belay rehearsal', domain: 'belay-rehearsal' },
  app: { id: 'A0BELAY', botId: 'B0BELAY', botUserId: 'U0BELAY', name: 'Belay', handle: 'belay' },
  people: [
    { id: 'U0ALEX', name: 'alex', realName: 'Alex Kim', role: 'asks for upgrades' },
    { id: 'U0SAM', name: 'sam', realName: 'Sam Rivera', role: 'approver' },
    { id: 'U0RIN', name: 'rin', realName: 'Rin Park', role: 'approver, on call' },
    { id: 'U0EVE', name: 'eve', realName: 'Eve Moss', role: 'may not decide' },
  ],
  channels: [
    { id: 'C0UPGRADES', name: 'eks-upgrades', topic: 'Cluster upgrades, one thread each', botIsMember: true },
    { id: 'C0GENERAL', name: 'general', topic: 'Everything else', botIsMember: false },
  ],
  groups: [{ id: 'S0PLATFORM', handle: 'platform', name: 'Platform team', users: ['U0SAM', 'U0RIN'] }],
  scopes: [
    'chat:write',
    'commands',
    'channels:history',
    'channels:read',
    'groups:history',
    'groups:read',
    'users:read',
    'usergroups:read',
    'im:write',
    'im:history',
    'reactions:read',
    'reactions:write',
    'files:write',
  ],
  commands: ['/eks-upgrade'],
  botToken: 'xoxb-rehearsal',
  appToken: 'xapp-rehearsal',
  signingSecret: 'rehearsal-signing-secret',
} satisfies Workspace;
