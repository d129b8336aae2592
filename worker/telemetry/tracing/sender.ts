/**
 * The one file that knows OpenTelemetry, imported only where traces are sent. Spans wait in a bounded queue and go out in batches, beside the work: what
 * finds no room, and what the collector does not take, is dropped and counted. Nothing is registered globally, so libraries that know OpenTelemetry tell
 * nothing. Variables `OTEL_*` (name, resource, sampler, headers, queue, time-outs) are read by the library.
 */
import { randomBytes } from 'node:crypto';
import { type Context, ROOT_CONTEXT, type SpanContext, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import { thisRelease } from '../../releases/build-id.ts';
import type { SpanAttributes, TraceSpan } from './span.ts';

/** OTEL_BSP_MAX_QUEUE_SIZE's default, as the library has it. */
const QUEUE_SIZE = 2_048;
/** ExportResultCode: https://open-telemetry.github.io/opentelemetry-js/enums/_opentelemetry_core.ExportResultCode.html */
const SUCCESS = 0;
const FAILED = 1;
/** Ids of workflows may have a thousand characters, and whoever may start workflows chooses them. */
const LONGEST_VALUE = 255;

interface SenderOptions {
  /** Where OTEL_SERVICE_NAME says none. */
  serviceName: string;
  dropped: (count: number, why: string) => void;
  /** A batch was taken. */
  sent: () => void;
}

export interface Sender {
  emit(span: TraceSpan): void;
  close(): Promise<void>;
}

export function createSender(options: SenderOptions): Sender {
  const ids = new GivenIds();
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': options.serviceName, 'service.version': thisRelease() }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [countingProcessor(new OTLPTraceExporter(), options)],
  });
  const tracer = provider.getTracer('belay', thisRelease());

  /** What the sampler says of a trace, for each span of it alike: of a root that nobody ends, and that is therefore never sent. */
  const flagsOf = (traceId: string): TraceFlags => {
    ids.given = { traceId };
    return tracer.startSpan('', { root: true }, ROOT_CONTEXT).spanContext().traceFlags;
  };
  return {
    emit({ traceId, spanId, parentId, name, startMs, endMs, attributes, linkedIds = [], isFailed = false }) {
      const inTrace = (id: string, traceFlags: TraceFlags): SpanContext => ({ traceId, spanId: id, traceFlags, isRemote: true });
      const flags = flagsOf(traceId);
      if (flags === TraceFlags.NONE) return;
      const context: Context = parentId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, inTrace(parentId, flags));
      ids.given = { traceId, spanId };
      const span = tracer.startSpan(
        name,
        // Dates: small numbers would be taken for times since this process began.
        { startTime: new Date(startMs), attributes: named(attributes), links: linkedIds.map((id) => ({ context: inTrace(id, flags) })) },
        context,
      );
      // Without a message: those name objects, and may quote anything.
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(endMs));
    },
    close: () => provider.shutdown(),
  };
}

function named(attributes: SpanAttributes): Record<string, string | number> {
  const given = Object.entries(attributes) as [string, string | number | undefined][];
  return Object.fromEntries(
    given.flatMap(([name, value]) =>
      value === undefined ? [] : [[`belay.${name}`, typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : value]],
    ),
  );
}

/** Ids that are known before their spans are made. A span is made at once, so nothing comes in between. */
class GivenIds implements IdGenerator {
  given: { traceId?: string; spanId?: string | undefined } = {};

  generateTraceId(): string {
    return this.given.traceId ?? randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    return this.given.spanId ?? randomBytes(8).toString('hex');
  }
}

/** The library drops without saying so: counted before it would, and after each batch. */
function countingProcessor(exporter: SpanExporter, { dropped, sent }: SenderOptions): SpanProcessor {
  const limit = queueSize();
  let waiting = 0;
  const counted: SpanExporter = {
    export(spans, done) {
      const ended: typeof done = (result) => {
        waiting -= spans.length;
        const code: number = result.code;
        if (code === SUCCESS) sent();
        else dropped(spans.length, whyNot(result.error));
        done(result);
      };
      try {
        exporter.export(spans, ended);
      } catch (error) {
        ended({ code: FAILED, ...(error instanceof Error ? { error } : {}) });
      }
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
  const batches = new BatchSpanProcessor(counted);
  return {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting >= limit) return dropped(1, `${limit} spans are waiting already`);
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

function queueSize(): number {
  const size = Number(process.env['OTEL_BSP_MAX_QUEUE_SIZE'] || QUEUE_SIZE);
  return Number.isInteger(size) && size > 0 ? size : QUEUE_SIZE;
}

/** Never what the collector answered beside its status: it may quote what was sent to it. */
function whyNot(error: unknown): string {
  const status = field(error, 'code');
  if (typeof status === 'number') return `it answered ${status}`;
  if (typeof status === 'string') return status;
  return error === undefined ? 'it did not answer well' : messageOf(error).slice(0, 200);
}
