/** API keys as Temporal Cloud has them: signed tokens with roles, on a server that asks for one. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Connection } from '@temporalio/client';
import { GRPC } from '../../client/calls/grpc-status.ts';
import { field } from '../../domain/core/unknown.ts';
import { eventually } from '../support/eventually.ts';
import { rehearsedOn, runBelay } from './support/belay.ts';
import { type Keys, serveKeys } from './support/keys.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal, type Variables } from './support/temporal.ts';

const WRITE = ['default:write'];
/** Long enough for a worker to start on a slow machine. */
const SHORT_S = 30;
const ADMIN = ['temporal-system:admin', 'default:admin'];

describeOnPostgreSql('Temporal that asks for API keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-keys-'));
  let keys: Keys;
  let temporal: ProductionTemporal;
  beforeAll(async () => {
    keys = await serveKeys();
    // Without TLS, which a key would switch on.
    const admin = { TEMPORAL_API_KEY: keys.keyFor(ADMIN), TEMPORAL_TLS: 'false' };
    temporal = await ProductionTemporal.open({ server: keys.server, admin });
  });
  afterAll(async () => {
    await temporal?.close();
    await keys?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const withKey = (key: string): Variables => ({ TEMPORAL_ADDRESS: temporal.address, TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: key });

  test.each<[string, () => string]>([
    ['that is none', () => 'wrong'],
    ['that has expired', () => keys.keyFor(WRITE, -60)],
    ['of another namespace', () => keys.keyFor(['other:write'])],
  ])('O5: a key %s ends the worker at its start with exit code 1 and what to check', async (_which, key) => {
    const worker = runBelay(['worker'], withKey(key()));
    expect(await worker.ended).toBe(1);
    // Log lines, such as that of the clock, are JSON.
    const lines = worker
      .log()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^Temporal at ${temporal.address} refuses this process \\(.+\\)\\. Check TEMPORAL_API_KEY`));
  });

  test('O6: a key that expires while the worker runs is said and ends its readiness; a new one in the file heals it', async () => {
    const [keyFile, readyFile] = [join(folder, 'key'), join(folder, 'ready')];
    writeFileSync(keyFile, keys.keyFor(WRITE, SHORT_S));
    const { TEMPORAL_API_KEY: _none, ...server } = withKey('');
    const worker = runBelay(['worker'], { ...server, TEMPORAL_API_KEY_FILE: keyFile, BELAY_READY_FILE: readyFile });
    try {
      await eventually('ready', () => existsSync(readyFile));
      await eventually('the refusal is said', () => worker.log().includes('Temporal refuses this worker'), 120_000);
      await eventually('not ready any more', () => !existsSync(readyFile));
      writeFileSync(keyFile, keys.keyFor(WRITE));
      await eventually('accepted', () => worker.log().includes('Temporal accepts the polls of this worker again'), 90_000);
      await eventually('ready again', () => existsSync(readyFile));
    } finally {
      expect(await worker.stop()).toBe(0);
    }
  });

  test('O7: with a key that may write and no more, a whole upgrade completes where an administrator has added the search attributes', async () => {
    const run = await rehearsedOn(withKey(keys.keyFor(WRITE)), { scenario: 'small' });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [] });
  });

  test('O7: where one search attribute is missing, the worker names it and the command for an administrator, and works', async () => {
    const apiKey = keys.keyFor(ADMIN);
    const admin = await Connection.connect({ address: temporal.address, tls: false, apiKey });
    try {
      await admin.operatorService.removeSearchAttributes({ namespace: 'default', searchAttributes: ['BelayPhase'] });
    } finally {
      await admin.close();
    }
    const worker = runBelay(['worker'], withKey(keys.keyFor(WRITE)));
    try {
      await eventually('the worker polls', () => worker.log().includes('worker is polling'));
      const lines = worker
        .log()
        .split('\n')
        .filter((line) => line.includes('search attributes are missing'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('temporal operator search-attribute create --namespace default --name BelayPhase --type Keyword');
      expect(lines[0]).not.toContain('BelayCluster');
    } finally {
      expect(await worker.stop()).toBe(0);
    }
  });

  test('O41: a key that may write chooses the version that gets new work; one that may read does not', async () => {
    const choose = async (permission: string): Promise<unknown> => {
      const connection = await Connection.connect({ address: temporal.address, tls: false, apiKey: keys.keyFor([permission]) });
      try {
        const version = { deploymentName: 'belay-o41', buildId: 'one' };
        return await connection.workflowService
          .setWorkerDeploymentCurrentVersion({ namespace: 'default', identity: 'test', allowNoPollers: true, ...version })
          .then(() => 'chosen')
          .catch((error: unknown) => field(error, 'code'));
      } finally {
        await connection.close();
      }
    };
    expect(await choose('default:read')).toBe(GRPC.permissionDenied);
    expect(await choose('default:write')).toBe('chosen');
  });
});
