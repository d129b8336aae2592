/** conversations.open and reactions.*: direct messages, and what an app marks and finds again. */
import { SlackError } from '../errors.ts';
import type { Message } from './messages.ts';
import { type Channel, joinedChannelOf, type Methods, page, required } from './method.ts';
import { type Fields, textOf } from '../block-kit/shape.ts';
import { type SlackState, wireMessage } from '../state.ts';

/** The same conversation each time: docs.slack.dev/reference/methods/conversations.open */
function openDirect(user: string, state: SlackState): Channel {
  const known = state.direct.find(({ direct }) => direct === user);
  if (known !== undefined) return known;
  // What interactions there call it: docs.slack.dev/reference/interaction-payloads/block_actions-payload
  const channel = { id: `D${user.slice(1)}`, name: 'directmessage', topic: '', botIsMember: true, people: [user], direct: user };
  state.direct.push(channel);
  return channel;
}

/** The message that is named, with the emoji's name and the bot whose reaction it is about. */
function editReactions(args: Fields, state: SlackState, edit: (message: Message, name: string, bot: string) => void): void {
  const channel = joinedChannelOf(args, state);
  const name = required(args, 'name').replaceAll(':', '');
  state.messages.edit(channel.id, required(args, 'timestamp'), (message) => edit(message, name, state.workspace.app.botUserId));
}

export const DIRECT_METHODS: Methods = {
  'conversations.open': {
    scopes: ['im:write', 'mpim:write'],
    mutates: true,
    run(args, state) {
      const users = required(args, 'users').split(',');
      if (users.length > 1) throw new SlackError('method_not_supported_for_channel_type');
      const person = state.workspace.people.find(({ id }) => id === users[0]);
      if (person === undefined) throw new SlackError('user_not_found');
      // "A specified user has been disabled."
      if (person.standing?.deleted === true) throw new SlackError('user_disabled');
      return { channel: { id: openDirect(person.id, state).id } };
    },
  },
  'reactions.add': {
    scopes: ['reactions:write'],
    mutates: true,
    run(args, state) {
      editReactions(args, state, (message, name, bot) => {
        const reactions = message.reactions ?? [];
        const same = reactions.find((one) => one.name === name);
        if (same?.users.includes(bot) === true) throw new SlackError('already_reacted');
        if (same === undefined) message.reactions = [...reactions, { name, users: [bot], count: 1 }];
        else Object.assign(same, { users: [...same.users, bot], count: same.count + 1 });
      });
      return {};
    },
  },
  // docs.slack.dev/reference/methods/reactions.remove
  'reactions.remove': {
    scopes: ['reactions:write'],
    mutates: true,
    run(args, state) {
      editReactions(args, state, (message, name, bot) => {
        if (message.reactions?.some((one) => one.name === name && one.users.includes(bot)) !== true) throw new SlackError('no_reaction');
        message.reactions = message.reactions
          ?.map((one) => (one.name === name ? { ...one, users: one.users.filter((user) => user !== bot), count: one.count - 1 } : one))
          .filter(({ count }) => count > 0);
      });
      return {};
    },
  },
  // docs.slack.dev/reference/methods/reactions.list, in conversations that the app is in: docs.slack.dev/reference/scopes/reactions.read
  'reactions.list': {
    scopes: ['reactions:read'],
    run(args, state) {
      const user = textOf(args['user']) ?? state.workspace.app.botUserId;
      const marked = state.messages.all().filter(({ reactions }) => reactions?.some(({ users }) => users.includes(user)) === true);
      const { items, nextCursor } = page(marked.toReversed(), args, 100);
      return {
        items: items.map((message) => ({ type: 'message', channel: message.channel, message: wireMessage(message, false) })),
        response_metadata: { next_cursor: nextCursor },
      };
    },
  },
};
