/** KubernetesPort over plain HTTP: path-based, so that custom resources need no generated client. */
import type { KubeObject, KubernetesPort, ListQuery, Patch, PodPort, ResourceRef } from '../../contract/ports.ts';
import { sentAhead } from '../../runtime/ahead.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { Answer, Exchange, Transport } from './transport.ts';
import { defined } from '../../../domain/core/defined.ts';

const PAGE_SIZE = 500;
const MAX_RESTARTS = 3;
const FIELD_MANAGER = 'belay';
/** The text format in its plain form: newer servers would write names in quotes, or protobuf. */
const EXPOSITION = 'text/plain;version=0.0.4';
/** An API server says tens of megabytes of itself. */
const SCRAPE_TIMEOUT_MS = 30_000;
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/** The adapter. Time-outs, credentials and failures are the transport's. */
export function createKubernetesPort(transport: Transport): KubernetesPort {
  return {
    async version() {
      const answer = await transport.send({ method: 'GET', path: '/version', doing: 'reading /version', fresh: true });
      const info = parse<{ major?: string; minor?: string; gitVersion?: string }>(answer.text, 'reading /version');
      return {
        minor: `${info.major ?? '1'}.${(info.minor ?? '').replace(/\D.*$/, '')}`,
        gitVersion: info.gitVersion ?? '',
        serverDate: transport.serverDate(),
      };
    },

    async readyz() {
      const exchange: Exchange = { method: 'GET', path: '/readyz?verbose', doing: 'reading /readyz' };
      const { status, text } = await transport.send(exchange, [500, 503]);
      const failed = text.split('\n').filter((line) => line.startsWith('[-]'));
      return { ok: status === 200, message: status === 200 ? 'ok' : failed.join('; ').slice(0, 300) || text.slice(0, 300) };
    },

    async metrics() {
      const exchange: Exchange = { method: 'GET', path: '/metrics', doing: 'reading /metrics', fresh: true, accept: 'text/plain' };
      return (await transport.send(exchange)).text;
    },

    async scrape(from, lines) {
      const whose = from === 'api-server' ? '' : ` of ${describe({ plural: 'pods', ...from })}`;
      // Another instance of the API server may answer on a fresh connection; a pod answers through whichever it is.
      const path = from === 'api-server' ? '/metrics' : `${proxyPath(from)}/metrics`;
      const doing = `reading /metrics${whose}`;
      const fresh = from === 'api-server';
      await transport.send({ method: 'GET', path, doing, fresh, accept: EXPOSITION, lines, timeoutMs: SCRAPE_TIMEOUT_MS });
    },

    async getInPod({ namespace, name, port }, path) {
      const doing = `reading ${path} of ${describe({ plural: 'pods', namespace, name })}`;
      const forward = `${pathOf({ apiVersion: 'v1', plural: 'pods', namespace, name, subresource: 'portforward' })}?ports=${port}`;
      return answerIn((await transport.send({ method: 'GET', path: forward, doing, inPod: path })).text, doing);
    },

    async get<T extends KubeObject>(ref: ResourceRef) {
      const doing = `reading ${describe(ref)}`;
      const { status, text } = await transport.send({ method: 'GET', path: pathOf(ref), doing }, [404]);
      return status === 404 ? undefined : parse<T>(text, doing);
    },

    async list<T extends KubeObject>(query: ListQuery, keep: (object: T) => T | undefined = (object) => object) {
      for (let restart = 0; ; restart += 1) {
        const result = await listPages<T>(transport, query, keep);
        if (result !== 'expired') return result;
        if (restart >= MAX_RESTARTS) {
          throw failureOf('Unavailable', `listing ${query.plural}: the list expired ${restart + 1} times before its end`);
        }
        query.onRestart?.();
      }
    },

    async patch<T extends KubeObject>(ref: ResourceRef, patch: Patch) {
      const doing = `patching ${describe(ref)}`;
      const exchange: Exchange = {
        method: 'PATCH',
        path: `${pathOf(ref)}?fieldManager=${FIELD_MANAGER}`,
        doing,
        body: JSON.stringify(patch.body),
        contentType: PATCH_TYPES[patch.type],
      };
      if (!hasTest(patch)) return parse<T>((await transport.send(exchange)).text, doing);
      const { status, text } = await transport.send(exchange, [422]);
      if (status !== 422) return parse<T>(text, doing);
      // A failed `test` is 422 without causes; a field that is not valid names its causes.
      const { causes, message } = statusOf(text);
      if (causes > 0) throw failureOf('InvalidRequest', `${doing}: Kubernetes answered 422 (${message})`);
      throw failureOf('Conflict', `${doing}: somebody changed it between look and patch (${message})`);
    },

    async create<T extends KubeObject>(ref: Omit<ResourceRef, 'name'>, body: object) {
      const doing = `creating ${describe({ ...ref, name: '' })}`;
      const path = `${pathOf(ref)}?fieldManager=${FIELD_MANAGER}`;
      return parse<T>((await transport.send({ method: 'POST', path, doing, body: JSON.stringify(body) })).text, doing);
    },

    async delete(ref, options = {}) {
      const doing = `deleting ${describe(ref)}`;
      const { uid, propagationPolicy } = options;
      const given = {
        ...(uid === undefined ? {} : { preconditions: { uid } }),
        ...defined({ propagationPolicy }),
      };
      const body = Object.keys(given).length === 0 ? undefined : JSON.stringify(given);
      // 409 under a uid precondition: the object with that uid is gone, another one has its name.
      const accepted = uid === undefined ? [404] : [404, 409];
      await transport.send({ method: 'DELETE', path: pathOf(ref), doing, ...defined({ body }) }, accepted);
    },

    serverDate: () => transport.serverDate(),
  };
}

interface Page {
  answer: Promise<Answer>;
  /** Where the next one begins, as soon as that has come; undefined where the answer names none, or not before its items. */
  next: Promise<string | undefined>;
}

/** The next page is asked for as soon as this one has begun to come: server, wire and client work at the same time. */
async function listPages<T extends KubeObject>(
  transport: Transport,
  query: ListQuery,
  keep: (object: T) => T | undefined,
): Promise<T[] | undefined | 'expired'> {
  const doing = `listing ${query.namespace === undefined ? '' : `${query.namespace}/`}${query.plural}`;
  const items: T[] = [];
  const accept = query.metadataOnly === true ? { accept: METADATA_LIST } : {};
  const ask = (from?: string): Page => {
    const { promise: next, resolve } = Promise.withResolvers<string | undefined>();
    const look = (text: string): string | undefined => NEXT_PAGE.exec(text)?.[1];
    const onStart = (text: string): void => {
      const token = look(text);
      if (token !== undefined) resolve(token);
    };
    const answer = transport.send({ method: 'GET', path: pagePath(query, from), doing, onStart, ...accept }, [404, 410]);
    answer.then(
      ({ text }) => resolve(look(text)),
      () => resolve(undefined),
    );
    return { answer, next };
  };
  for (let page: Page | undefined = ask(); page !== undefined; ) {
    const early: string | undefined = await page.next;
    let next: Page | undefined = early === undefined ? undefined : ask(early);
    if (next !== undefined) await sentAhead(next.answer);
    const { status, text }: Answer = await page.answer;
    if (status === 404) return undefined;
    if (status === 410) return 'expired';
    const list: { items?: T[]; metadata?: { continue?: string } } = parse(text, doing);
    for (const item of list.items ?? []) {
      const kept = keep(item);
      if (kept !== undefined) items.push(kept);
    }
    const token: string = list.metadata?.continue ?? '';
    // A page whose request was repeated may be another one than what had begun to come.
    if (token !== (early ?? '')) next = token === '' ? undefined : ask(token);
    page = next;
  }
  return items;
}

/** Where the list's own metadata stands, before its items, as API servers write it. */
const NEXT_PAGE = /^\{(?:"kind":"\w*","apiVersion":"[^"]*",)?"metadata":\{[^{}]*?"continue":"([^"\\]+)"/;

function pagePath(query: ListQuery, next: string | undefined): string {
  const parameters = new URLSearchParams({ limit: String(PAGE_SIZE) });
  if (query.labelSelector !== undefined) parameters.set('labelSelector', query.labelSelector);
  if (query.fieldSelector !== undefined) parameters.set('fieldSelector', query.fieldSelector);
  if (next !== undefined) parameters.set('continue', next);
  return `${pathOf(query)}?${parameters.toString()}`;
}

/** /api/v1/… for the core group, /apis/group/version/… for all others. */
function pathOf(ref: { apiVersion: string; plural: string; namespace?: string; name?: string; subresource?: string }): string {
  const root = ref.apiVersion.includes('/') ? `/apis/${ref.apiVersion}` : `/api/${ref.apiVersion}`;
  const namespace = ref.namespace === undefined ? '' : `/namespaces/${encodeURIComponent(ref.namespace)}`;
  const name = ref.name === undefined ? '' : `/${encodeURIComponent(ref.name)}`;
  const subresource = ref.subresource === undefined ? '' : `/${ref.subresource}`;
  return `${root}${namespace}/${ref.plural}${name}${subresource}`;
}

/** Of an HTTP port. */
const proxyPath = ({ namespace, name, port }: PodPort): string =>
  `${pathOf({ apiVersion: 'v1', plural: 'pods', namespace, name })}:${port}/proxy`;

function describe(ref: { plural: string; namespace?: string; name: string }): string {
  return [ref.plural, ref.namespace, ref.name].filter((part) => part !== undefined && part !== '').join('/');
}

function hasTest(patch: Patch): boolean {
  return patch.type === 'json' && patch.body.some((operation) => operation.op === 'test');
}

function statusOf(text: string): { causes: number; message: string } {
  try {
    const status: { message?: string; details?: { causes?: unknown[] } } = JSON.parse(text);
    return { causes: status.details?.causes?.length ?? 0, message: status.message ?? 'no message' };
  } catch {
    return { causes: 0, message: text.slice(0, 200) };
  }
}

/** What an HTTP server wrote before it ended the connection. */
function answerIn(raw: string, doing: string): { status: number; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(raw)?.[1];
  if (end < 0 || status === undefined) throw failureOf('Unavailable', `${doing}: the connection ended before its answer`);
  return { status: Number(status), body: raw.slice(end + 4) };
}

/** The edge where the API server's JSON becomes an object; callers narrow what they read. */
function parse<T>(text: string, doing: string): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failureOf('Unavailable', `${doing}: the answer is no JSON`, { cause: error });
  }
}
