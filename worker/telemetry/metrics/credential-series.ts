/** When the credentials end by which this process reaches Temporal: what is in the files and variables now, read at each scrape. */
import { X509Certificate } from 'node:crypto';
import { Gauge, type Registry } from 'prom-client';
import { field } from '../../../domain/core/unknown.ts';
import type { TemporalSettings } from '../../temporal/connection.ts';

/** `connection`: with the credentials of this moment. Throws where they cannot be read. */
export function credentialSeries(registry: Registry, connection: () => TemporalSettings['connection']): void {
  const ends = new Gauge({
    name: 'belay_credential_ends_timestamp_seconds',
    help: 'When a credential for Temporal ends (credential: certificate, api_key). Absent where there is none, or it does not say.',
    labelNames: ['credential'],
    registers: [],
    collect() {
      this.reset();
      const { certificate, api_key } = endsOf(connection);
      if (certificate !== undefined) this.set({ credential: 'certificate' }, certificate);
      if (api_key !== undefined) this.set({ credential: 'api_key' }, api_key);
    },
  });
  registry.registerMetric(ends);
}

function endsOf(connection: () => TemporalSettings['connection']): { certificate?: number; api_key?: number } {
  try {
    const { tls, apiKey } = connection();
    const crt = field(field(tls, 'clientCertPair'), 'crt');
    return { certificate: certificateEndS(crt), api_key: typeof apiKey === 'string' ? keyEndS(apiKey) : undefined };
  } catch {
    // The process itself says what is wrong with them.
    return {};
  }
}

/** Of a chain the first is the client's own. */
function certificateEndS(pem: unknown): number | undefined {
  if (!(pem instanceof Uint8Array) && typeof pem !== 'string') return undefined;
  const endS = new X509Certificate(Buffer.from(pem as Uint8Array)).validToDate.getTime() / 1000;
  return Number.isFinite(endS) ? endS : undefined;
}

/** Temporal's keys are JSON Web Tokens: the claim `exp` of RFC 7519, section 4.1.4, in seconds. Nothing is verified here, and nothing else is read. */
function keyEndS(key: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const exp = field(claims, 'exp');
    return typeof exp === 'number' && Number.isFinite(exp) ? exp : undefined;
  } catch {
    return undefined;
  }
}
