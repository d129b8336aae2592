/**
 * Why a connection to Temporal by TLS is not made, in words that name the variable to change. Temporal's clients do not say it: the native one
 * says "operation was canceled" to a missing client certificate, the other one that a deadline has passed. So the same handshake is made once
 * more, by Node, whose errors have codes.
 */
import { X509Certificate } from 'node:crypto';
import { connect, type ConnectionOptions } from 'node:tls';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { field } from '../../domain/core/unknown.ts';

const LIMIT_MS = 5_000;

/** `what`: a clause; `fix`: a sentence. */
export interface TlsTrouble {
  what: string;
  fix: string;
}

const CLIENT_CERTIFICATE = 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH';

/** Undefined: TLS is not used, or is not what fails. Takes at most five seconds. */
export async function tlsTrouble({ address = '', tls }: Pick<NativeConnectionOptions, 'address' | 'tls'>): Promise<TlsTrouble | undefined> {
  if (tls === undefined || tls === null || tls === false) return undefined;
  const { serverRootCACertificate: ca, serverNameOverride, clientCertPair } = tls === true ? {} : tls;
  const expired = clientCertPair === undefined || clientCertPair === null ? undefined : expiredSince(clientCertPair.crt);
  if (expired !== undefined) {
    const fix = `Renew it and write it to the files of ${CLIENT_CERTIFICATE}.`;
    return { what: `the client certificate expired on ${expired}`, fix };
  }
  const host = address.replace(/:\d+$/, '');
  const error = await handshake(address, {
    ...(ca == null ? {} : { ca: Buffer.from(ca) }),
    ...(clientCertPair == null ? {} : { cert: Buffer.from(clientCertPair.crt), key: Buffer.from(clientCertPair.key) }),
    servername: serverNameOverride ?? host,
  });
  return error === undefined ? undefined : troubleOf(error, { name: serverNameOverride ?? host, hasCertificate: clientCertPair != null });
}

/** Codes of OpenSSL and of its alerts: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function troubleOf(error: unknown, { name, hasCertificate }: { name: string; hasCertificate: boolean }): TlsTrouble | undefined {
  const code = String(field(error, 'code'));
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return { what: `the server's certificate is not for ${name}`, fix: 'Set TEMPORAL_TLS_SERVER_NAME to a name in that certificate.' };
  }
  if (code === 'CERT_HAS_EXPIRED') return { what: "the server's certificate has expired", fix: 'Renew it on the server.' };
  if (/^(UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|CERT_(UNTRUSTED|SIGNATURE_FAILURE))/.test(code)) {
    const fix = 'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of the authority that signed it.';
    return { what: "the server's certificate is signed by an authority that is not trusted here", fix };
  }
  // In TLS 1.2 a missing certificate is a handshake failure.
  if (/ALERT_CERTIFICATE_REQUIRED/.test(code) || (!hasCertificate && /ALERT_(BAD_CERTIFICATE|HANDSHAKE_FAILURE)/.test(code))) {
    return { what: 'the server asks for a client certificate, and none is set', fix: `Set ${CLIENT_CERTIFICATE}.` };
  }
  if (/ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_(UNKNOWN|EXPIRED|REVOKED)|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/.test(code)) {
    const fix = `Use one of an authority that the server trusts for clients, in the files of ${CLIENT_CERTIFICATE}.`;
    return { what: 'the server does not accept the client certificate', fix };
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return { what: 'the server does not speak TLS', fix: 'Set TEMPORAL_TLS=false, or TEMPORAL_ADDRESS to the address that does.' };
  }
  return undefined;
}

/** What a client of HTTP/2 says first, with no settings of its own: https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]);

/**
 * The error of a handshake; undefined where it succeeds or nothing is heard. In TLS 1.3 a server refuses a client's certificate only when the
 * handshake is over for the client: whoever is let in is answered. Sockets show that alert, sessions of node:http2 do not.
 */
function handshake(address: string, options: ConnectionOptions): Promise<unknown> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(`https://${address}`);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443), ALPNProtocols: ['h2'], ...options });
    const limit = setTimeout(() => end(undefined), LIMIT_MS);
    const end = (error: unknown): void => {
      clearTimeout(limit);
      resolve(error);
      socket.destroy();
    };
    socket.once('secureConnect', () => socket.write(PREFACE));
    socket.once('data', () => end(undefined));
    socket.on('error', end);
    socket.once('close', () => end(undefined));
  });
}

/** The day, where it is over; undefined also for what is no certificate. */
function expiredSince(certificate: Uint8Array): string | undefined {
  try {
    const { validToDate } = new X509Certificate(certificate);
    return validToDate.getTime() < Date.now() ? validToDate.toISOString().slice(0, 10) : undefined;
  } catch {
    return undefined;
  }
}
