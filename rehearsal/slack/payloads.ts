/** The JSON that Slack sends to an app: commands, button presses, submitted views. */
import { type Message, threadOf } from './messages.ts';
import { type Fields, fieldsOf, listOf, textOf } from './shape.ts';
import type { View } from './views.ts';
import type { Person, Workspace } from './workspace.ts';

/** Sent with each payload; apps verify the signature instead of it. */
const VERIFICATION_TOKEN = 'rehearsal-verification-token';

export interface Occasion {
  workspace: Workspace;
  person: Person;
  triggerId: string;
}

function teamOf(workspace: Workspace): Fields {
  return { id: workspace.team.id, domain: workspace.team.domain };
}

function userOf({ workspace, person }: Occasion): Fields {
  return { id: person.id, username: person.name, name: person.name, team_id: person.standing?.team ?? workspace.team.id };
}

export function commandPayload(
  occasion: Occasion,
  command: { command: string; text: string; channel: { id: string; name: string }; responseUrl: string },
): Fields {
  const { workspace, person } = occasion;
  return {
    token: VERIFICATION_TOKEN,
    team_id: workspace.team.id,
    team_domain: workspace.team.domain,
    channel_id: command.channel.id,
    channel_name: command.channel.name,
    user_id: person.id,
    user_name: person.name,
    command: command.command,
    text: command.text,
    api_app_id: workspace.app.id,
    is_enterprise_install: 'false',
    response_url: command.responseUrl,
    trigger_id: occasion.triggerId,
  };
}

/** An element that can be pressed, with the block it stands in. */
export interface Pressable {
  blockId: string;
  element: Fields;
}

/** All buttons and menus of a message, in order. */
export function pressables(message: Pick<Message, 'blocks'>): Pressable[] {
  return message.blocks.flatMap((block) => {
    const elements = block.type === 'actions' ? listOf(block['elements']) : [fieldsOf(block['accessory'])];
    return elements
      .filter((element) => textOf(element['action_id']) !== undefined)
      .map((element) => ({ blockId: block.block_id, element }));
  });
}

export function actionPayload(
  occasion: Occasion,
  press: { message: Message; wireMessage: Fields; pressable: Pressable; selected?: string; channelName: string; responseUrl: string },
): Fields {
  const { message, pressable } = press;
  const { element } = pressable;
  const option = listOf(element['options']).find((one) => one['value'] === press.selected);
  const kept = Object.fromEntries(
    ['action_id', 'type', 'text', 'value', 'style', 'confirm'].flatMap((name) =>
      element[name] === undefined ? [] : [[name, element[name]]],
    ),
  );
  return {
    type: 'block_actions',
    user: userOf(occasion),
    api_app_id: occasion.workspace.app.id,
    token: VERIFICATION_TOKEN,
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: message.ephemeralTo !== undefined,
      thread_ts: threadOf(message),
    },
    trigger_id: occasion.triggerId,
    team: teamOf(occasion.workspace),
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: message.channel, name: press.channelName },
    ...(message.ephemeralTo === undefined ? { message: press.wireMessage } : {}),
    state: { values: {} },
    response_url: press.responseUrl,
    actions: [
      {
        ...kept,
        block_id: pressable.blockId,
        action_ts: (Date.now() / 1000).toFixed(6),
        ...(option === undefined ? {} : { selected_option: option }),
      },
    ],
  };
}

export function viewPayload(occasion: Occasion, type: 'view_submission' | 'view_closed', view: View, values: Fields): Fields {
  return {
    type,
    team: teamOf(occasion.workspace),
    user: userOf(occasion),
    api_app_id: occasion.workspace.app.id,
    token: VERIFICATION_TOKEN,
    ...(type === 'view_submission' ? { trigger_id: occasion.triggerId, response_urls: [] } : { is_cleared: false }),
    view: { ...view, state: { values } },
    is_enterprise_install: false,
    enterprise: null,
  };
}
