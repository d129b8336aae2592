/** A gate that is open while a campaign goes on in its next run, and whose plan has changed meanwhile, is asked anew: also those who had voted vote again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import type { DecisionReply } from '../../../../domain/gates/gate.ts';
import { decisionText } from '../../../../domain/gates/identity-proof.ts';
import { decisionId } from '../../../../workflows/contract/ids.ts';
import { decideGate } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { testSigner } from '../../../support/signing.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
import { SAM } from '../../../support/upgrade.ts';
import { campaignOf, member, ringOf, withCampaign } from './support.ts';

let server: DevServer;
let env: TestWorkflowEnvironment;
beforeAll(async () => {
  server = await startDevServer({ settings: ['limit.historyCount.suggestContinueAsNew=60'] });
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
});
afterAll(async () => {
  await env.teardown();
  await server.stop();
});

test('a signed vote for the plan before does not use up the vote for the new one', async () => {
  const signer = testSigner();
  const { readApprover } = createApproverActivities({
    people: { whyNotMember: async () => undefined },
    publicKeys: () => signer.publicKeys,
  });
  const campaign = campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b', 'c'])], {
    approvals: { ...campaignOf([]).approvals, users: [SAM.id, 'U0RIN'], quorum: 2 },
  });
  await withCampaign(
    env,
    campaign,
    [member('a'), member('b'), member('c')],
    async (played) => {
      const { fleet, handle } = played;
      const vote = async (gateId: string, revision: number): Promise<DecisionReply> => {
        const { workflowId, runId, firstRunId: run = runId } = await played.status();
        const input = { gateId, decisionId: decisionId(gateId, SAM.id, 'approve', revision), choice: 'approve', actor: SAM, run };
        const proof = await signer.prove(decisionText(workflowId, input));
        return await handle.executeUpdate(decideGate, { args: [{ ...input, proof }] });
      };
      await played.gate('dev');
      await played.decide('dev');
      await played.decide('dev', 'approve', { actor: { kind: 'slack', id: 'U0RIN' } });
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      const [first] = (await played.gate('prod')).gates;
      const recorded = { accepted: true, message: 'Recorded: Approve, 1 of 2 approvals.' };
      expect(await vote(first?.id ?? '', first?.revision ?? 0)).toEqual(recorded);
      fleet.campaign = {
        ...campaign,
        rings: [ringOf('dev', ['a']), ringOf('prod', ['b', 'c'], { parallel: { kind: 'count', value: 1 } })],
      };
      const { gates } = await played.until(({ gates: [gate] }) => gate?.id === first?.id && gate?.planHash !== first?.planHash);
      expect(gates[0]?.progress).toBe('0 of 2 approvals');
      expect(await vote(first?.id ?? '', gates[0]?.revision ?? 0)).toEqual(recorded);
    },
    {
      // Other messages of the test have no proof.
      change: (all) => ({
        readApprover: async (asked) => await (asked.claim.proof === undefined ? all : { readApprover }).readApprover(asked),
      }),
    },
  );
});
