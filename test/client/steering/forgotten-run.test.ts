/** Buttons of a run that Temporal does not know any more: a plain answer, and a line in the record of what was refused. */
import { expect, test } from 'vitest';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Refusals } from '../../../client/steering/refused-attempts.ts';
import { createUpgrades, UpgradesError } from '../../../client/upgrades-client.ts';
import { CLUSTER } from '../../support/facts.ts';

const ID = `eks-upgrade/${CLUSTER.account}/${CLUSTER.region}/${CLUSTER.name}`;
const SAM = { kind: 'slack', id: 'U0SAM', name: 'Sam' } as const;
const GATE = 'before:control-plane@1.33#1';
const AUDIT = `\`belay audit ${CLUSTER.name}\` shows what the run did.`;
const GONE = `Temporal no longer knows this run of ${CLUSTER.name}, so nothing was changed: its database was restored from a backup, or the run ended long ago.`;

interface Standing {
  /** Run ids that Temporal knows under the cluster's id; the first one is the newest. */
  runs?: string[];
  /** undefined: it cannot be read. */
  version?: string;
}

function setting({ runs = [], version }: Standing) {
  const refused: { what: string; actor?: unknown }[] = [];
  const sent: string[] = [];
  const getHandle = (workflowId: string, runId?: string) => ({
    describe: async () => {
      const run = runId ?? runs[0];
      if (run === undefined || !runs.includes(run)) throw new WorkflowNotFoundError('workflow not found', workflowId, runId);
      return { runId: run, raw: { workflowExecutionInfo: { firstRunId: run } } };
    },
    startUpdate: async () => {
      sent.push('update');
      return { result: async () => ({ accepted: true, message: 'Recorded.' }) };
    },
  });
  const start = async () => {
    if (version === undefined) throw new Error('no worker');
    return { result: async () => ({ readAt: '', offered: [], clusters: [{ name: CLUSTER.name, version }] }) };
  };
  const client = { workflow: { getHandle, start }, withDeadline: async (_at: number, call: () => Promise<unknown>) => await call() };
  const refusals: Refusals = {
    ofRun: () => undefined,
    atTheDoor: (refusal) => void refused.push(refusal),
    end: async () => undefined,
  };
  const upgrades = createUpgrades({ client: client as unknown as Client, refusals, resolveCluster: () => CLUSTER });
  return { upgrades, refused, sent };
}

const button = { workflowId: ID, run: 'run-lost', actor: SAM, gateId: GATE, choice: 'approve', revision: 1, cluster: CLUSTER.name };

test.each<[string, Standing, string]>([
  ['nothing runs now', { version: '1.33' }, `${GONE} The control plane of ${CLUSTER.name} is at 1.33. ${AUDIT}`],
  ['another run is there', { runs: ['run-new'], version: '1.32' }, `${GONE} The control plane of ${CLUSTER.name} is at 1.32. ${AUDIT}`],
  ['the version cannot be read', {}, `${GONE} Could not read which version ${CLUSTER.name} runs. ${AUDIT}`],
])('O19: a gate’s button of a forgotten run, %s', async (_what, standing, message) => {
  const { upgrades, refused, sent } = setting(standing);
  const error: unknown = await upgrades.decide(button).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UpgradesError);
  expect(error).toMatchObject({ code: 'forgotten', message });
  expect(sent).toEqual([]);
  expect(refused).toEqual([{ what: `decide approve at ${GATE} was refused: Temporal does not know that run of ${ID}`, actor: SAM }]);
});

test('O19: so do Pause and Abort of a forgotten run', async () => {
  const { upgrades, refused } = setting({ runs: ['run-new'], version: '1.33' });
  for (const send of [upgrades.pause, upgrades.abort])
    await expect(send({ workflowId: ID, run: 'run-lost', actor: SAM, cluster: CLUSTER.name })).rejects.toMatchObject({ code: 'forgotten' });
  expect(refused.map(({ what }) => what.split(' ')[0])).toEqual(['pause', 'abort']);
});

test('a run that Temporal knows is answered as before', async () => {
  const own = setting({ runs: ['run-lost'] });
  expect((await own.upgrades.decide(button)).reply).toEqual({ accepted: true, message: 'Recorded.' });
  const earlier = setting({ runs: ['run-new', 'run-lost'] });
  expect((await earlier.upgrades.decide(button)).reply).toEqual({
    accepted: false,
    message: 'This button belongs to an earlier run that has ended, so nothing was changed.',
  });
  expect([...own.refused, ...earlier.refused]).toEqual([]);
});
