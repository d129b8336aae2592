/** Watches: one JSON event per line until the client goes, the time is up, or the server drops its connections. */
import type { ServerResponse } from 'node:http';
import type { KubeObject, ObjectStore, WatchEvent } from '../../store.ts';
import { apiVersionOf } from '../../types.ts';
import { checkListOptions } from './list-options.ts';
import { filterOf, selected } from './reads.ts';
import { isTrue } from '../request-info.ts';
import type { ResourceRequest } from '../request.ts';
import { failureStatus, gone } from '../status.ts';
import type { Change, WatchHistory } from './watch-history.ts';

const BOOKMARK_EVERY_MS = 10_000;
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** Rows of a Table instead of objects; only the first of a watch has the columns. */
export type Render = (objects: KubeObject[], withColumns?: boolean) => unknown;

/** Streams a watch into the response; returns when the stream is set up. */
export function serveWatch(options: {
  store: ObjectStore;
  history: WatchHistory;
  request: ResourceRequest;
  response: ServerResponse;
  render: Render | undefined;
}): void {
  const { store, history, request, response } = options;
  const { type, query } = request;
  checkListOptions(query, true, request.serverVersion);
  const matches = filterOf(type, request);
  const asked = Number(query.get('resourceVersion') ?? 0);
  const send = (event: object) => void response.write(`${JSON.stringify(event)}\n`);
  let first = true;
  /** An object that cannot be converted ends the watch. */
  const showOrFail = (object: KubeObject): KubeObject | undefined => {
    if (response.writableEnded) return undefined;
    try {
      return request.conversion.shown(object);
    } catch (error) {
      send({ type: 'ERROR', object: failureStatus(error) });
      response.end();
      return undefined;
    }
  };
  const show = (kind: WatchEvent['type'], object: KubeObject) => {
    const shown = showOrFail(object);
    if (shown === undefined) return;
    send({ type: kind, object: options.render ? options.render([shown], first) : shown });
    first = false;
  };
  const bookmark = (annotations?: Record<string, string>) =>
    send({
      type: 'BOOKMARK',
      object: {
        kind: type.kind,
        apiVersion: apiVersionOf(type),
        metadata: { resourceVersion: String(store.resourceVersion()), ...(annotations ? { annotations } : {}) },
      },
    });
  const pass = (change: Change) => {
    const event = eventFor(change, matches);
    if (event) show(event, event === 'DELETED' ? lastSeen(change) : change.object);
  };

  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  const missed = asked > 0 ? history.since(type, asked) : [];
  if (missed === undefined) {
    send({ type: 'ERROR', object: failureStatus(gone(`too old resource version: ${asked} (${history.floor})`)) });
    response.end();
    return;
  }
  if (asked === 0 && query.get('sendInitialEvents') !== 'false') for (const object of selected(request, history)) show('ADDED', object);
  for (const change of missed) pass(change);
  const stop = history.listen(type, pass);
  if (isTrue(query.get('sendInitialEvents'))) bookmark({ 'k8s.io/initial-events-end': 'true' });
  const timers = [setTimeout(() => response.end(), Number(query.get('timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS) * 1000).unref()];
  if (isTrue(query.get('allowWatchBookmarks'))) timers.push(setInterval(bookmark, BOOKMARK_EVERY_MS).unref());
  response.flushHeaders();
  response.on('close', () => {
    stop();
    for (const timer of timers) clearTimeout(timer);
  });
}

/** What leaves a selection is shown as it was in it, at the version of the change. */
function lastSeen({ type, object, previous }: Change): KubeObject {
  if (type === 'DELETED' || previous === undefined) return object;
  return { ...previous, metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion } };
}

/** With a selector, an object that begins to match is ADDED and one that ceases to is DELETED. */
function eventFor(change: Change, matches: (object: KubeObject) => boolean): WatchEvent['type'] | undefined {
  const before = change.previous !== undefined && matches(change.previous);
  const after = change.type !== 'DELETED' && matches(change.object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}
