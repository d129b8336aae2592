/** Slack's stand-in: Web API, socket mode (or signed HTTP requests), response urls and the channel's web page behind one port. */
import { createServer } from 'node:http';
import express from 'express';
import type { SlackFates } from '../../world/faults/apis/slack.ts';
import { close, listen } from '../../world/core/loopback.ts';
import type { Journal } from '../../world/journal.ts';
import type { AppLink } from './modes/app-link.ts';
import { fileRoutes } from './methods/file-routes.ts';
import { FileStore } from './methods/files.ts';
import { HttpMode } from './modes/http-mode.ts';
import { type Click, type ClickOutcome, Interactions, type Outcome, type ViewOutcome } from './interactions.ts';
import { type Message, type MessageChange, MessageStore } from './methods/messages.ts';
import type { Methods } from './methods/method.ts';
import { CHAT_METHODS } from './methods/methods-chat.ts';
import { DIRECT_METHODS } from './methods/methods-direct.ts';
import { FILE_METHODS } from './methods/methods-files.ts';
import { READING_METHODS } from './methods/methods-reading.ts';
import { PageServer, type Scene } from './page-server.ts';
import { responseUrlRoutes } from './responses.ts';
import { ResponseUrls, Triggers } from './modes/short-lived.ts';
import { SocketMode } from './modes/socket-mode.ts';
import type { SlackState } from './state.ts';
import type { Filled } from './view-state.ts';
import { type View, ViewStore } from './views.ts';
import { type Fault, type Tokens, webApiRoutes } from './web-api.ts';
import { WORKSPACE, type Workspace } from './workspace.ts';

/** Slack waits this long for an acknowledgement, and this long a trigger id opens a modal. */
const SLACK_PATIENCE_MS = 3000;

export interface SlackServerOptions {
  journal: Journal;
  /** World time, shown on the page. Messages carry wall time, as everything in Temporal does. */
  now: () => Date;
  /** 0, the default, takes a free one. */
  port?: number;
  workspace?: Workspace;
  /** Without them any token of the right kind is taken. */
  tokens?: Tokens;
  /** HTTP mode: where signed requests go, instead of socket mode. */
  httpRequestUrl?: string;
  /** HTTP mode; the workspace's by default. */
  signingSecret?: string;
  ackTimeoutMs?: number;
  /** Address of Temporal UI, for the page's link. */
  temporalUi?: () => string | undefined;
  /** What an empty channel proposes to type. */
  suggestion?: string;
  /** What is played, for the page. */
  scene?: Scene;
}

/** What main, the persona and tests do with it. Listeners return their own removal. */
export interface SlackStandIn {
  /** For SLACK_API_URL; ends with /api/. */
  apiUrl: string;
  pageUrl: string;
  workspace: Workspace;
  /** All messages in order, ephemeral ones (`ephemeralTo`) too. */
  messages(): Message[];
  /** Each new message that all can see. */
  onMessage(listener: (message: Message) => void): () => void;
  /** Posts, edits and removals, ephemeral ones too. */
  onChange(listener: (change: MessageChange) => void): () => void;
  /** Awaited after a press and before the app hears of it, so that a kill can fall there. */
  onClick(listener: (click: Click) => void | Promise<void>): () => void;
  submitCommand(user: string, text: string): Promise<Outcome>;
  click(user: string, messageTs: string, actionId: string): Promise<ClickOutcome>;
  /** Values by block id or action id. */
  submitView(user: string, viewId: string, values: Filled): Promise<ViewOutcome>;
  closeView(user: string, viewId: string): Promise<void>;
  /** Something in the channel, or in a thread of it, that the app did not write. */
  say: Interactions['say'];
  /** Something in a person's conversation with the app that the app did not write. */
  sayDirectly: Interactions['sayDirectly'];
  /** A button or a menu of a modal or of the Home tab. */
  pressInView: Interactions['pressInView'];
  /** Looks at the Home tab: the app hears of it. */
  openHome(user: string): Promise<Outcome>;
  /** What the app has published for a user. */
  home(user: string): View | undefined;
  /** Modals that a user has open, the top one last. */
  openViews(user: string): View[];
  /** Connections of the app. */
  connected(): number;
  /** The API answers 503 and sockets close, until it is set back. */
  setDown(down: boolean): void;
  /** The next calls of a method (`*`: of any) fail. */
  failNext(method: string, fault: Fault): void;
  /** Calls suffer from now on what this decides; undefined: nothing. */
  setFates(fates: SlackFates | undefined): void;
  /** Closes the app's sockets, as Slack does every few hours. */
  recycle(): void;
  close(): Promise<void>;
}

function methodsOf(link: AppLink): Methods {
  return {
    ...READING_METHODS,
    ...CHAT_METHODS,
    ...FILE_METHODS,
    ...DIRECT_METHODS,
    'apps.connections.open': {
      token: 'app',
      // The socket goes the way of the request: through the proxy where one stands between.
      run: (_args, _state, host) => (link instanceof SocketMode ? { url: link.open(`ws://${host}`) } : {}),
    },
  };
}

function linkOf(options: SlackServerOptions, workspace: Workspace): AppLink {
  const ackTimeoutMs = options.ackTimeoutMs ?? SLACK_PATIENCE_MS;
  if (options.httpRequestUrl === undefined) return new SocketMode({ appId: workspace.app.id, ackTimeoutMs });
  return new HttpMode({
    requestUrl: options.httpRequestUrl,
    signingSecret: options.signingSecret ?? workspace.signingSecret,
    ackTimeoutMs,
  });
}

/** Listens on 127.0.0.1 and resolves when it does. */
export async function startSlackServer(options: SlackServerOptions): Promise<SlackStandIn> {
  const workspace = options.workspace ?? WORKSPACE;
  const app = express().disable('x-powered-by');
  const server = createServer(app);
  const origin = `http://127.0.0.1:${await listen(server, options.port)}`;
  const link = linkOf(options, workspace);
  if (link instanceof SocketMode) link.attach(server);
  const state: SlackState = {
    workspace,
    messages: new MessageStore(),
    direct: [],
    files: new FileStore(),
    views: new ViewStore(workspace),
    triggers: new Triggers(SLACK_PATIENCE_MS),
    responseUrls: new ResponseUrls(),
    link,
    origin,
    down: false,
  };
  const faults = new Map<string, Fault>();
  const fates: { current: SlackFates | undefined } = { current: undefined };
  const interactions = new Interactions(state);
  const page = new PageServer({
    state,
    interactions,
    now: options.now,
    temporalUi: options.temporalUi ?? (() => undefined),
    suggestion: options.suggestion ?? '/eks-upgrade start staging 1.32',
    scene: options.scene,
    worldEvents: () => options.journal.events,
  });
  app.use(page.routes());
  app.use(responseUrlRoutes(state));
  app.use(fileRoutes(state));
  app.use(webApiRoutes({ state, methods: methodsOf(link), journal: options.journal, faults, fates, tokens: options.tokens }));
  return {
    apiUrl: `${origin}/api/`,
    pageUrl: `${origin}/`,
    workspace,
    messages: () => state.messages.all(),
    onMessage: (listener) =>
      state.messages.onChange(({ kind, message }) => {
        if (kind === 'posted' && message.ephemeralTo === undefined && !message.channel.startsWith('D')) listener(message);
      }),
    onChange: (listener) => state.messages.onChange(listener),
    onClick: (listener) => interactions.onClick(listener),
    submitCommand: (user, text) => interactions.submitCommand(user, text),
    click: (user, messageTs, actionId) => interactions.click(user, messageTs, actionId),
    submitView: (user, viewId, values) => interactions.submitView(user, viewId, values),
    closeView: (user, viewId) => interactions.closeView(user, viewId),
    say: (user, text, threadTs, metadata) => interactions.say(user, text, threadTs, metadata),
    sayDirectly: (user, text, metadata) => interactions.sayDirectly(user, text, metadata),
    pressInView: (user, viewId, actionId, press) => interactions.pressInView(user, viewId, actionId, press),
    openHome: (user) => interactions.openHome(user),
    home: (user) => state.views.home(user),
    openViews: (user) => state.views.of(user),
    connected: () => link.connected(),
    setDown(down) {
      state.down = down;
      link.setDown(down);
    },
    setFates: (wanted) => void (fates.current = wanted),
    recycle() {
      link.setDown(true);
      link.setDown(state.down);
    },
    failNext: (method, fault) => void faults.set(method, { ...fault }),
    close() {
      page.close();
      link.close();
      return close(server);
    },
  };
}
