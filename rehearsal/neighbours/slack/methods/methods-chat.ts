/** chat.*, views.*: what an app writes. */
import { LIMITS } from '../block-kit/block-limits.ts';
import { SlackError } from '../errors.ts';
import { type Message, threadOf } from './messages.ts';
import { joinedChannelOf, type Methods, missing, required } from './method.ts';
import { type Fields, fieldsOf, isFields, isYes, textOf } from '../block-kit/shape.ts';
import { acceptBlocks, acceptMetadata, postAsApp, type SlackState, threadAsked, wireMessage } from '../state.ts';

const WRITE = ['chat:write'];

/** Slack documents no limit of all blocks together, but has one; answers to response_url have none (bolt-js' issues 2509 and 2867). */
function refuseLong(blocks: unknown): void {
  if (JSON.stringify(blocks ?? []).length > LIMITS.messageLength) throw new SlackError('msg_blocks_too_long');
}

function ownMessage(args: Fields, state: SlackState, refusal: string): Message {
  const channel = joinedChannelOf(args, state);
  const message = state.messages.find(channel.id, required(args, 'ts'));
  if (message === undefined || message.ephemeralTo !== undefined) throw new SlackError('message_not_found');
  if (message.user !== state.workspace.app.botUserId) throw new SlackError(refusal);
  return message;
}

function viewOf(args: Fields): Fields {
  const view = args['view'];
  if (!isFields(view)) throw missing('view');
  return view;
}

export const CHAT_METHODS: Methods = {
  'chat.postMessage': {
    scopes: WRITE,
    mutates: true,
    run(args, state) {
      const channel = joinedChannelOf(args, state, { byName: true });
      if ((textOf(args['text']) ?? '').length > LIMITS.messageText) throw new SlackError('msg_too_long');
      refuseLong(args['blocks']);
      const message = postAsApp(state, {
        channel: channel.id,
        content: args,
        threadTs: threadAsked(args),
        broadcast: isYes(args['reply_broadcast']),
        metadata: acceptMetadata(args['metadata'], LIMITS.metadataBytes),
      });
      return { channel: channel.id, ts: message.ts, message: wireMessage(message) };
    },
  },
  'chat.update': {
    scopes: WRITE,
    mutates: true,
    run(args, state) {
      const { channel, ts } = ownMessage(args, state, 'cant_update_message');
      const text = textOf(args['text']);
      if ((text ?? '').length > LIMITS.updateText) throw new SlackError('msg_too_long');
      if (text === undefined && args['blocks'] === undefined) throw new SlackError('no_text');
      refuseLong(args['blocks']);
      const blocks = args['blocks'] === undefined ? undefined : acceptBlocks(args['blocks']);
      const metadata = acceptMetadata(args['metadata'], LIMITS.metadataBytes);
      const message = state.messages.edit(channel, ts, (edited) => {
        if (text !== undefined) edited.text = text;
        // Text alone takes the blocks away, and only then the message is marked as edited.
        edited.blocks = blocks ?? [];
        if (blocks === undefined) edited.edited = { user: state.workspace.app.botUserId, ts: state.messages.nextTs() };
        if (args['metadata'] !== undefined) edited.metadata = metadata;
      });
      return { channel, ts, text: message.text, message: wireMessage(message) };
    },
  },
  'chat.delete': {
    scopes: WRITE,
    mutates: true,
    run(args, state) {
      const { channel, ts } = ownMessage(args, state, 'cant_delete_message');
      state.messages.remove(channel, ts);
      return { channel, ts };
    },
  },
  'chat.postEphemeral': {
    scopes: WRITE,
    mutates: true,
    run(args, state) {
      const channel = joinedChannelOf(args, state);
      const user = required(args, 'user');
      if (!state.workspace.people.some((person) => person.id === user)) throw new SlackError('user_not_in_channel');
      const message = postAsApp(state, { channel: channel.id, content: args, threadTs: threadAsked(args), ephemeralTo: user });
      return { message_ts: message.ts };
    },
  },
  'chat.getPermalink': {
    run(args, state) {
      const channel = joinedChannelOf(args, state);
      const message = state.messages.find(channel.id, required(args, 'message_ts'));
      if (message === undefined) throw new SlackError('message_not_found');
      const thread = threadOf(message);
      const query = thread === undefined ? '' : `?thread_ts=${thread}&cid=${channel.id}`;
      return { channel: channel.id, permalink: `${state.origin}/archives/${channel.id}/p${message.ts.replace('.', '')}${query}` };
    },
  },
  'views.open': {
    mutates: true,
    run(args, state) {
      const view = viewOf(args);
      return { view: state.views.open(state.triggers.redeem(required(args, 'trigger_id')), view) };
    },
  },
  'views.publish': {
    mutates: true,
    run(args, state) {
      const user = required(args, 'user_id');
      if (!state.workspace.people.some(({ id }) => id === user)) throw new SlackError('user_not_found');
      return { view: state.views.publish(user, viewOf(args), textOf(args['hash'])) };
    },
  },
  // https://docs.slack.dev/reference/methods/views.push: with a trigger of the modal that is open, at most two times.
  'views.push': {
    mutates: true,
    run(args, state) {
      const view = viewOf(args);
      return { view: state.views.push(state.triggers.redeem(required(args, 'trigger_id')), view) };
    },
  },
  'views.update': {
    mutates: true,
    run(args, state) {
      const where = { viewId: textOf(args['view_id']), externalId: textOf(args['external_id']), hash: textOf(args['hash']) };
      return { view: state.views.update(where, fieldsOf(viewOf(args))) };
    },
  },
};
