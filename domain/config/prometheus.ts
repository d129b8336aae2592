/** `prometheus:` in belay.yaml: where the cluster's metrics are, and what asking for them takes. */
import { z } from 'zod';
import { httpUrl, text } from './fields.ts';

export const prometheusSchema = z
  .strictObject({
    url: httpUrl.describe(
      'Address of a Prometheus that scrapes the cluster, or of a Thanos, Mimir or Amazon Managed Service for Prometheus (…/workspaces/ws-…) that has its series alone',
    ),
    headers: z
      .record(text('write the name of a header such as X-Scope-OrgID', /^[A-Za-z0-9-]+$/), text('write the value of the header'), {
        error: 'write headers by name',
      })
      .refine((headers) => !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'), {
        error: 'no secret belongs into this file; name a variable of the environment under bearerTokenFrom',
      })
      .describe('Sent with each query, such as X-Scope-OrgID for a tenant')
      .optional(),
    bearerTokenFrom: text('write the name of a variable of the environment such as PROMETHEUS_TOKEN', /^[A-Za-z_][A-Za-z0-9_]*$/)
      .describe("Variable of the worker's environment with a bearer token")
      .optional(),
    sigv4: z
      .strictObject({
        region: text('write an AWS region such as eu-west-1', /^[a-z]{2}(-[a-z]+)+-\d$/)
          .describe("Region of the workspace; by default the cluster's")
          .optional(),
      })
      .describe('Requests are signed for Amazon Managed Service for Prometheus, with the credentials for the cluster (aps:QueryMetrics)')
      .optional(),
  })
  .refine(({ bearerTokenFrom, sigv4 }) => bearerTokenFrom === undefined || sigv4 === undefined, {
    error: 'both bearerTokenFrom and sigv4 are given, and a request has one Authorization; keep one of them',
  })
  .describe('Health checks and firing alerts, traffic of Istio waves, connected proxies');

/** How its metrics are asked for. */
export interface PrometheusAccess {
  url: string;
  headers?: Record<string, string>;
  bearerTokenFrom?: string;
  sigv4?: { region?: string };
}
