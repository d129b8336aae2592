/** A start that somebody has recorded starts nothing a second time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import { createRecordStore } from '../../../../activities/run/records/records.ts';
import { createDirectoryStorage } from '../../../../activities/run/records/storage/directory.ts';
import { createStartLedger } from '../../../../activities/run/authorization/start-ledger.ts';
import { startText } from '../../../../domain/gates/identity-proof.ts';
import { takeStartHere } from '../../../../worker/temporal/interceptors/grants.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { testSigner } from '../../../support/signing.ts';

const workflowId = `eks-upgrade/${CLUSTER.account}/${CLUSTER.region}/${CLUSTER.name}`;
const requestedBy = { kind: 'slack', id: 'U0ASKS' } as const;
const words = (id: string): string => startText(workflowId, { cluster: CLUSTER, target: '1.33', requestedBy, id });

let directory = '';
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'belay-starts-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

test('RS1: a signed start is of one run, whoever sends it again, and a worker that asks again for the same run hears the same', async () => {
  const store = createRecordStore(createDirectoryStorage(directory).texts);
  const run = { workflowId, runId: 'first' };
  expect(await createStartLedger(store).take(words('a'), run)).toBe(true);
  expect(await createStartLedger(store).take(words('a'), run)).toBe(true);
  expect(await createStartLedger(store).take(words('a'), { workflowId, runId: 'second' })).toBe(false);
  expect(await createStartLedger(store).take(words('b'), { workflowId, runId: 'second' })).toBe(true);
  expect(await createStartLedger(store).take(words('a'), { workflowId, runId: 'third' })).toBe(false);
  expect([await store.newest(10), await store.newest(10, CLUSTER)]).toEqual([[], []]);
});

test('RS1: the right to start is refused with the reason, and to others’ workflows the ledger is closed', async () => {
  const signer = testSigner();
  const ledger = createStartLedger(createRecordStore(createDirectoryStorage(directory).texts));
  const readAs = (runId: string, isLocal = true) => {
    const workflowExecution = { workflowId, runId };
    const info = { workflowExecution, workflowNamespace: 'default', workflowType: 'upgradeCluster', activityType: 'readApprover', isLocal };
    const { readApprover } = createApproverActivities({
      people: { whyNotMember: () => Promise.resolve(undefined) },
      publicKeys: () => signer.publicKeys,
      takeStart: (text) => takeStartHere(ledger, text, info),
    });
    return signer
      .claim(words('a'))
      .then((claim) => readApprover({ cluster: CLUSTER, policy: policy(), requestedBy, actor: requestedBy, as: 'requester', claim }));
  };
  expect(await readAs('not local', false)).toMatchObject({ allowed: false });
  expect(await readAs('first')).toMatchObject({ allowed: true });
  expect(await readAs('second')).toMatchObject({ allowed: false, why: expect.stringContaining('taken before, by another run') });
});

test('RS1: where the ledger cannot be written nothing starts, and the sender is told why', async () => {
  const signer = testSigner();
  const { readApprover } = createApproverActivities({
    people: { whyNotMember: () => Promise.resolve(undefined) },
    publicKeys: () => signer.publicKeys,
    takeStart: (text) =>
      createStartLedger(createRecordStore(createDirectoryStorage('/dev/null').texts)).take(text, { workflowId, runId: 'first' }),
  });
  const asked = { cluster: CLUSTER, policy: policy(), requestedBy, actor: requestedBy, as: 'requester' as const };
  expect(await readApprover({ ...asked, claim: await signer.claim(words('a')) })).toMatchObject({
    allowed: false,
    why: expect.stringMatching(/^Whether this start was taken before cannot be told, so nothing was done: /),
  });
  expect(await readApprover({ ...asked, claim: await signer.claim('no start') })).toMatchObject({ allowed: true });
});
