/** conversations.*, users.*, usergroups.*, bots.*, auth.test: what an app reads. */
import { SlackError } from '../errors.ts';
import type { Message } from './messages.ts';
import { type Channel, channelOf, checkDirectScope, joinedChannelOf, type Methods, page, required } from './method.ts';
import { type Fields, isYes, textOf } from '../block-kit/shape.ts';
import { type SlackState, wireMessage } from '../state.ts';
import type { Person, Workspace } from '../workspace.ts';

const HISTORY = ['channels:history', 'groups:history', 'im:history'];
const CHANNELS = ['channels:read', 'groups:read'];

function within(messages: Message[], args: Fields): Message[] {
  const oldest = Number(textOf(args['oldest']) ?? 0);
  const latest = Number(textOf(args['latest']) ?? Number.POSITIVE_INFINITY);
  const inclusive = isYes(args['inclusive']);
  return messages.filter(({ ts }) => {
    const at = Number(ts);
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  });
}

function messagePage(messages: Message[], args: Fields): Fields {
  const { items, hasMore, nextCursor } = page(messages, args, 100);
  return {
    messages: items.map((message) => wireMessage(message, isYes(args['include_all_metadata']))),
    has_more: hasMore,
    ...(hasMore ? { response_metadata: { next_cursor: nextCursor } } : {}),
  };
}

function channelInfo(channel: Channel, state: SlackState): Fields {
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: true,
    is_group: false,
    is_im: false,
    is_private: false,
    is_archived: false,
    is_general: channel.name === 'general',
    is_member: channel.botIsMember,
    num_members: (channel.people ?? state.workspace.people).length + (channel.botIsMember ? 1 : 0),
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  };
}

/** https://docs.slack.dev/reference/objects/user-object: of people of another workspace Slack leaves out who they are there. */
function userInfo(person: Person, { id: home, enterpriseId }: Workspace['team']): Fields {
  const { guest, bot = false, deleted = false, team = home } = person.standing ?? {};
  const common = {
    id: person.id,
    team_id: team,
    name: person.name,
    real_name: person.realName,
    deleted,
    is_bot: bot,
    tz: 'Etc/UTC',
    profile: { real_name: person.realName, display_name: person.name, title: person.role },
  };
  if (team !== home) return { ...common, is_stranger: false };
  // Slack says less of deactivated accounts.
  if (deleted) return common;
  return {
    ...common,
    is_admin: false,
    is_owner: false,
    is_restricted: guest !== undefined,
    is_ultra_restricted: guest === 'single-channel',
    is_app_user: false,
    ...(enterpriseId === undefined ? {} : { enterprise_user: { id: person.id, enterprise_id: enterpriseId, teams: [home] } }),
  };
}

function botAsPerson({ workspace }: SlackState): Person {
  return { id: workspace.app.botUserId, name: workspace.app.handle, realName: workspace.app.name, role: 'app', standing: { bot: true } };
}

export const READING_METHODS: Methods = {
  'api.test': {
    token: 'none',
    run(args) {
      const error = textOf(args['error']);
      if (error !== undefined) throw new SlackError(error, { args });
      return { args };
    },
  },
  'auth.test': {
    run: (_args, { workspace }) => ({
      url: `https://${workspace.team.domain}.slack.com/`,
      team: workspace.team.name,
      user: workspace.app.handle,
      team_id: workspace.team.id,
      user_id: workspace.app.botUserId,
      bot_id: workspace.app.botId,
      is_enterprise_install: false,
      ...(workspace.team.enterpriseId === undefined ? {} : { enterprise_id: workspace.team.enterpriseId }),
    }),
  },
  'bots.info': {
    scopes: ['users:read'],
    run(args, { workspace }) {
      if (textOf(args['bot']) !== workspace.app.botId) throw new SlackError('bot_not_found');
      const { app } = workspace;
      return { bot: { id: app.botId, app_id: app.id, user_id: app.botUserId, name: app.name, deleted: false } };
    },
  },
  'conversations.history': {
    scopes: HISTORY,
    run(args, state) {
      const channel = joinedChannelOf(args, state);
      checkDirectScope(channel, 'im:history', state);
      return messagePage(within(state.messages.history(channel.id), args), args);
    },
  },
  'conversations.replies': {
    scopes: HISTORY,
    run(args, state) {
      const [parent, ...replies] = state.messages.thread(joinedChannelOf(args, state).id, required(args, 'ts'));
      return messagePage([...(parent === undefined ? [] : [parent]), ...within(replies, args)], args);
    },
  },
  'conversations.info': { scopes: CHANNELS, run: (args, state) => ({ channel: channelInfo(channelOf(args, state), state) }) },
  'conversations.list': {
    scopes: CHANNELS,
    run(args, state) {
      const { items, nextCursor } = page(state.workspace.channels, args, 100);
      return { channels: items.map((channel) => channelInfo(channel, state)), response_metadata: { next_cursor: nextCursor } };
    },
  },
  'conversations.members': {
    scopes: CHANNELS,
    run(args, state) {
      const channel = channelOf(args, state);
      const members = [
        ...(channel.people ?? state.workspace.people.map((person) => person.id)),
        ...(channel.botIsMember ? [state.workspace.app.botUserId] : []),
      ];
      const { items, nextCursor } = page(members, args, 100);
      return { members: items, response_metadata: { next_cursor: nextCursor } };
    },
  },
  /** https://docs.slack.dev/reference/methods/users.conversations: without `user` those of the app, and without is_member and num_members. */
  'users.conversations': {
    scopes: CHANNELS,
    run(args, state) {
      const joined = state.workspace.channels.filter(({ botIsMember }) => botIsMember);
      const { items, nextCursor } = page(joined, args, 100);
      const channels = items.map((channel) => {
        const { is_member: _isMember, num_members: _memberCount, ...limited } = channelInfo(channel, state);
        return limited;
      });
      return { channels, response_metadata: { next_cursor: nextCursor } };
    },
  },
  'users.info': {
    scopes: ['users:read'],
    run(args, state) {
      const person = [...state.workspace.people, botAsPerson(state)].find(({ id }) => id === args['user']);
      if (person === undefined) throw new SlackError('user_not_found');
      return { user: userInfo(person, state.workspace.team) };
    },
  },
  'usergroups.list': {
    scopes: ['usergroups:read'],
    run: (args, { workspace }) => ({
      usergroups: workspace.groups.map((group) => ({
        id: group.id,
        team_id: workspace.team.id,
        is_usergroup: true,
        name: group.name,
        handle: group.handle,
        date_delete: 0,
        user_count: group.users.length,
        ...(isYes(args['include_users']) ? { users: group.users } : {}),
      })),
    }),
  },
  'usergroups.users.list': {
    scopes: ['usergroups:read'],
    run(args, { workspace }) {
      const group = workspace.groups.find(({ id }) => id === args['usergroup']);
      if (group === undefined) throw new SlackError('no_such_subteam');
      return { users: group.users };
    },
  },
};
