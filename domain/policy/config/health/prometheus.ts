/** `prometheus:` in belay.yaml: where the cluster's metrics are, and what asking for them takes. */
import { REGION } from '../../../core/cluster-ref.ts';
import { z } from 'zod';
import { httpUrl, text } from '../base/fields.ts';
import { MATCHER } from './promql.ts';

const address = httpUrl('name a variable of the environment with a bearer token under bearerTokenFrom');

/** What asking takes, at Prometheus and at its Alertmanager alike. */
const access = {
  headers: z
    .record(text('write the name of a header such as X-Scope-OrgID', /^[A-Za-z0-9-]+$/), text('write the value of the header'), {
      error: 'write headers by name',
    })
    .refine((headers) => !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'), {
      error: 'no secret belongs into this file; name a variable of the environment under bearerTokenFrom',
    })
    .describe('Sent with each request, such as X-Scope-OrgID for a tenant')
    .optional(),
  bearerTokenFrom: text('write the name of a variable of the environment such as PROMETHEUS_TOKEN', /^[A-Za-z_][A-Za-z0-9_]*$/)
    .describe('Environment variable of the worker with a bearer token')
    .optional(),
  allowPlainHttp: z
    .boolean({ error: 'write true or false' })
    .describe('Send credentials over http:// to other hosts, not only over https:// or to this machine')
    .optional(),
  sigv4: z
    .strictObject({
      region: text('write an AWS region such as eu-west-1', REGION).describe('Region of the workspace').optional(),
    })
    .describe(
      'Requests are signed for Amazon Managed Service for Prometheus, with the credentials for the cluster (aps:QueryMetrics, aps:ListAlertManagerAlerts)',
    )
    .optional(),
};
const oneAuthorization = ({ bearerTokenFrom, sigv4 }: { bearerTokenFrom?: unknown; sigv4?: unknown }): boolean =>
  bearerTokenFrom === undefined || sigv4 === undefined;
const ONE_AUTHORIZATION = {
  error: 'both bearerTokenFrom and sigv4 are given, and a request has one Authorization; keep one of them',
};

const RIGHT_MATCHER = 'write a label matcher such as cluster="prod", the label\'s value in double quotes';

export const prometheusSchema = z
  .strictObject({
    url: address.describe(
      'Prometheus that scrapes the cluster, or Thanos, Mimir or Amazon Managed Service for Prometheus (…/workspaces/ws-…); if it also holds other clusters, set `matchers`',
    ),
    ...access,
    matchers: z
      .array(text(RIGHT_MATCHER, MATCHER), { error: `write a list of label matchers such as ['cluster="prod"']` })
      .describe(
        'For a shared Prometheus: added to every selector of every query, alerts and your own checks included, such as `[\'cluster="prod"\']`',
      )
      .optional(),
    alertmanager: z
      .strictObject({
        url: address.describe(
          'Address of its Alertmanager, with the path before /api/v2 (…/workspaces/ws-…/alertmanager at Amazon Managed Service for Prometheus)',
        ),
        ...access,
      })
      .refine(oneAuthorization, ONE_AUTHORIZATION)
      .describe('Where silences are: an alert that is silenced or inhibited there stops nothing')
      .optional(),
  })
  .refine(oneAuthorization, ONE_AUTHORIZATION)
  .describe('Health checks and firing alerts, traffic of Istio waves, connected proxies');

/** How an address is asked. */
export interface HttpAccess {
  url: string;
  headers?: Record<string, string>;
  bearerTokenFrom?: string;
  allowPlainHttp?: boolean;
  sigv4?: { region?: string };
}

/** How its metrics are asked for. */
export interface PrometheusAccess extends HttpAccess {
  matchers?: string[];
  alertmanager?: HttpAccess;
}
