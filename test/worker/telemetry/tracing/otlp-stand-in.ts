/**
 * A collector over HTTP as OTLP has it: POST /v1/traces, in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp-request). Names of fields are those of
 * opentelemetry-proto's trace.proto; ids are hexadecimal, times are nanoseconds as text. And the ways in which it fails.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number };
}

export interface TakenSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  links: string[];
  status: { code: number; message?: string };
  resource: Record<string, unknown>;
}

export interface Collector {
  url: string;
  spans: TakenSpan[];
  /** Requests, taken or not. */
  requests: { path: string; type: string | undefined; authorization: string | undefined }[];
  /** undefined: well. A number: it answers that. `slow`: never. */
  trouble: number | 'slow' | undefined;
  /** Answers what was never answered, so that nobody tries again. */
  refuseHeld(): void;
  close(): Promise<void>;
}

interface Body {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: {
      spans: (Omit<TakenSpan, 'attributes' | 'links' | 'resource'> & { attributes: KeyValue[]; links: { spanId: string }[] })[];
    }[];
  }[];
}

export async function startCollector(): Promise<Collector> {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization, 'content-type': type } = request.headers;
    collector.requests.push({ path: request.url ?? '', type, authorization });
    const { trouble } = collector;
    if (trouble === 'slow') return void held.push(response);
    if (trouble !== undefined) return void response.writeHead(trouble).end('no, and here is what you sent');
    for (const { resource, scopeSpans } of (JSON.parse(Buffer.concat(chunks).toString()) as Body).resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        collector.spans.push({
          ...span,
          attributes: plain(span.attributes),
          links: span.links.map(({ spanId }) => spanId),
          resource: plain(resource.attributes),
        });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    trouble: undefined,
    refuseHeld: () => {
      for (const response of held.splice(0)) response.writeHead(400).end();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

const plain = (attributes: KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]));
