/** A campaign outlives the history of one run: what is under way then goes on in the next. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { createOpenCampaigns } from '../../../../client/campaigns/open-campaigns.ts';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';
import type { DecisionReply } from '../../../../domain/gates/gate.ts';
import { controlText, decisionText } from '../../../../domain/gates/identity-proof.ts';
import { campaignCommand, type CampaignVerb, sayingOf } from '../../../../workflows/contract/campaign.ts';
import { decisionId } from '../../../../workflows/contract/ids.ts';
import { decideGate, extendGate } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { testSigner } from '../../../support/signing.ts';
import { type DevServer, startDevServer } from '../../../support/temporal-server.ts';
import { SAM } from '../../../support/upgrade.ts';
import { campaignOf, member, type PlayedCampaign, ringOf, withCampaign } from './support.ts';

let server: DevServer;
let env: TestWorkflowEnvironment;
beforeAll(async () => {
  // Temporal suggests another run after four thousand events.
  server = await startDevServer({ settings: ['limit.historyCount.suggestContinueAsNew=60'] });
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: server.address });
});
afterAll(async () => {
  await env.teardown();
  await server.stop();
});

const RIN: Actor = { kind: 'slack', id: 'U0RIN' };
const KEY = (name: string): string => `111122223333/eu-central-1/${name}`;
const TWO = { ...campaignOf([]).approvals, users: [SAM.id, RIN.id], quorum: 2 };
/** How long a run of a campaign waits for its audit record before another one goes on from it. */
const AUDIT_WAIT_S = 30;

/** Once another run than now has begun. */
async function nextRun({ handle }: PlayedCampaign): Promise<void> {
  const runNow = async (): Promise<string> => (await env.client.workflow.getHandle(handle.workflowId).describe()).runId;
  const before = await runNow();
  await eventually('another run', async () => (await runNow()) !== before);
}

/** Once the run waits for its audit record before it hands on: nothing of its own happens then. */
async function handingOn({ handle }: PlayedCampaign): Promise<void> {
  await eventually('it waits for its audit record', async () => {
    const { events = [] } = await env.client.workflow.getHandle(handle.workflowId).fetchHistory();
    return events?.some(({ timerStartedEventAttributes: timer }) => Number(timer?.startToFireTimeout?.seconds ?? 0) === AUDIT_WAIT_S);
  });
}

/** An activity that does not end while it is shut. */
class Door {
  #mayGo: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;
  waitingCount = 0;

  shut(): void {
    ({ promise: this.#mayGo, resolve: this.#open } = Promise.withResolvers<void>());
  }

  open(): void {
    this.#open();
  }

  before<I, O>(activity: (input: I) => Promise<O>): (input: I) => Promise<O> {
    return async (input) => {
      this.waitingCount += 1;
      await this.#mayGo;
      this.waitingCount -= 1;
      return await activity(input);
    };
  }
}

const notes = ({ world }: PlayedCampaign): string[] =>
  world.published.flatMap(({ notification }) => (notification.kind === 'note' ? [notification.text] : []));

test('F31 F44: votes and reminders that have come before count once in the next run, clusters that run are followed there, and finishBy is said once', async () => {
  const campaign = campaignOf([ringOf('dev', ['a', 'b'], { parallel: { kind: 'count', value: 1 } })], {
    approvals: TWO,
    finishBy: '2026-01-31',
  });
  const play = async (played: PlayedCampaign): Promise<void> => {
    const { fleet, world } = played;
    const gate = (await played.gate('dev')).gates[0];
    expect(await played.decide('dev')).toMatchObject({ message: 'Recorded: Approve, 1 of 2 approvals.' });
    const reminders = (): number =>
      world.published.filter(({ notification }) => notification.kind === 'gate' && notification.reminder).length;
    await eventually('a reminder', () => reminders() > 0);
    const remindedCount = reminders();
    await nextRun(played);
    const carried = (await played.gate('dev')).gates[0];
    expect(carried).toMatchObject({ openedAt: gate?.openedAt, expiresAt: gate?.expiresAt, progress: '1 of 2 approvals' });
    // An overview has it once, as the run that is open now says it.
    const [open, ...others] = await createOpenCampaigns(env.client)([campaign.name]);
    expect(others).toEqual([]);
    expect(open).toMatchObject({ name: campaign.name, status: { plan: { campaign: campaign.name }, gates: [{ id: gate?.id }] } });
    // The same press, delivered once more, is no second vote.
    expect(await played.decide('dev')).toMatchObject({ accepted: true });
    expect(fleet.started).toEqual([]);
    expect(await played.decide('dev', 'approve', { actor: RIN })).toMatchObject({
      message: 'Recorded: Approve.',
    });
    expect(reminders()).toBe(remindedCount);
    await eventually('one starts', () => fleet.open.length === 1);
    await nextRun(played);
    fleet.end('a');
    await eventually('the other starts', () => fleet.started.length === 2);
    await nextRun(played);
    fleet.end('b');
    expect((await played.handle.result()).state).toMatchObject({ phase: 'complete', rings: [{ state: 'complete' }] });
    expect(fleet.startedNames).toEqual(['a', 'b']);
    expect(notes(played).filter((text) => text.includes('was due to finish by'))).toEqual([
      `Campaign ${campaign.name} was due to finish by 2026-01-31, and has not. It continues as planned: Belay skips no gate to catch up.`,
    ]);
  };
  // At 0.3 s.
  await withCampaign(env, campaign, [member('a'), member('b')], play, { timing: { gateReminders: [0.01] } });
});

test('RS1: signed votes, more time and commands count once over all runs of a campaign: sent again in the next run, they change nothing', async () => {
  const signer = testSigner();
  const { readApprover } = createApproverActivities({
    people: { whyNotMember: async () => undefined },
    publicKeys: () => signer.publicKeys,
  });
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a'])], { approvals: TWO }),
    [member('a')],
    async (played) => {
      const { handle } = played;
      const { workflowId, runId, firstRunId: run = runId, gates } = await played.gate('dev');
      const gateId = gates[0]?.id ?? '';
      const by = { actor: SAM, run, reason: 'tested' };
      const vote = async (choice: string, revision: number): Promise<() => Promise<DecisionReply>> => {
        const input = { gateId, decisionId: decisionId(gateId, SAM.id, choice, revision), choice, ...by };
        const proof = await signer.prove(decisionText(workflowId, input));
        return () => handle.executeUpdate(decideGate, { args: [{ ...input, proof }] });
      };
      const moreTime = async (id: string): Promise<() => Promise<DecisionReply>> => {
        const input = { gateId, byMs: 60_000, id, ...by };
        const proof = await signer.prove(controlText('extend', workflowId, input, { gate: gateId, what: { byMs: input.byMs } }));
        return () => handle.executeUpdate(extendGate, { args: [{ ...input, proof }] });
      };
      const command = async (verb: CampaignVerb, id: string): Promise<() => Promise<DecisionReply>> => {
        const input = { verb, id, ...by };
        const proof = await signer.prove(controlText('campaign', workflowId, input, { what: sayingOf(input) }));
        return () => handle.executeUpdate(campaignCommand, { args: [{ ...input, proof }] });
      };
      const inNextRun = async (send: () => Promise<DecisionReply>): Promise<DecisionReply> => {
        await nextRun(played);
        await played.gate('dev');
        return await send();
      };
      const recorded = [await vote('approve', 1), await moreTime('e-1'), await command('pause', 'p-1')];
      for (const send of [...recorded, await vote('withdraw-vote', 2), await command('resume', 'r-1')])
        expect(await inNextRun(send)).toMatchObject({ accepted: true });
      const before = (await played.gate('dev')).gates[0];
      for (const send of recorded)
        expect(await inNextRun(send)).toEqual({
          accepted: false,
          message: 'This message was received before, so nothing was changed.',
        });
      const { state, gates: now } = await played.gate('dev');
      expect(now[0]).toMatchObject({ progress: '0 of 2 approvals', expiresAt: before?.expiresAt });
      expect(state.pauses).toEqual([]);
    },
    {
      // Other messages of the test have no proof.
      change: (all) => ({
        readApprover: async (asked) => await (asked.claim.proof === undefined ? all : { readApprover }).readApprover(asked),
      }),
    },
  );
});

test('RS1: the recorded start of a later run, sent again once the campaign has ended, carries no vote and names nobody as proved', async () => {
  await withCampaign(env, campaignOf([ringOf('dev', ['a'])], { approvals: TWO }), [member('a')], async (played) => {
    const { workflowId } = played.handle;
    await played.gate('dev');
    await played.decide('dev');
    await nextRun(played);
    expect((await played.gate('dev')).gates[0]).toMatchObject({ progress: '1 of 2 approvals' });
    const { events } = await env.client.workflow.getHandle(workflowId).fetchHistory();
    const { workflowType, taskQueue, input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    await played.handle.terminate('ended');
    const { runId } = await env.client.workflowService.startWorkflowExecution({
      namespace: 'default',
      workflowId,
      workflowType,
      taskQueue,
      input,
      requestId: randomUUID(),
    });
    const again = await played.gate('dev');
    expect(again.runId).toBe(runId);
    expect(again.gates[0]).toMatchObject({ progress: '0 of 2 approvals' });
    await env.client.workflow.getHandle(workflowId).terminate('end of test');
  });
});

test('belay.yaml cannot be read when the next run begins: the campaign goes on with its gate, its votes and the settings it had, and says so once', async () => {
  const campaign = campaignOf([ringOf('dev', ['a'])], { approvals: TWO });
  let isBroken = false;
  const change = ({ loadCampaign }: BelayActivities): Partial<BelayActivities> => ({
    loadCampaign: async (input) => {
      if (isBroken) throw ApplicationFailure.nonRetryable('belay.yaml, line 7: unexpected end', 'Configuration');
      return await loadCampaign(input);
    },
  });
  await withCampaign(
    env,
    campaign,
    [member('a')],
    async (played) => {
      await played.gate('dev');
      await played.decide('dev');
      isBroken = true;
      await nextRun(played);
      expect((await played.gate('dev')).gates[0]).toMatchObject({ progress: '1 of 2 approvals' });
      await nextRun(played);
      await played.gate('dev');
      expect(await played.decide('dev', 'approve', { actor: RIN })).toMatchObject({ message: 'Recorded: Approve.' });
      await eventually('it starts', () => played.fleet.open.length === 1);
      played.fleet.end('a');
      expect((await played.handle.result()).state.phase).toBe('complete');
      expect(notes(played).filter((text) => text.includes('belay.yaml'))).toEqual([
        `Could not read the settings of campaign ${campaign.name} from belay.yaml: belay.yaml, line 7: unexpected end. It continues with the settings it had. Fix belay.yaml; clusters that cannot start meanwhile say why.`,
      ]);
    },
    { change },
  );
});

test('a vote that arrives while the run hands on is answered, counts in the next run, and is in the audit record', async () => {
  const [record, people] = [new Door(), new Door()];
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a'])], { approvals: TWO }),
    [member('a')],
    async (played) => {
      const { world } = played;
      await played.gate('dev');
      record.shut();
      await played.decide('dev');
      await handingOn(played);
      people.shut();
      const late = played.decide('dev', 'reject', { actor: RIN, reason: 'not this week' });
      await eventually('who votes is looked up', () => people.waitingCount > 0);
      record.open();
      await eventually('the first vote is written down', () => world.audit.some(({ actor }) => actor?.id === SAM.id));
      people.open();
      expect(await late).toMatchObject({ accepted: true });
      const ended = await played.handle.result();
      expect(ended.state.rings[0]).toMatchObject({ state: 'stopped', why: 'ring dev was rejected by U0RIN' });
      expect(world.audit.filter(({ kind }) => kind === 'vote').map(({ actor, choice }) => [actor?.id, choice])).toEqual([
        [SAM.id, 'approve'],
        [RIN.id, 'reject'],
      ]);
      expect(notes(played)).toContain('Campaign ' + ended.plan.campaign + ' is stopped.');
    },
    {
      change: ({ appendAudit, readApprover }) => ({ appendAudit: record.before(appendAudit), readApprover: people.before(readApprover) }),
    },
  );
});

test('what the audit record could not take before the run handed on is written by the next run', async () => {
  let isFull = false;
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a'])], { approvals: TWO }),
    [member('a')],
    async (played) => {
      const { world } = played;
      await played.gate('dev');
      isFull = true;
      await played.decide('dev');
      await nextRun(played);
      expect(world.audit.filter(({ kind }) => kind === 'vote')).toEqual([]);
      isFull = false;
      await eventually('the vote is written down', () => world.audit.some(({ kind }) => kind === 'vote'));
      expect(world.audit.filter(({ kind }) => kind === 'vote').map(({ actor, choice }) => [actor?.id, choice])).toEqual([
        [SAM.id, 'approve'],
      ]);
    },
    {
      // Nothing else happens to the gate, which would have the run wait once more.
      timing: { gateDeadlineMs: 600_000 },
      change: ({ appendAudit }) => ({
        appendAudit: async (input) => {
          if (isFull) throw ApplicationFailure.nonRetryable('no space left on device', 'Unavailable');
          return await appendAudit(input);
        },
      }),
    },
  );
}, 180_000);

test('resumed while the run hands on: the next run looks first whether what had arrived is still there', async () => {
  const record = new Door();
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'])]),
    [member('a'), member('b')],
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await played.decide('dev');
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      await played.gate('prod');
      record.shut();
      await played.command({ verb: 'pause', reason: 'ring dev goes back' });
      await handingOn(played);
      fleet.end('a', 'rolled-back', 'Back at 1.31');
      await played.command({ verb: 'resume' });
      record.open();
      const { state } = await played.until(({ state: { members } }) => members[KEY('a')]?.kind === 'rolled-back');
      expect(state.members[KEY('a')]).toMatchObject({ why: 'Back at 1.31' });
    },
    { change: ({ appendAudit }) => ({ appendAudit: record.before(appendAudit) }) },
  );
});

test('while the next run still reads the fleet, its open gate is shown, and takes votes', async () => {
  const fleetRead = new Door();
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'])], { approvals: TWO }),
    [member('a'), member('b')],
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await played.decide('dev');
      await played.decide('dev', 'approve', { actor: RIN });
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      await played.gate('prod');
      await played.decide('prod');
      fleetRead.shut();
      await eventually('the next run reads the fleet', () => fleetRead.waitingCount > 0);
      expect((await played.status()).gates).toMatchObject([{ id: 'ring:prod@1.32#1', progress: '1 of 2 approvals' }]);
      expect(await played.decide('prod', 'approve', { actor: RIN })).toMatchObject({ message: 'Recorded: Approve.' });
      expect(fleet.startedNames).toEqual(['a']);
      fleetRead.open();
      await eventually('the next ring starts', () => fleet.open.length === 1);
      fleet.end('b');
      expect((await played.handle.result()).state.phase).toBe('complete');
    },
    { change: ({ readFleet }) => ({ readFleet: fleetRead.before(readFleet) }) },
  );
});

test('a vote that arrives while the next run still reads belay.yaml waits for it, and counts', async () => {
  const settingsRead = new Door();
  await withCampaign(
    env,
    campaignOf([ringOf('dev', ['a']), ringOf('prod', ['b'])], { approvals: TWO }),
    [member('a'), member('b')],
    async (played) => {
      const { fleet } = played;
      await played.gate('dev');
      await played.decide('dev');
      await played.decide('dev', 'approve', { actor: RIN });
      await eventually('it starts', () => fleet.open.length === 1);
      fleet.end('a');
      await played.gate('prod');
      await played.decide('prod');
      settingsRead.shut();
      await eventually('the next run reads belay.yaml', () => settingsRead.waitingCount > 0);
      const vote = played.decide('prod', 'approve', { actor: RIN });
      // Long enough for the update to be there; what is refused is refused at once.
      await Promise.race([vote, new Promise((done) => setTimeout(done, 500))]);
      settingsRead.open();
      expect(await vote).toMatchObject({ message: 'Recorded: Approve.' });
      await eventually('the next ring starts', () => fleet.open.length === 1);
      fleet.end('b');
      expect((await played.handle.result()).state.phase).toBe('complete');
    },
    { change: ({ loadCampaign }) => ({ loadCampaign: settingsRead.before(loadCampaign) }) },
  );
});
