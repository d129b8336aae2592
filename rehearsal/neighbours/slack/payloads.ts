/** The JSON that Slack sends to an app: commands, button presses, submitted views. */
import { randomBytes } from 'node:crypto';
import { type Message, threadOf } from './methods/messages.ts';
import { type Fields, fieldsOf, listOf, textOf } from './block-kit/shape.ts';
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

/** All buttons and menus of a message or a view, in order; in modals also inputs that tell the app of each choice. */
export function pressables({ blocks }: { blocks: readonly Fields[] }): Pressable[] {
  return blocks.flatMap((block) => {
    const told = block['type'] === 'input' && block['dispatch_action'] === true;
    const elements = block['type'] === 'actions' ? listOf(block['elements']) : [fieldsOf(told ? block['element'] : block['accessory'])];
    return elements
      .filter((element) => textOf(element['action_id']) !== undefined)
      .map((element) => ({ blockId: textOf(block['block_id']) ?? '', element }));
  });
}

/** What the app is told of a press: the element without what it offered, and what was chosen of it. */
function actionOf({ blockId, element }: Pressable, selected: string | undefined): Fields {
  const option = listOf(element['options']).find((one) => one['value'] === selected);
  const kept = Object.fromEntries(
    ['action_id', 'type', 'text', 'value', 'style', 'confirm'].flatMap((name) =>
      element[name] === undefined ? [] : [[name, element[name]]],
    ),
  );
  return {
    ...kept,
    block_id: blockId,
    action_ts: (Date.now() / 1000).toFixed(6),
    ...(option === undefined ? {} : { selected_option: option }),
  };
}

/** A press in a modal or on a Home tab: no message, no channel, no response url. */
export function viewActionPayload(
  occasion: Occasion,
  press: { view: View; pressable: Pressable; selected?: string; values: Fields },
): Fields {
  const { view, pressable, selected, values } = press;
  return {
    type: 'block_actions',
    user: userOf(occasion),
    api_app_id: occasion.workspace.app.id,
    token: VERIFICATION_TOKEN,
    container: { type: 'view', view_id: view.id },
    trigger_id: occasion.triggerId,
    team: teamOf(occasion.workspace),
    enterprise: null,
    is_enterprise_install: false,
    view: { ...view, state: { values } },
    actions: [actionOf(pressable, selected)],
  };
}

/** Somebody looks at the app's Home tab. https://docs.slack.dev/reference/events/app_home_opened */
export function homeOpenedPayload({ workspace, person }: Occasion, view: View | undefined): Fields {
  const now = Date.now() / 1000;
  return {
    token: VERIFICATION_TOKEN,
    team_id: workspace.team.id,
    api_app_id: workspace.app.id,
    type: 'event_callback',
    event: {
      type: 'app_home_opened',
      user: person.id,
      channel: `D0${person.id.slice(2)}`,
      tab: 'home',
      event_ts: now.toFixed(6),
      ...(view === undefined ? {} : { view }),
    },
    event_id: `Ev${randomBytes(5).toString('hex').toUpperCase()}`,
    event_time: Math.floor(now),
    authorizations: [
      {
        enterprise_id: workspace.team.enterpriseId ?? null,
        team_id: workspace.team.id,
        user_id: workspace.app.botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: false,
  };
}

export function actionPayload(
  occasion: Occasion,
  press: { message: Message; wireMessage: Fields; pressable: Pressable; selected?: string; channelName: string; responseUrl: string },
): Fields {
  const { message, pressable } = press;
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
    actions: [actionOf(pressable, press.selected)],
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
