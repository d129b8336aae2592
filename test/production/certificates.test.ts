/** Mutual TLS: a client that may, and all kinds that may not, each told what to change. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectClient } from '../../client/calls/connect.ts';
import { rehearsedOn, runBelay, withVariables } from './support/belay.ts';
import { type Certificates, writeCertificates } from './support/certificates.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal } from './support/temporal.ts';

describeOnPostgreSql('Temporal with mutual TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-certificates-'));
  let certificates: Certificates;
  let temporal: ProductionTemporal;
  beforeAll(async () => {
    certificates = await writeCertificates(folder);
    temporal = await ProductionTemporal.open({ server: certificates.server, admin: certificates.right });
  });
  afterAll(async () => {
    await temporal?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('O4: with the right certificate a whole upgrade completes', async () => {
    const run = await rehearsedOn({ TEMPORAL_ADDRESS: temporal.address, ...certificates.right }, { scenario: 'small' });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [] });
  });

  const files = 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH';
  test.each<[keyof Certificates['wrong'], string, RegExp, string]>([
    ['noCertificate', 'no client certificate', /the server asks for a client certificate, and none is set/, `Set ${files}.`],
    [
      'otherAuthority',
      'a wrong CA',
      /the server's certificate is signed by an authority that is not trusted here/,
      'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of the authority that signed it.',
    ],
    [
      'otherName',
      'a wrong server name',
      /the server's certificate is not for elsewhere\.test/,
      'Set TEMPORAL_TLS_SERVER_NAME to a name in that certificate.',
    ],
    [
      'expired',
      'an expired certificate',
      /the client certificate expired on \d{4}-\d\d-\d\d/,
      `Renew it and write it to the files of ${files}.`,
    ],
    [
      'unknownClient',
      'a certificate of an authority that the server does not know',
      /the server does not accept the client certificate/,
      `Use one of an authority that the server trusts for clients, in the files of ${files}.`,
    ],
  ])('O4: %s: %s ends the worker with one line that names the fix', async (kind, _what, why, fix) => {
    const variables = { TEMPORAL_ADDRESS: temporal.address, ...certificates.wrong[kind] };
    const worker = runBelay(['worker'], variables);
    expect(await worker.ended).toBe(1);
    // Log lines, such as that of the clock, are JSON.
    const lines = worker
      .log()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^Temporal at ${temporal.address} cannot be used: ${why.source}\\. `));
    expect(lines[0]?.endsWith(fix)).toBe(true);
  });

  test('O4: a client goes on with certificates that were renewed in its files, and with the old ones while the new cannot be used', async () => {
    const [cert, key] = [join(folder, 'renewed.pem'), join(folder, 'renewed.key')];
    const files = { TEMPORAL_TLS_CLIENT_CERT_PATH: cert, TEMPORAL_TLS_CLIENT_KEY_PATH: key };
    const put = (certOf: Record<string, string>, keyOf = certOf): void => {
      copyFileSync(certOf['TEMPORAL_TLS_CLIENT_CERT_PATH'] ?? '', cert);
      copyFileSync(keyOf['TEMPORAL_TLS_CLIENT_KEY_PATH'] ?? '', key);
    };
    const { right, wrong } = certificates;
    put(wrong.expired);
    await withVariables({ TEMPORAL_ADDRESS: temporal.address, ...right, ...files }, async () => {
      const { client, renew, close } = connectClient({
        resolveCluster: () => {
          throw new Error('no cluster is asked for');
        },
      });
      const asks = (): Promise<unknown> => client.withDeadline(Date.now() + 20_000, () => client.workflowService.getSystemInfo({}));
      try {
        await expect(asks()).rejects.toThrow();
        put(right);
        await renew();
        await asks();
        put(wrong.unknownClient, right);
        await expect(renew()).rejects.toThrow();
        await asks();
        // Twice: the first of three connections is closed by now.
        put(right);
        await renew();
        await asks();
      } finally {
        await close();
      }
    });
  });

  test.each([
    ['doctor', 'the server at ADDRESS cannot be used'],
    ['status', 'Temporal at ADDRESS cannot be used'],
  ])('O4: belay %s says the same', async (command, how) => {
    const ran = runBelay([command], { TEMPORAL_ADDRESS: temporal.address, ...certificates.wrong.otherName });
    expect(await ran.ended).not.toBe(0);
    const said = `${how.replace('ADDRESS', temporal.address)}: the server's certificate is not for elsewhere.test`;
    expect(ran.log()).toContain(said);
  });
});
