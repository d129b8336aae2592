/**
 * Whether traces are sent, and where to, by OpenTelemetry's own variables
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/,
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/). What else they set is left to its library.
 */

/** The library would take a port of its own on this machine for an address that it cannot read. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/** Of the library for JavaScript; the first is its default. */
const SAMPLERS: readonly [string, ...string[]] = [
  'parentbased_always_on',
  'always_on',
  'always_off',
  'parentbased_always_off',
  'traceidratio',
  'parentbased_traceidratio',
];

/** undefined: no endpoint is set, or it is switched off; nothing of OpenTelemetry is loaded then. Throws a RangeError that names variable and fix. */
export function tracesSentTo(env: NodeJS.ProcessEnv): URL | undefined {
  const name = ENDPOINTS.find((each) => isSet(env[each]));
  if (name === undefined || isOff(env)) return undefined;
  const url = urlIn(env[name]);
  if (url === undefined)
    throw new RangeError(`${name} is no address; set it to that of an OTLP collector over HTTP, such as http://collector.internal:4318.`);
  const protocol = PROTOCOLS.find((each) => isSet(env[each]));
  if (protocol !== undefined && env[protocol] === 'grpc')
    throw new RangeError(
      `${protocol} is "grpc", and Belay sends traces over HTTP; set it to http/json and ${name} to the collector's HTTP port, 4318 by default.`,
    );
  checkSampler(env);
  return url;
}

/** The library would send everything instead. */
function checkSampler(env: NodeJS.ProcessEnv): void {
  const sampler = env['OTEL_TRACES_SAMPLER']?.trim() || SAMPLERS[0];
  if (!SAMPLERS.includes(sampler)) throw new RangeError(`OTEL_TRACES_SAMPLER is "${sampler}"; set it to one of ${SAMPLERS.join(', ')}.`);
  if (!sampler.endsWith('traceidratio')) return;
  const share = env['OTEL_TRACES_SAMPLER_ARG']?.trim() || 'not set';
  if (!(Number(share) >= 0 && Number(share) <= 1))
    throw new RangeError(`OTEL_TRACES_SAMPLER_ARG is ${share}; set it to the share of runs that are traced, from 0 to 1, such as 0.25.`);
}

const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== '';

const isOff = (env: NodeJS.ProcessEnv): boolean =>
  env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER']?.trim() === 'none';

function urlIn(value = ''): URL | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}
