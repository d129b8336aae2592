/** Campaigns that Belay proposes, week by week: once each, and never anything that starts by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import { controlText } from '../../../../domain/gates/identity-proof.ts';
import type { PublishInput } from '../../../../domain/run/notifications.ts';
import { PROPOSALS_WORKFLOW, proposalCommand, type ProposalCommand, sayingOfProposal } from '../../../../workflows/contract/proposals.ts';
import { WORKFLOWS } from '../../../../workflows/contract/messages.ts';
import { eventually } from '../../../support/eventually.ts';
import { testSigner } from '../../../support/signing.ts';
import { sharedWorker } from '../../../support/shared-worker.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { ALEX, SAM } from '../../../support/upgrade.ts';
import { campaignOf, ringOf } from '../campaign/support.ts';
import { FAR, offers, withProposals } from './support.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

describe('F36: EKS offers a new version', () => {
  test('it is proposed once, however many weeks pass; the next version is proposed again', async () => {
    await withProposals(env, { weeks: 3 }, async (played) => {
      const { world, told } = played;
      await played.until('three weeks have passed', ({ nextAt }) => nextAt === FAR);
      expect(world.weeks).toBe(0);
      await played.look();
      expect(told('1.35')).toHaveLength(1);
      expect(told('1.35')[0]).toMatchObject({
        channel: 'C0PLATFORM',
        key: 'board',
        notification: { kind: 'proposal', known: { proposal: { target: '1.35', from: '1.34', clusterCount: 2 }, now: 'due' } },
      });
      world.clusters = [{ name: 'a', version: '1.35' }];
      world.offered = offers('1.34', '1.35', '1.36');
      await played.look();
      expect(told('1.36')).toHaveLength(1);
      expect(told('1.35')).toHaveLength(1);
      expect((await played.status()).state.known).toMatchObject({ '1.35': { now: 'not-due' }, '1.36': { now: 'due' } });
    });
  });

  test('dismissed by an approver it stays dismissed for that version; the message and the record say by whom', async () => {
    await withProposals(env, {}, async (played) => {
      await played.look();
      expect(await played.command({ verb: 'dismiss', target: '1.35', reason: 'after Christmas' })).toEqual({
        accepted: true,
        message: 'Dismissed: Belay proposes no campaign to 1.35 again.',
      });
      await eventually('the message is edited', () => played.told('1.35').length === 2);
      await played.look();
      await played.look();
      expect(played.told('1.35').map(({ notification }) => notification)).toEqual([
        expect.objectContaining({ kind: 'proposal' }),
        expect.objectContaining({
          known: expect.objectContaining({
            dismissed: expect.objectContaining({ by: expect.objectContaining({ id: SAM.id }), reason: 'after Christmas' }),
          }),
        }),
      ]);
      expect(played.fake.audit).toContainEqual(
        expect.objectContaining({
          kind: 'command',
          what: expect.stringMatching(/dismissed the campaign to 1\.35$/),
          reason: 'after Christmas',
        }),
      );
      expect(await played.command({ verb: 'dismiss', target: '1.35' })).toMatchObject({
        accepted: false,
        message: expect.stringContaining('was dismissed by'),
      });
    });
  });

  test('a campaign of belay.yaml to that version is what the proposal is about, with the hash of its plan; nothing is started', async () => {
    const campaign = campaignOf([ringOf('all', ['a', 'b'])], { name: 'to-1-35', target: '1.35' });
    await withProposals(env, { campaigns: [campaign] }, async (played) => {
      await played.look();
      const { known } = (await played.status()).state;
      expect(known['1.35']?.proposal.campaigns).toEqual([
        { name: 'to-1-35', plan: { hash: expect.stringMatching(/^[0-9a-f]{12}$/), ringCount: 1, clusterCount: 2, problems: [] } },
      ]);
      expect(known['1.35']?.proposal.snippet).toBeUndefined();
      const started = env.client.workflow.list({ query: `WorkflowType = '${WORKFLOWS.campaign}' AND WorkflowId = 'eks-campaign/to-1-35'` });
      for await (const { workflowId } of started) throw new Error(`${workflowId} was started`);
    });
  });

  test('without one it shows what could be written', async () => {
    await withProposals(env, {}, async (played) => {
      await played.look();
      expect((await played.status()).state.known['1.35']?.proposal).toMatchObject({
        campaigns: [],
        snippet: expect.stringContaining('target: "1.35"'),
      });
    });
  });
});

describe('F36: what cannot be read', () => {
  test('is said in the proposal', async () => {
    const clusters = [
      { name: 'a', version: '1.34' },
      { name: 'b', why: 'AWS refuses the role' },
    ];
    await withProposals(env, { clusters }, async (played) => {
      await played.look();
      expect(played.told('1.35')[0]?.notification).toMatchObject({
        known: { proposal: { clusterCount: 1, unread: { count: 1, why: ['AWS refuses the role'] } } },
      });
    });
  });

  test('where that is everything, nothing is proposed and it is said once', async () => {
    await withProposals(env, { clusters: [{ name: 'a', why: 'AWS refuses the role' }] }, async (played) => {
      const today = (): string => new Date().toISOString().slice(0, 10);
      const before = today();
      await played.look();
      await played.look();
      const said = played.fake.published.filter(({ upgrade }) => upgrade.workflowId.startsWith(PROPOSALS_WORKFLOW));
      expect(said.map(({ notification }) => notification)).toEqual([
        expect.objectContaining({
          kind: 'note',
          level: 'warning',
          text: expect.stringContaining('to know whether a campaign is due: AWS refuses the role.'),
        }),
      ]);
      expect([before, today()].map((day) => `${PROPOSALS_WORKFLOW}/unread/${day}`)).toContain(said[0]?.upgrade.workflowId);
      expect((await played.status()).state).toMatchObject({ known: {}, last: { kind: 'unread', why: ['AWS refuses the role'] } });
    });
  });

  test('a belay.yaml that is broken ends nothing: it says so, refuses commands, and goes on once it is mended', async () => {
    await withProposals(env, { broken: 'belay.yaml:3: proposals.at: "now" is not valid' }, async (played) => {
      await played.until('it says why', ({ trouble }) => trouble === 'belay.yaml:3: proposals.at: "now" is not valid');
      expect(await played.command({ verb: 'look' })).toEqual({
        accepted: false,
        message: 'Could not read belay.yaml, so nothing was changed: belay.yaml:3: proposals.at: "now" is not valid',
      });
      delete played.world.broken;
      await played.configure();
      await played.until('it is read', ({ trouble, nextAt }) => trouble === undefined && nextAt !== undefined);
      await played.look();
      expect(played.told('1.35')).toHaveLength(1);
    });
  });

  test.each([
    ['due', 1],
    ['asked for', 0],
  ])('a look that is %s while belay.yaml is broken is made up for', async (_, weeks) => {
    await withProposals(env, { weeks, breaks: 'belay.yaml is gone' }, async (played) => {
      const before = await played.runId();
      if (weeks === 0) await played.command({ verb: 'look' });
      await played.until('it says why', ({ trouble }) => trouble === 'belay.yaml is gone');
      expect(played.told('1.35')).toEqual([]);
      delete played.world.broken;
      await played.configure();
      await eventually('it looks', async () => (await played.runId()) !== before);
      expect(played.told('1.35')).toHaveLength(1);
    });
  });
});

test('Slack is away at a look: what is proposed is delivered later, and nothing that was proposed or dismissed is forgotten', async () => {
  const clusters = [
    { name: 'a', version: '1.34' },
    { name: 'b', version: '1.33' },
  ];
  let isAway = true;
  const posted: PublishInput[] = [];
  const publish: BelayActivities['publish'] = async ({ upgrade, channel, messages }) => {
    if (isAway) throw new Error('Slack does not answer');
    posted.push(...messages.map((message) => ({ upgrade, channel, ...message })));
    return messages.map(({ key }) => ({ key }));
  };
  await withProposals(
    env,
    { clusters, offered: offers('1.33', '1.34', '1.35') },
    async (played) => {
      await played.look();
      expect(Object.keys((await played.status()).state.known)).toEqual(['1.34', '1.35']);
      expect(posted).toEqual([]);
      isAway = false;
      await eventually('both are told', () => posted.length === 2);
      expect(posted.map(({ upgrade }) => upgrade.workflowId).toSorted()).toEqual(['eks-proposals/1.34', 'eks-proposals/1.35']);
      await played.look();
      expect(posted).toHaveLength(2);
    },
    { activities: { publish } },
  );
});

test('off, it looks at nothing and keeps what it knows; on again, what was proposed is not proposed once more', async () => {
  await withProposals(env, {}, async (played) => {
    await played.look();
    played.world.isOn = false;
    await played.configure();
    await played.until('it is off', ({ nextAt }) => nextAt === undefined);
    expect(await played.command({ verb: 'look' })).toMatchObject({
      accepted: false,
      message: 'Proposals are off: write proposals in belay.yaml, then restart the worker.',
    });
    played.world.isOn = true;
    await played.configure();
    await played.until('it is on', ({ nextAt }) => nextAt !== undefined);
    await played.look();
    expect(played.told('1.35')).toHaveLength(1);
  });
});

describe('F36: who may', () => {
  test('whoever is no approver dismisses nothing, and stands in the record', async () => {
    await withProposals(env, {}, async (played) => {
      await played.look();
      const eve = { kind: 'slack' as const, id: 'U0EVE' };
      expect(await played.command({ verb: 'dismiss', target: '1.35', actor: eve })).toEqual({
        accepted: false,
        message: 'Eve is not an approver.',
      });
      expect((await played.status()).state.known['1.35']?.dismissed).toBeUndefined();
      await eventually('it is on the record', () =>
        played.fake.audit.some(({ kind, actor }) => kind === 'refused' && actor?.id === 'U0EVE'),
      );
    });
  });

  test('without a proof, or with one of another version, nobody does anything; a requester may have it look, and not dismiss', async () => {
    const signer = testSigner();
    const people = { whyNotMember: async () => undefined };
    const { readApprover } = createApproverActivities({ publicKeys: () => signer.publicKeys, people });
    await withProposals(
      env,
      {},
      async (played) => {
        const said = async (command: Omit<ProposalCommand, 'at' | 'id' | 'run'>, sent: Partial<ProposalCommand> = {}): Promise<unknown> => {
          const input = { ...command, run: await played.runId(), at: new Date().toISOString(), id: `${Math.random()}` };
          const proof = await signer.prove(controlText('campaign', PROPOSALS_WORKFLOW, input, { what: sayingOfProposal(command) }));
          return await played.handle.executeUpdate(proposalCommand, { args: [{ ...input, proof, ...sent }] });
        };
        expect(await played.command({ verb: 'look' })).toMatchObject({
          accepted: false,
          message: expect.stringContaining('Nothing proves who sent this'),
        });
        const before = await played.runId();
        expect(await said({ verb: 'look', actor: ALEX })).toMatchObject({ accepted: true });
        await eventually('it has looked', async () => (await played.runId()) !== before);
        expect(await said({ verb: 'dismiss', target: '1.35', actor: ALEX })).toMatchObject({ accepted: false });
        expect(await said({ verb: 'dismiss', target: '1.36', actor: SAM }, { target: '1.35' })).toMatchObject({ accepted: false });
        expect(await said({ verb: 'look', actor: SAM }, { verb: 'dismiss', target: '1.35' })).toMatchObject({ accepted: false });
        expect((await played.status()).state.known['1.35']?.dismissed).toBeUndefined();
        expect(await said({ verb: 'dismiss', target: '1.35', actor: SAM })).toMatchObject({ accepted: true });
        await eventually('the message says so', () => played.told('1.35').length === 2);
      },
      { activities: { readApprover } },
    );
  });

  test('whoever starts the workflow dismisses nothing with what it is started with', async () => {
    const dismissed = { by: SAM, at: '2026-11-28T07:00:00.000Z' };
    const known = { '1.35': { proposal: {} as never, proposedAt: '2026-11-28T07:00:00.000Z', now: 'due' as const, dismissed } };
    await withProposals(
      env,
      {},
      async (played) => {
        expect((await played.status()).state).toEqual({ known: {} });
        await played.look();
        expect(played.told('1.35')).toHaveLength(1);
      },
      { input: { carried: { state: { known } } } },
    );
  });

  test('under another id it ends at once', async () => {
    const { taskQueue } = await sharedWorker(env);
    const started = env.client.workflow.execute(WORKFLOWS.proposals, { workflowId: 'eks-proposals/mine', taskQueue, args: [{}] });
    await expect(started).resolves.toBeUndefined();
  });
});
