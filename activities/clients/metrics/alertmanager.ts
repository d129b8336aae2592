/** AlertmanagerPort over fetch: alerts of the HTTP API v2 (Alertmanager's api/v2/openapi.yaml, gettableAlert). */
import { z } from 'zod';
import type { AlertmanagerPort } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { httpGetter, type HttpOptions } from './http.ts';

const Alerts = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    status: z.object({ state: z.enum(['unprocessed', 'active', 'suppressed']) }),
  }),
);

/** Throws AccessDenied for 401 and 403, and Unavailable when it cannot be asked. */
export function createAlertmanagerClient(options: HttpOptions): AlertmanagerPort {
  const get = httpGetter(options);
  return {
    async alerts() {
      const doing = 'asking Alertmanager for its alerts';
      const { status, text } = await get('/api/v2/alerts?active=true&silenced=true&inhibited=true&unprocessed=true', doing);
      const alerts = status === 200 ? readJson(text, Alerts) : undefined;
      if (alerts === undefined)
        throw failureOf('Unavailable', `${doing}: the answer (${status}) is not one of Alertmanager; check prometheus.alertmanager.url`);
      return alerts.map(({ labels, status: { state } }) => ({ labels, suppressed: state === 'suppressed' }));
    },
  };
}
