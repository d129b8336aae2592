/** A certificate authority of the stand-in's own, and a server certificate for 127.0.0.1. */
import { generate } from 'selfsigned';

export interface ServerCertificates {
  key: string;
  cert: string;
  /** PEM of the authority that clients must trust. */
  ca: string;
}

const DAY_MS = 86_400_000;

export async function makeCertificates(): Promise<ServerCertificates> {
  const validity = { notBeforeDate: new Date(Date.now() - DAY_MS), notAfterDate: new Date(Date.now() + 365 * DAY_MS) };
  const shared = { keyType: 'ec', algorithm: 'sha256', ...validity } as const;
  const authority = await generate([{ name: 'commonName', value: 'kubernetes' }], {
    ...shared,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'kube-apiserver' }], {
    ...shared,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: 'kubernetes.default.svc' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: server.private, cert: server.cert, ca: authority.cert };
}
