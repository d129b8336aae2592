/** Prometheus' stand-in: instant queries of the HTTP API v1, answered from the world as it is; its Alertmanager is below /alertmanager. */
import { createServer } from 'node:http';
import express, { type Request, type Response } from 'express';
import { illnessSeen, sufferPrometheus } from '../../world/faults/apis/prometheus.ts';
import { close, listen } from '../../world/core/loopback.ts';
import type { World } from '../../world/world.ts';
import { answerAlerts } from './alertmanager.ts';
import { evaluate, type Series, type Value } from './evaluate.ts';
import { parsePromql, PromqlError } from './promql.ts';
import { worldMetrics } from './world-metrics.ts';

export interface PrometheusStandIn {
  /** http://127.0.0.1:port, the base address that belay.yaml names. */
  url: string;
  /** Answers 503 until set back. */
  setDown(down: boolean): void;
  close(): Promise<void>;
}

function badData(response: Response, error: string): void {
  response.status(400).json({ status: 'error', errorType: 'bad_data', error });
}

/** Prometheus writes values as text. */
function sampleOf(value: number, atSec: number): [number, string] {
  const text = value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
  return [atSec, text];
}

function dataOf(value: Value, atSec: number): object {
  if (value.kind === 'scalar') return { resultType: 'scalar', result: sampleOf(value.value, atSec) };
  if (value.kind === 'vector')
    return { resultType: 'vector', result: value.series.map((one) => ({ metric: one.labels, value: sampleOf(one.value, atSec) })) };
  return {
    resultType: 'matrix',
    result: value.series.map((one: Series) => ({ metric: one.labels, values: [sampleOf(one.value, atSec)] })),
  };
}

/** Unix seconds or RFC 3339; NaN for anything else. */
function timeOf(text: string | undefined, nowMs: number): number {
  if (text === undefined || text === '') return nowMs / 1000;
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000;
}

function parameter(request: Request, name: string): string | undefined {
  const body: unknown = request.body;
  const sent = typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined;
  const value: unknown = sent ?? request.query[name];
  return typeof value === 'string' ? value : undefined;
}

function answer(world: World, request: Request, response: Response): void {
  const atSec = timeOf(parameter(request, 'time'), world.clock.nowMs());
  if (Number.isNaN(atSec))
    return badData(response, `invalid parameter "time": cannot parse "${parameter(request, 'time')}" to a valid timestamp`);
  try {
    const query = parameter(request, 'query') ?? '';
    const value = evaluate(parsePromql(query), worldMetrics(world, illnessSeen(world.faults, query)), atSec * 1000);
    response.json({ status: 'success', data: dataOf(value, atSec) });
  } catch (error) {
    if (!(error instanceof PromqlError || error instanceof SyntaxError)) throw error;
    badData(response, `invalid parameter "query": ${error.message}`);
  }
}

/** Listens on 127.0.0.1, on a free port. */
export async function startPrometheusServer(options: { world: World }): Promise<PrometheusStandIn> {
  const { world } = options;
  let down = false;
  const app = express().disable('x-powered-by');
  app.use((_request, response, next) => {
    response.set('Date', world.clock.now().toUTCString());
    if (down) response.status(503).send('Service Unavailable');
    else next();
  });
  app.use(express.urlencoded({ extended: false }));
  app.get(['/-/healthy', '/-/ready'], (_request, response) => void response.send('Prometheus Server is Ready.\n'));
  app.all('/api/v1/query', (request, response) => {
    if (!sufferPrometheus(world.faults, response)) answer(world, request, response);
  });
  app.get('/alertmanager/api/v2/alerts', (request, response) => answerAlerts(world, request, response));
  const server = createServer(app);
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    setDown: (value) => void (down = value),
    close: () => close(server),
  };
}
