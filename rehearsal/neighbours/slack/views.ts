/** Modals that are open, and the Home tab, per user. */
import { createHash, randomBytes } from 'node:crypto';
import { viewErrors } from './block-kit/block-rules.ts';
import { SlackError } from './errors.ts';
import { type Fields, fieldsOf, listOf, textOf } from './block-kit/shape.ts';
import type { Workspace } from './workspace.ts';

/** An open modal, in the shape that Slack returns and sends. */
export interface View extends Fields {
  id: string;
  hash: string;
  blocks: Fields[];
}

export interface OpenView {
  user: string;
  view: View;
}

/** Modals of one person, one over the other. */
const STACK_LIMIT = 3;
const KEPT = ['type', 'title', 'submit', 'close', 'private_metadata', 'callback_id', 'external_id', 'clear_on_close', 'notify_on_close'];

export class ViewStore {
  readonly #workspace: Workspace;
  readonly #listeners = new Set<(user: string) => void>();
  #open: OpenView[] = [];
  readonly #homes = new Map<string, View>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Called with the user whose modals changed. */
  onChange(listener: (user: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The modals of a user, the one on top last. */
  of(user: string): View[] {
    return this.#open.filter((open) => open.user === user).map((open) => open.view);
  }

  /** A modal or a Home tab. */
  find(id: string): OpenView | undefined {
    const home = [...this.#homes].find(([, view]) => view.id === id);
    return this.#open.find((open) => open.view.id === id) ?? (home === undefined ? undefined : { user: home[0], view: home[1] });
  }

  /** undefined: the app has published none. */
  home(user: string): View | undefined {
    return this.#homes.get(user);
  }

  /** Throws hash_conflict. */
  publish(user: string, definition: Fields, hash?: string): View {
    const before = this.#homes.get(user);
    if (hash !== undefined && before !== undefined && hash !== before.hash) throw new SlackError('hash_conflict');
    const view = this.#make(definition, before?.id ?? newViewId(), 'home');
    this.#homes.set(user, view);
    this.#tell(user);
    return view;
  }

  open(user: string, definition: Fields): View {
    const view = this.#make(definition, newViewId());
    this.#open.push({ user, view });
    this.#tell(user);
    return view;
  }

  /** Over the modal on top. Throws not_found or push_limit_reached. */
  push(user: string, definition: Fields): View {
    const below = this.of(user);
    const top = below.at(-1);
    if (top === undefined) throw new SlackError('not_found');
    if (below.length >= STACK_LIMIT) throw new SlackError('push_limit_reached');
    const stacked = { root_view_id: top['root_view_id'], previous_view_id: top.id };
    const view: View = { ...this.#make(definition, newViewId()), ...stacked };
    this.#open.push({ user, view });
    this.#tell(user);
    return view;
  }

  /** By view id or external id. Throws not_found or hash_conflict. */
  update(where: { viewId?: string; externalId?: string; hash?: string }, definition: Fields): View {
    const found = this.#open.find(({ view }) =>
      where.viewId !== undefined ? view.id === where.viewId : where.externalId !== undefined && view['external_id'] === where.externalId,
    );
    if (found === undefined) throw new SlackError('not_found');
    if (where.hash !== undefined && where.hash !== found.view.hash) throw new SlackError('hash_conflict');
    const { root_view_id: root, previous_view_id: previous } = found.view;
    found.view = { ...this.#make(definition, found.view.id), root_view_id: root, previous_view_id: previous };
    this.#tell(found.user);
    return found.view;
  }

  close(id: string): void {
    const user = this.find(id)?.user;
    this.#open = this.#open.filter((open) => open.view.id !== id);
    if (user !== undefined) this.#tell(user);
  }

  closeAll(user: string): void {
    this.#open = this.#open.filter((open) => open.user !== user);
    this.#tell(user);
  }

  #make(definition: Fields, id: string, type: 'modal' | 'home' = 'modal'): View {
    const errors = viewErrors(definition, type);
    if (errors.length > 0) throw SlackError.withMessages('invalid_arguments', errors);
    const { team, app } = this.#workspace;
    const blocks = withIds(listOf(definition['blocks']));
    const kept = Object.fromEntries(KEPT.map((field) => [field, definition[field] ?? (field.endsWith('on_close') ? false : '')]));
    const common = { ...kept, submit: definition['submit'] ?? null, close: definition['close'] ?? null };
    return {
      id,
      ...common,
      team_id: team.id,
      app_id: app.id,
      bot_id: app.botId,
      app_installed_team_id: team.id,
      root_view_id: id,
      previous_view_id: null,
      blocks,
      state: { values: {} },
      hash: `${Date.now()}.${createHash('sha1')
        .update(JSON.stringify([blocks, common]))
        .digest('hex')
        .slice(0, 8)}`,
    };
  }

  #tell(user: string): void {
    for (const listener of this.#listeners) listener(user);
  }
}

const newViewId = (): string => `V${randomBytes(5).toString('hex').toUpperCase()}`;

/** Slack names blocks and elements that the app did not name. */
export function withIds<T extends Fields>(blocks: T[]): (T & { block_id: string })[] {
  const named = (element: unknown): unknown => {
    const fields = fieldsOf(element);
    const acts = fields['type'] !== 'image' && fields['type'] !== 'mrkdwn' && fields['type'] !== 'plain_text';
    return acts && textOf(fields['action_id']) === undefined ? { ...fields, action_id: shortId() } : fields;
  };
  return blocks.map((block) => ({
    ...block,
    ...(block['type'] === 'actions' ? { elements: listOf(block['elements']).map(named) } : {}),
    ...(block['type'] === 'input' ? { element: named(block['element']) } : {}),
    ...(block['accessory'] === undefined ? {} : { accessory: named(block['accessory']) }),
    block_id: textOf(block['block_id']) ?? shortId(),
  }));
}

function shortId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5);
}
