/** A worker that lacks the key with which the open runs were written does not start. */
import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ServiceConnection } from '../../../client/calls/worker-deployments.ts';
import { EncryptionCodec } from '../../../worker/crypto/codec/encryption-codec.ts';
import { orNobodys, requireKeys } from '../../../worker/releases/require-keys.ts';

const key = (id: string, byte: number) => ({ id, key: createSecretKey(Buffer.alloc(32, byte)) });
const [A, B] = [key('2026-03', 1), key('2026-09', 2)];

/** A Temporal whose open runs were started with the keys named. */
async function temporalWith(keys: readonly (typeof A | undefined)[], type = 'upgradeCluster'): Promise<ServiceConnection> {
  const inputs = await Promise.all(
    keys.map((one) => new EncryptionCodec(one === undefined ? [] : [one]).encode([defaultPayloadConverter.toPayload({ target: '1.33' })])),
  );
  const workflowService = {
    listWorkflowExecutions: async ({ query, pageSize, nextPageToken }: { query: string; pageSize: number; nextPageToken?: Uint8Array }) => {
      if (!query.includes(`'${type}'`)) return { executions: [] };
      const from = nextPageToken?.[0] ?? 0;
      const executions = inputs.map((_, index) => ({ execution: { workflowId: String(index) } })).slice(from, from + pageSize);
      return { executions, nextPageToken: Uint8Array.from(from + pageSize < inputs.length ? [from + pageSize] : []) };
    },
    getWorkflowExecutionHistory: async ({ execution }: { execution: { workflowId: string } }) => ({
      history: { events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: inputs[Number(execution.workflowId)] } } }] },
    }),
  };
  return { workflowService } as never;
}
const warned: unknown[] = [];
const log = { warn: (...words: unknown[]) => void warned.push(words) } as never;

test.each<[string, (typeof A | undefined)[], (typeof A)[], string | undefined]>([
  ['no open run', [], [], undefined],
  ['plain runs, no key', [undefined], [], undefined],
  ['the key is here', [A], [B, A], undefined],
  ['one run of somebody else cannot keep it from starting', [A, B], [B], undefined],
  ['nor can a hundred that are newer', [...Array.from({ length: 100 }, () => A), B], [B], undefined],
  [
    'no key at all',
    [A],
    [],
    'This worker does not start: open runs of namespace "default" cannot be read: a payload is encrypted with key "2026-03", and BELAY_CODEC_KEYS has none: add that key behind the first one. Or, if the newest of them is no run of yours: temporal workflow terminate --namespace default --workflow-id 0',
  ],
  [
    'another key',
    [A, A],
    [B],
    'This worker does not start: open runs of namespace "default" cannot be read: a payload is encrypted with key "2026-03", and BELAY_CODEC_KEYS has 2026-09: add that key behind the first one. Or, if the newest of them is no run of yours: temporal workflow terminate --namespace default --workflow-id 0',
  ],
])('O21: %s', async (_what, runs, keys, message) => {
  const started = requireKeys(await temporalWith(runs), 'default', log, keys);
  if (message === undefined) await started;
  else await expect(started).rejects.toThrow(expect.objectContaining({ message }));
});

test.each(['freezeDrift', 'rollbackWindow', 'runCampaign'])(
  'O21: without the key of %s no worker starts, though no upgrade runs',
  async (type) => {
    await expect(requireKeys(await temporalWith([A], type), 'default', log, [B])).rejects.toThrow('is encrypted with key "2026-03"');
  },
);

test('O21: what Temporal does not say is said in the log, and keeps nobody from starting', async () => {
  const away = { workflowService: { listWorkflowExecutions: async () => Promise.reject(new Error('no visibility')) } } as never;
  await requireKeys(away, 'default', log, []);
  expect(JSON.stringify(warned)).toContain('no visibility');
});

test('O21: a run on a queue that no worker serves, which stays open for good, keeps nobody from starting', async () => {
  const { workflowService } = await temporalWith([A]);
  const listWorkflowExecutions = async (asked: { query: string; pageSize: number }) =>
    asked.query.includes("TaskQueue = 'belay'") ? { executions: [] } : await workflowService.listWorkflowExecutions(asked);
  await requireKeys({ workflowService: { listWorkflowExecutions } } as never, 'default', log, [B]);
});

test('O21: a run whose ID somebody else chose ends no quotes in the command that ends it', () => {
  const missing = { why: 'cannot be read', namespace: 'default', workflowId: `eks-upgrade/prod' ; rm -rf ~ #` };
  expect(orNobodys(missing)).toContain(String.raw`--workflow-id 'eks-upgrade/prod'\'' ; rm -rf ~ #'`);
});
