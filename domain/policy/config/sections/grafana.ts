/** `grafana:` in belay.yaml: where steps are shown as annotations. */
import { z } from 'zod';
import { httpUrl, text } from '../base/fields.ts';

export const grafanaSchema = z
  .strictObject({
    url: httpUrl('name a variable of the environment under bearerTokenFrom').describe('Address of Grafana, with the path before /api'),
    bearerTokenFrom: text('write the name of a variable of the environment such as GRAFANA_TOKEN', /^[A-Za-z_][A-Za-z0-9_]*$/)
      .describe('Environment variable with the token of a service account that may read, create and write annotations')
      .optional(),
    headers: z
      .record(text('write the name of a header such as X-Grafana-Org-Id', /^[A-Za-z0-9-]+$/), text('write the value of the header'), {
        error: 'write headers by name',
      })
      .refine((headers) => !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'), {
        error: 'no secret belongs into this file; name a variable of the environment under bearerTokenFrom',
      })
      .describe('Sent with each request')
      .optional(),
    allowPlainHttp: z
      .boolean({ error: 'write true or false' })
      .describe('Send the token over http:// to other hosts, not only over https:// or to this machine')
      .optional(),
  })
  .describe('Each step as an annotation in Grafana, written by the process that shows the metrics of runs (BELAY_METRICS_RUNS)');

export type GrafanaAccess = z.output<typeof grafanaSchema>;
