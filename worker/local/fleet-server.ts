/** The fleet's page over HTTP, read-only and read anew as people look at it. Behind the same door as the codec server. */
import express, { type Request, type Response } from 'express';
import { messageOf } from '../../domain/core/unknown.ts';
import type { FleetView } from '../../domain/run/fleet-view/view.ts';
import { renderFleetHtml } from '../../render/fleet/html.ts';
import { renderFleetJson } from '../../render/fleet/json.ts';
import { type Door, listenBehind, refusalAtDoor } from '../crypto/codec/http-door.ts';

/** However many look, clusters are read no more often. */
export const READ_EVERY_MS = 60_000;

export interface FleetServerOptions extends Door {
  read: () => Promise<FleetView>;
  log: (line: string) => void;
  /** Default: the clock. */
  nowMs?: () => number;
}

/** Listens. Throws where nothing would keep others out. */
export async function startFleetServer(options: FleetServerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const open = `Others could read the whole fleet through ${options.host}. Listen on 127.0.0.1, or set BELAY_FLEET_TOKEN to what they have to send.`;
  return await listenBehind(createApp(options), options, open);
}

function createApp(options: FleetServerOptions): express.Express {
  const view = fresh(options);
  const app = express().disable('x-powered-by').disable('etag');
  app.use((request, response, next) => {
    response.set({
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    const why = refusalAtDoor(options, request.headers) ?? otherPage(request);
    if (why === undefined) return next();
    options.log(`refused ${request.method} ${request.path} from ${request.socket.remoteAddress ?? '?'}: ${why}`);
    response.status(403).type('text/plain').send(`${why}\n`);
  });
  const show = (type: string, render: (view: FleetView) => string) => async (_request: Request, response: Response) => {
    try {
      response.type(type).send(render(await view()));
    } catch (error) {
      options.log(`the fleet could not be read: ${messageOf(error)}`);
      // The page loads itself anew; this has no script to do so.
      response
        .set('refresh', String(READ_EVERY_MS / 1000))
        .status(503)
        .type('text/plain')
        .send(`The fleet could not be read: ${messageOf(error)}\n`);
    }
  };
  app.get(
    '/',
    show('text/html', (read) => renderFleetHtml(read, { reloadMs: READ_EVERY_MS })),
  );
  app.get('/fleet.json', show('application/json', renderFleetJson));
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('There is / and /fleet.json, to be read with GET.\n');
  });
  return app;
}

/** Browsers name the page that asks where it is another one. */
function otherPage({ headers: { origin, host } }: Request): string | undefined {
  return origin === undefined || URL.parse(origin)?.host === host ? undefined : 'pages of elsewhere may not ask';
}

/** One reading for all who ask meanwhile, and for a minute after. A failure is not kept. */
function fresh({ read, nowMs = Date.now }: FleetServerOptions): () => Promise<FleetView> {
  let last: { atMs: number; view: Promise<FleetView> } | undefined;
  return () => {
    if (last === undefined || nowMs() - last.atMs >= READ_EVERY_MS) {
      const reading = { atMs: nowMs(), view: read() };
      reading.view.catch(() => {
        if (last === reading) last = undefined;
      });
      last = reading;
    }
    return last.view;
  };
}
