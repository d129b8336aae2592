/** The Web API over HTTP: tokens, scopes, bodies, errors, and the journal of what changed. */
import express, { type Request, type Response, type Router } from 'express';
import type { Journal } from '../../world/journal.ts';
import { type SlackFates, sufferSlack } from '../../world/faults/apis/slack.ts';
import { SlackError } from './errors.ts';
import type { Method, Methods } from './methods/method.ts';
import { type Fields, fieldsOf, textOf } from './block-kit/shape.ts';
import type { SlackState } from './state.ts';

/** How the next calls of a method fail, instead of being served. */
export interface Fault {
  /** HTTP status, e.g. 429 or 503; 200 with `error` is a refusal in the body. */
  status?: number;
  error?: string;
  retryAfterSec?: number;
  times: number;
}

/** Exact tokens; without them any token of the right kind is taken. */
export interface Tokens {
  bot: string;
  app: string;
}

interface WebApi {
  state: SlackState;
  methods: Methods;
  journal: Journal;
  faults: Map<string, Fault>;
  fates: { current: SlackFates | undefined };
  tokens?: Tokens;
}

/** Arguments that form bodies carry as JSON, and what Slack says when they are not. */
const JSON_ARGUMENTS: Record<string, string> = {
  blocks: 'invalid_blocks_format',
  metadata: 'invalid_metadata_format',
  view: 'invalid_arguments',
  attachments: 'invalid_attachments',
  files: 'invalid_arguments',
};

function argumentsOf(request: Request): Fields {
  const args: Fields = { ...request.query, ...fieldsOf(request.body) };
  for (const [name, error] of Object.entries(JSON_ARGUMENTS)) {
    const value = args[name];
    if (typeof value !== 'string') continue;
    try {
      args[name] = JSON.parse(value);
    } catch {
      throw new SlackError(error);
    }
  }
  return args;
}

function checkToken(method: Method, request: Request, args: Fields, tokens: Tokens | undefined): void {
  if (method.token === 'none') return;
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? textOf(args['token']) ?? '';
  if (token === '') throw new SlackError('not_authed');
  const kind = token.startsWith('xapp-') ? 'app' : token.startsWith('xoxb-') ? 'bot' : undefined;
  const known = kind !== undefined && (tokens === undefined || tokens[kind] === token);
  if (!known) throw new SlackError('invalid_auth');
  if (kind !== (method.token ?? 'bot')) throw new SlackError('not_allowed_token_type');
}

function checkScopes(method: Method, granted: string[]): void {
  if (method.scopes === undefined || method.scopes.some((scope) => granted.includes(scope))) return;
  throw new SlackError('missing_scope', { needed: method.scopes.join(','), provided: granted.join(',') });
}

function answerFault(response: Response, fault: Fault): void {
  fault.times -= 1;
  if (fault.retryAfterSec !== undefined) response.set('Retry-After', String(fault.retryAfterSec));
  response.status(fault.status ?? 200).json({ ok: false, error: fault.error ?? 'internal_error' });
}

/** What the journal shows of a call: where, which message, the first words. */
function detailOf(args: Fields, result: Fields): Fields {
  const text = textOf(args['text']);
  const shown = { ts: result['ts'] ?? result['message_ts'], thread_ts: args['thread_ts'], user: args['user'], text: text?.slice(0, 120) };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

async function serve(api: WebApi, name: string, request: Request, response: Response): Promise<void> {
  const { state } = api;
  response.set('X-OAuth-Scopes', state.workspace.scopes.join(','));
  const method = api.methods[name];
  let args: Fields = {};
  let error: SlackError | undefined;
  let result: Fields = {};
  try {
    if (method === undefined) throw new SlackError('unknown_method', { req_method: name });
    response.set('X-Accepted-OAuth-Scopes', (method.scopes ?? []).join(','));
    args = argumentsOf(request);
    checkToken(method, request, args, api.tokens);
    checkScopes(method, state.workspace.scopes);
    result = method.run(args, state, request.get('host') ?? new URL(state.origin).host);
  } catch (thrown) {
    if (!(thrown instanceof SlackError)) throw thrown;
    error = thrown;
  }
  if (method?.mutates === true) {
    const channel = args['channel'] ?? args['channel_id'];
    const resource = state.workspace.channels.find(({ id }) => id === channel)?.name ?? textOf(channel) ?? 'views';
    const ts = textOf(args['ts']);
    await api.journal.record({
      api: 'slack',
      operation: name,
      resource: ts === undefined ? resource : `${resource}/${ts}`,
      accepted: error === undefined,
      ...(error === undefined ? {} : { error: error.code }),
      detail: detailOf(args, result),
    });
  }
  response.json(error === undefined ? { ok: true, ...result } : { ok: false, error: error.code, ...error.extra });
}

/** Routes for POST and GET /api/<method>. */
export function webApiRoutes(api: WebApi): Router {
  const router = express.Router();
  router.use(express.urlencoded({ extended: false, limit: '2mb' }), express.json({ limit: '2mb' }));
  router.all('/api/:method', async (request: Request, response: Response) => {
    const name = textOf(request.params['method']) ?? '';
    const fault = api.faults.get(name) ?? api.faults.get('*');
    const body = fieldsOf(request.body);
    if (await sufferSlack(api.fates.current, name, body, response, () => serve(api, name, request, response))) return;
    if (api.state.down) return void response.status(503).send('service_unavailable');
    if (fault !== undefined && fault.times > 0) return answerFault(response, fault);
    await serve(api, name, request, response);
  });
  return router;
}
