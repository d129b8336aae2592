/** Off unless an endpoint is set; what cannot be one is said with the fix. */
import { expect, test } from 'vitest';
import { openTracing } from '../../../../worker/telemetry/tracing/open.ts';
import { tracesSentTo } from '../../../../worker/telemetry/tracing/settings.ts';

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
  [{ OTEL_SERVICE_NAME: 'belay', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318' }, undefined],
  [{ ...ON, OTEL_SDK_DISABLED: 'true' }, undefined],
  [{ ...ON, OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [ON, 'http://collector:4318/'],
  [{ ...ON, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, 'http://collector:4318/'],
  [{ ...ON, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/v1/traces' }, 'https://traces/v1/traces'],
  [{ ...ON, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 'http://collector:4318/'],
])('%j: %s', (env, expected) => {
  expect(tracesSentTo(env)?.href).toBe(expected);
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    'OTEL_EXPORTER_OTLP_ENDPOINT is no address; set it to that of an OTLP collector over HTTP, such as http://collector.internal:4318.',
  ],
  [
    { ...ON, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://traces:4317' },
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is no address; set it to that of an OTLP collector over HTTP, such as http://collector.internal:4318.',
  ],
  [
    { ...ON, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", and Belay sends traces over HTTP; set it to http/json and OTEL_EXPORTER_OTLP_ENDPOINT to the collector\'s HTTP port, 4318 by default.',
  ],
  [
    { ...ON, OTEL_TRACES_SAMPLER: 'sometimes' },
    'OTEL_TRACES_SAMPLER is "sometimes"; set it to one of parentbased_always_on, always_on, always_off, parentbased_always_off, traceidratio, parentbased_traceidratio.',
  ],
  [
    { ...ON, OTEL_TRACES_SAMPLER: 'traceidratio' },
    'OTEL_TRACES_SAMPLER_ARG is not set; set it to the share of runs that are traced, from 0 to 1, such as 0.25.',
  ],
  [
    { ...ON, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '25' },
    'OTEL_TRACES_SAMPLER_ARG is 25; set it to the share of runs that are traced, from 0 to 1, such as 0.25.',
  ],
])('%j is refused', (env, why) => {
  expect(() => tracesSentTo(env)).toThrow(new RangeError(why));
});

test('without an endpoint nothing wraps activities or starts', async () => {
  const log = { info: () => undefined, warn: () => undefined };
  const { activities, starts } = await openTracing({ component: 'worker', env: {}, log });
  expect([activities, starts]).toEqual([[], []]);
});
