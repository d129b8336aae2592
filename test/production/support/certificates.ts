/** Certificates of a Temporal with mutual TLS, as files: its own, and clients' of every kind that it must tell apart. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

type Variables = Record<string, string>;

const DAY_MS = 86_400_000;
/** What the server's certificate names; clients reach it by 127.0.0.1. */
const SERVER_NAME = 'temporal.test';

interface Authority {
  key: string;
  cert: string;
}

const subject = (commonName: string) => [{ name: 'commonName', value: commonName }];
const shared = { keyType: 'ec', algorithm: 'sha256' } as const;
const validity = (fromDays: number, toDays: number) => ({
  notBeforeDate: new Date(Date.now() + fromDays * DAY_MS),
  notAfterDate: new Date(Date.now() + toDays * DAY_MS),
});

async function authority(name: string): Promise<Authority> {
  const made = await generate(subject(name), {
    ...shared,
    ...validity(-2, 365),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** For servers and clients: Temporal's own services use theirs as both. */
async function signed(by: Authority, name: string, toDays: number): Promise<Authority> {
  const made = await generate(subject(name), {
    ...shared,
    ...validity(-2, toDays),
    ca: by,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  return { key: made.private, cert: made.cert };
}

export interface Certificates {
  /** Of the server's environment. */
  server: Variables;
  /** TEMPORAL_TLS_* of a client that is let in. */
  right: Variables;
  /** Likewise, each with one fault. */
  wrong: { noCertificate: Variables; otherAuthority: Variables; otherName: Variables; expired: Variables; unknownClient: Variables };
}

/** Writes them into a folder. Names of the server's variables: config_template_embedded.yaml of its module. */
export async function writeCertificates(folder: string): Promise<Certificates> {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const pair = (name: string, { cert, key }: Authority) => ({ cert: write(`${name}.pem`, cert), key: write(`${name}.key`, key) });
  const [ours, foreign] = [await authority('belay'), await authority('foreign')];
  const ca = write('ca.pem', ours.cert);
  const server = pair('server', await signed(ours, SERVER_NAME, 30));
  const client = pair('client', await signed(ours, 'belay', 30));
  const expired = pair('expired', await signed(ours, 'belay', -1));
  const unknown = pair('unknown', await signed(foreign, 'belay', 30));
  const as = ({ cert, key }: { cert: string; key: string }): Variables => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
  });
  const trusting = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca, TEMPORAL_TLS_SERVER_NAME: SERVER_NAME };
  const right = { ...trusting, ...as(client) };
  return {
    server: {
      TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
      TEMPORAL_TLS_FRONTEND_CERT: server.cert,
      TEMPORAL_TLS_FRONTEND_KEY: server.key,
      TEMPORAL_TLS_SERVER_CERT: server.cert,
      TEMPORAL_TLS_SERVER_KEY: server.key,
      TEMPORAL_TLS_SERVER_CA_CERT: ca,
      TEMPORAL_TLS_CLIENT1_CA_CERT: ca,
      TEMPORAL_TLS_FRONTEND_SERVER_NAME: SERVER_NAME,
      TEMPORAL_TLS_INTERNODE_SERVER_NAME: SERVER_NAME,
    },
    right,
    wrong: {
      noCertificate: trusting,
      otherAuthority: { ...right, TEMPORAL_TLS_SERVER_CA_CERT_PATH: write('foreign-ca.pem', foreign.cert) },
      otherName: { ...right, TEMPORAL_TLS_SERVER_NAME: 'elsewhere.test' },
      expired: { ...right, ...as(expired) },
      unknownClient: { ...right, ...as(unknown) },
    },
  };
}
