/** Serves the channel's web page, tells it what happens (Server-Sent Events), and takes what people do on it. */
import { fileURLToPath } from 'node:url';
import express, { type Request, type Response, type Router } from 'express';
import type { Interactions } from './interactions.ts';
import type { Message } from './methods/messages.ts';
import { type Fields, fieldsOf, textOf, textsOf } from './block-kit/shape.ts';
import type { SlackState } from './state.ts';

const PAGE = fileURLToPath(new URL('./page/', import.meta.url));
const TICK_MS = 500;
/** The world's story can be long; a page that opens late sees its end. */
const STORY_LINES = 400;

export interface PageSources {
  state: SlackState;
  interactions: Interactions;
  now: () => Date;
  temporalUi: () => string | undefined;
  worldEvents: () => readonly { at: string; text: string }[];
  /** What an empty channel proposes to type. */
  suggestion: string;
  scene?: Scene;
}

/** What is played: for people who open the page. */
export interface Scene {
  title: string;
  description: string;
  /** World seconds per wall second. */
  speed: number;
  /** Above the world's story, where that is not one cluster's. */
  story?: string;
}

export class PageServer {
  readonly #sources: PageSources;
  readonly #clients = new Set<Client>();
  readonly #ticks: NodeJS.Timeout;

  constructor(sources: PageSources) {
    this.#sources = sources;
    const { messages, views } = sources.state;
    const viewsOf = (user: string): Fields => ({ modals: views.of(user), home: views.home(user) });
    messages.onChange((change) =>
      this.#clients.forEach((client) => client.seesMessage(change.message, sources.state.direct) && client.send('message', change)),
    );
    views.onChange((user) => this.#clients.forEach((client) => client.user === user && client.send('views', viewsOf(user))));
    this.#ticks = setInterval(() => this.#clients.forEach((client) => client.tick(this.#status(), sources.worldEvents())), TICK_MS).unref();
  }

  routes(): Router {
    const router = express.Router();
    const page = (_request: Request, response: Response): void => response.sendFile('index.html', { root: PAGE });
    router.get(['/', '/archives/:channel/:ts'], page);
    router.get('/page/events', (request, response) => this.#follow(request, response));
    router.use(
      '/page',
      express.static(PAGE, { index: false, setHeaders: (response) => void response.setHeader('cache-control', 'no-store') }),
    );
    router.use('/page', express.json());
    const { interactions } = this.#sources;
    const act = (path: string, run: (body: (name: string) => string, all: Fields) => Promise<unknown>): void => {
      router.post(path, async (request: Request, response: Response) => {
        const all = fieldsOf(request.body);
        response.json((await run((name) => textOf(all[name]) ?? '', all)) ?? {});
      });
    };
    act('/page/command', async (body) => ({ outcome: await interactions.submitCommand(body('user'), body('text')) }));
    act('/page/say', async (body) => interactions.say(body('user'), body('text'), body('threadTs') || undefined));
    act('/page/click', async (body) => ({
      outcome: await interactions.click(body('user'), body('messageTs'), body('actionId'), body('selected') || undefined),
    }));
    act('/page/view/submit', (body, all) => interactions.submitView(body('user'), body('viewId'), textsOf(all['values'])));
    act('/page/view/press', async (body, all) => ({
      outcome: await interactions.pressInView(body('user'), body('viewId'), body('actionId'), {
        selected: body('selected') || undefined,
        filled: textsOf(all['values']),
      }),
    }));
    act('/page/home', async (body) => ({ outcome: await interactions.openHome(body('user')) }));
    act('/page/view/close', (body) => interactions.closeView(body('user'), body('viewId')));
    return router;
  }

  close(): void {
    clearInterval(this.#ticks);
    for (const client of this.#clients) client.end();
  }

  #follow(request: Request, response: Response): void {
    const { state, worldEvents } = this.#sources;
    const { people } = state.workspace;
    const user = people.find(({ id }) => id === request.query['user'])?.id ?? people[0]?.id ?? '';
    response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    const client = new Client(user, response, worldEvents().length);
    this.#clients.add(client);
    response.on('close', () => this.#clients.delete(client));
    client.send('hello', {
      user,
      team: state.workspace.team,
      app: { name: state.workspace.app.name, userId: state.workspace.app.botUserId },
      people,
      groups: state.workspace.groups,
      channels: state.workspace.channels.map(({ id, name, topic }) => ({ id, name, topic })),
      commands: state.workspace.commands,
      suggestion: this.#sources.suggestion,
      scene: this.#sources.scene,
      messages: state.messages.all().filter((message) => client.seesMessage(message, state.direct)),
      views: { modals: state.views.of(user), home: state.views.home(user) },
      world: worldEvents().slice(-STORY_LINES),
      status: this.#status(),
    });
  }

  #status(): Fields {
    const { state, now, temporalUi } = this.#sources;
    return { appConnected: state.link.connected() > 0, down: state.down, temporalUi: temporalUi(), worldTime: now().toISOString() };
  }
}

class Client {
  readonly user: string;
  readonly #response: Response;
  #told: number;

  constructor(user: string, response: Response, told: number) {
    this.user = user;
    this.#response = response;
    this.#told = told;
  }

  /** A direct message is its person's alone. */
  seesMessage(message: Message, direct: SlackState['direct']): boolean {
    const person = message.ephemeralTo ?? direct.find(({ id }) => id === message.channel)?.direct;
    return person === undefined || person === this.user;
  }

  send(event: string, data: unknown): void {
    this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  tick(status: Fields, story: readonly { at: string; text: string }[]): void {
    this.send('status', status);
    if (story.length > this.#told) this.send('world', story.slice(this.#told));
    this.#told = story.length;
  }

  end(): void {
    this.#response.end();
  }
}
