/** PrometheusPort over fetch: instant queries of the HTTP API v1. */
import { z } from 'zod';
import { withMatchers } from '../../../domain/policy/config/health/promql.ts';
import type { PrometheusPort } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { httpGetter, type HttpOptions, USUAL_TIMEOUT_MS } from './http.ts';

export interface PrometheusOptions extends HttpOptions {
  /** Put into each selector of each query, such as cluster="prod". */
  matchers?: readonly string[];
}

const Sample = z.tuple([z.number(), z.string()]);
const Answer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('success'),
    data: z.discriminatedUnion('resultType', [
      z.object({ resultType: z.literal('vector'), result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: Sample })) }),
      z.object({ resultType: z.literal('scalar'), result: Sample }),
      z.object({ resultType: z.literal('matrix'), result: z.unknown() }),
      z.object({ resultType: z.literal('string'), result: z.unknown() }),
    ]),
    warnings: z.array(z.string()).optional(),
  }),
  z.object({ status: z.literal('error'), errorType: z.string(), error: z.string() }),
]);

/** What the query itself may have wrong; any other warning is of a source that did not answer (prometheus/prometheus, util/annotations). */
const OF_THE_QUERY = 'PromQL ';

type Series = Awaited<ReturnType<PrometheusPort['query']>>;

/**
 * A vector comes as it is, `[]` included; NaN is no value and is left out; a scalar is one series without labels. Throws InvalidRequest for
 * a query that Prometheus refuses, AccessDenied for 401 and 403, and Unavailable when it cannot be asked, or only a part of it has answered: Thanos
 * leaves out a store that is down and says so in a warning (thanos.io, partial response), and no alert of a part is not no alert.
 */
export function createPrometheusClient({ matchers = [], ...options }: PrometheusOptions): PrometheusPort {
  const { timeoutMs = USUAL_TIMEOUT_MS } = options;
  const get = httpGetter(options);
  return {
    async query(promql) {
      const doing = `asking Prometheus "${promql.slice(0, 120)}"`;
      const query = withMatchers(promql, matchers);
      const parameters = new URLSearchParams({ query, timeout: `${Math.ceil(timeoutMs / 1000)}s` });
      const { status, text } = await get(`/api/v1/query?${rfc3986(parameters)}`, doing);
      const answer = readJson(text, Answer);
      if (answer === undefined)
        throw failureOf('Unavailable', `${doing}: the answer (${status}) is not one of Prometheus; check its address`);
      if (answer.status === 'error') {
        const ours = answer.errorType === 'bad_data';
        throw failureOf(ours ? 'InvalidRequest' : 'Unavailable', `${doing}: ${answer.errorType}: ${answer.error}`);
      }
      const missing = answer.warnings?.find((warning) => !warning.startsWith(OF_THE_QUERY));
      if (missing !== undefined) throw failureOf('Unavailable', `${doing}: only a part of it has answered: ${missing}`);
      return seriesOf(answer.data, doing);
    },
  };
}

/** As a signature has the query: "+" would be no space there. */
function rfc3986(parameters: URLSearchParams): string {
  return parameters.toString().replaceAll('+', '%20').replaceAll('*', '%2A').replaceAll('%7E', '~');
}

function seriesOf(data: Extract<z.infer<typeof Answer>, { status: 'success' }>['data'], doing: string): Series {
  switch (data.resultType) {
    case 'vector':
      return data.result.flatMap(({ metric, value: [, value] }) => withValue(metric, value));
    case 'scalar':
      return withValue({}, data.result[1]);
    default:
      throw failureOf('InvalidRequest', `${doing}: it gives a ${data.resultType}, an instant vector or a scalar is needed`);
  }
}

/** "+Inf" and "-Inf" are values; "NaN" and what is no number are none. */
function withValue(labels: Record<string, string>, text: string): Series {
  const infinite = /^([+-]?)Inf$/.exec(text);
  const value = infinite === null ? Number(text) : infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number.isNaN(value) || text.trim() === '' ? [] : [{ labels, value }];
}
