/** Watches: one JSON event per line until the client goes, the time is up, or the server drops its connections. */
import type { ServerResponse } from 'node:http';
import type { KubeObject, ObjectStore, WatchEvent } from '../store.ts';
import { apiVersionOf } from '../types.ts';
import { filterOf, selected } from './reads.ts';
import { isTrue, type ResourceRequest } from './request.ts';
import { failureStatus, gone } from './status.ts';
import type { Change, WatchHistory } from './watch-history.ts';

const BOOKMARK_EVERY_MS = 10_000;
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** How an object leaves the server: as it is, or as a row of a Table. */
export type Render = (objects: KubeObject[]) => unknown;

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
  const matches = filterOf(type, request);
  const asked = Number(query.get('resourceVersion') ?? 0);
  const send = (event: object) => void response.write(`${JSON.stringify(event)}\n`);
  const show = (kind: WatchEvent['type'], object: KubeObject) =>
    send({ type: kind, object: options.render ? options.render([object]) : object });
  const bookmark = (annotations?: Record<string, string>) =>
    send({
      type: 'BOOKMARK',
      object: {
        kind: type.kind,
        apiVersion: apiVersionOf(type),
        metadata: { resourceVersion: String(store.resourceVersion()), creationTimestamp: null, ...(annotations ? { annotations } : {}) },
      },
    });
  const pass = (change: Change) => {
    const event = eventFor(change, matches);
    if (event) show(event, change.object);
  };

  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  const missed = asked > 0 ? history.since(type, asked) : [];
  if (missed === undefined) {
    send({ type: 'ERROR', object: failureStatus(gone(`too old resource version: ${asked} (${history.floor})`)) });
    response.end();
    return;
  }
  if (asked === 0) for (const object of selected(store, request)) show('ADDED', object);
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

/** With a selector, an object that begins to match is ADDED and one that ceases to is DELETED. */
function eventFor(change: Change, matches: (object: KubeObject) => boolean): WatchEvent['type'] | undefined {
  const before = change.previous !== undefined && matches(change.previous);
  const after = change.type !== 'DELETED' && matches(change.object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}
