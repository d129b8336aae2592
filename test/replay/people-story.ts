/** A run that people steer by command line: known by AWS, more time, handed over, paused while they decide, passed despite the rules. For the recording. */
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { DecideGateInput } from '../../domain/gates/gate.ts';
import { gateOwner } from '../../workflows/contract/ids.ts';
import { decideGate, extendGate, handOverUpgrade, pauseUpgrade, resumeUpgrade } from '../../workflows/contract/messages.ts';
import { fakeActivities, quickPolicy, withChange } from '../support/fake-activities.ts';
import { plan } from '../support/plan.ts';
import { ALEX, approveAll, SAM, withUpgrade } from '../support/upgrade.ts';
import type { Story } from './story.ts';
import type { Actor } from '../../domain/gates/actor.ts';

const FIRST = 'before:pre-checks@1.32#1';
const WAVE = 'wave:';
const SHELL: Actor = { kind: 'cli', id: 'root@runner', name: 'root' };
const RIN: Actor = { kind: 'slack', id: 'U0RIN', name: 'Rin' };

/** What is signed is not looked at here: the proof names the person. */
const readApprover: BelayActivities['readApprover'] = async ({ actor, claim: { proof } }) => ({
  allowed: proof !== 'U0EVE',
  why: 'by the story',
  person: proof === undefined ? actor : { kind: 'slack', id: proof, aws: `arn:aws:iam::111122223333:user/${proof}` },
});

export const steeredByPeople: Story = (env) => {
  const policy = quickPolicy();
  const breakGlass = { users: ['U0SAM', 'U0RIN'], groups: [], delayMs: 100, enabled: true };
  const fake = fakeActivities({
    policy: { ...policy, approvals: { ...policy.approvals, breakGlass } },
    plan: plan(['pre-checks', 'istio', 'validation']),
  });
  return withUpgrade(
    env,
    withChange(fake, { readApprover }),
    async (run) => {
      const { runId } = await run.status();
      let sent = 0;
      const signedBy = (proof: string) => ({ actor: SHELL, proof, run: runId, at: new Date().toISOString(), id: `command-${(sent += 1)}` });
      const glass = async (gateId: string, person: string): Promise<unknown> => {
        const { planHash } = await run.status();
        const decisionId = `${gateId}:root@runner+${person}:approve:1`;
        const input: DecideGateInput = {
          gateId,
          decisionId,
          ...signedBy(person),
          choice: 'approve',
          reason: 'outage',
          planHash,
          breakGlass: true,
        };
        return env.client.workflow.getHandle(gateOwner(run.workflowId, gateId)).executeUpdate(decideGate, { args: [input] });
      };
      await run.until(({ gates }) => gates.length > 0);
      await run.handle.executeUpdate(extendGate, {
        args: [{ gateId: FIRST, byMs: 60_000, ...signedBy('U0SAM'), reason: 'later' }],
      });
      await run.handle.executeUpdate(pauseUpgrade, { args: [signedBy('U0EVE')] });
      await run.handle.executeUpdate(pauseUpgrade, { args: [signedBy('U0SAM')] });
      await glass(FIRST, 'U0SAM');
      await glass(FIRST, 'U0RIN');
      await run.until((s) => s.state === 'paused');
      await run.handle.executeUpdate(resumeUpgrade, { args: [{ actor: SAM }] });
      const seen = await run.until(
        ({ gates }) => gates.some(({ id }) => id.startsWith(WAVE)),
        (gate) => (gate.id.startsWith(WAVE) ? undefined : approveAll(gate, 0)),
      );
      const wave = seen.gates.find(({ id }) => id.startsWith(WAVE))?.id ?? WAVE;
      await run.handle.executeUpdate(handOverUpgrade, { args: [{ actor: ALEX, to: RIN }] });
      await env.client.workflow
        .getHandle(gateOwner(run.workflowId, wave))
        .executeUpdate(extendGate, { args: [{ gateId: wave, byMs: 60_000, actor: SAM }] });
      await run.finish();
      return run.workflowId;
    },
    { requestedBy: SHELL, proof: 'U0ALEX', at: new Date().toISOString(), id: 'start-1' },
  );
};
