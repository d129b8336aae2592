/** What the stand-in's parts share: the workspace, its messages, its modals, and the way to the app. */
import type { AppLink } from './modes/app-link.ts';
import { messageBlockErrors } from './block-kit/block-rules.ts';
import { SlackError } from './errors.ts';
import type { FileStore } from './methods/files.ts';
import type { Block, Message, MessageStore } from './methods/messages.ts';
import { type Fields, fieldsOf, isFields, textOf } from './block-kit/shape.ts';
import type { ResponseUrls, Triggers } from './modes/short-lived.ts';
import { type ViewStore, withIds } from './views.ts';
import type { Workspace } from './workspace.ts';

export interface SlackState {
  workspace: Workspace;
  messages: MessageStore;
  /** Conversations of one person and the app, as they were opened. */
  direct: Workspace['channels'];
  files: FileStore;
  views: ViewStore;
  triggers: Triggers;
  responseUrls: ResponseUrls;
  link: AppLink;
  /** http://127.0.0.1:port */
  origin: string;
  down: boolean;
}

/** A message as the API shows it: no field of the stand-in's own; histories show metadata only when asked for it. */
export function wireMessage(message: Message, withMetadata = true): Fields {
  const { channel: _channel, ephemeralTo: _ephemeralTo, metadata, ...rest } = message;
  return withMetadata && metadata !== undefined ? { ...rest, metadata } : rest;
}

/** Checks blocks as Slack does and names those without an id. Throws invalid_blocks or invalid_blocks_format. */
export function acceptBlocks(blocks: unknown): Block[] {
  if (blocks === undefined || blocks === null) return [];
  if (!Array.isArray(blocks)) throw new SlackError('invalid_blocks_format');
  const errors = messageBlockErrors(blocks);
  if (errors.length > 0) throw SlackError.withMessages('invalid_blocks', errors);
  return withIds(blocks.filter(isFields).map((block) => ({ ...block, type: textOf(block['type']) ?? '' })));
}

/** `thread_ts`; undefined for none. Throws invalid_thread_ts. */
export function threadAsked(args: Fields): string | undefined {
  const thread = args['thread_ts'];
  if (thread === undefined || thread === '') return undefined;
  if (typeof thread !== 'string' || !/^\d+\.\d{6}$/.test(thread)) throw new SlackError('invalid_thread_ts');
  return thread;
}

interface Posting extends Pick<Message, 'metadata' | 'files'> {
  channel: string;
  content: Fields;
  threadTs?: string;
  ephemeralTo?: string;
  broadcast?: boolean;
}

/** Posts as the app. Throws what Slack would refuse. */
export function postAsApp(state: SlackState, input: Posting): Message {
  const blocks = acceptBlocks(input.content['blocks']);
  const text = textOf(input.content['text']) ?? '';
  if (text === '' && blocks.length === 0 && input.files === undefined) throw new SlackError('no_text');
  const { app, team } = state.workspace;
  return state.messages.post({
    channel: input.channel,
    user: app.botUserId,
    bot_id: app.botId,
    app_id: app.id,
    team: team.id,
    text,
    blocks,
    thread_ts: input.threadTs,
    ephemeralTo: input.ephemeralTo,
    subtype: input.broadcast === true && input.threadTs !== undefined ? 'thread_broadcast' : undefined,
    metadata: input.metadata,
    ...(input.files === undefined ? {} : { files: input.files, upload: true }),
  });
}

/** `{ event_type, event_payload }` or an error that Slack gives. `{}` removes what was there. */
export function acceptMetadata(value: unknown, maxBytes: number): Message['metadata'] {
  if (value === undefined || value === null || (isFields(value) && Object.keys(value).length === 0)) return undefined;
  if (!isFields(value)) throw new SlackError('invalid_metadata_format');
  const type = textOf(value['event_type']);
  if (type === undefined || type === '' || type.length > 255 || !isFields(value['event_payload']))
    throw new SlackError('invalid_metadata_format');
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) throw new SlackError('metadata_too_large');
  return { event_type: type, event_payload: fieldsOf(value['event_payload']) };
}
