/** Equal gates of a ring's runs, approved with one press: real runs, whose own rules judge each vote. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Context } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import { UpgradesError } from '../../../../client/calls/contract.ts';
import { bundleApproved } from '../../../../client/calls/messages.ts';
import type { Actor } from '../../../../domain/gates/actor.ts';
import type { BundleOutcome } from '../../../../domain/run/campaign/bundle-outcome.ts';
import type { UpgradeReport } from '../../../../domain/run/record/status.ts';
import { eventually } from '../../../support/eventually.ts';
import { sleepBeating, untilCancelled } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { testSigner } from '../../../support/signing.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { ALEX, SAM } from '../../../support/upgrade.ts';
import { approversOf, withRealRuns } from './real-runs.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const RIN: Actor = { kind: 'slack', id: 'U0RIN', name: 'Rin' };
const EVE: Actor = { kind: 'slack', id: 'U0EVE', name: 'Eve' };

const kinds = ({ results }: BundleOutcome): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { result } of results) counts[result.kind] = (counts[result.kind] ?? 0) + 1;
  return counts;
};

describe('equal gates', () => {
  test('F32: thirty gates are one message; one press gives each run a vote of its own, and Slack is asked once who is in the group', async () => {
    const signer = testSigner();
    const read: string[] = [];
    const { readApprover } = createApproverActivities({
      publicKeys: () => signer.publicKeys,
      people: { whyNotMember: async (user) => void read.push(user) },
      groups: {
        members: async (group) => {
          read.push(group);
          return [SAM.id];
        },
      },
    });
    await withRealRuns(
      env,
      {
        count: 30,
        settings: { prove: signer.prove },
        policy: { approvals: approversOf({ users: [], groups: ['S0PLATFORM'] }) },
        // The runs' starts are not what is proved here.
        change: (fakes) => ({ readApprover: (asked) => (asked.as === 'requester' ? fakes.readApprover(asked) : readApprover(asked)) }),
      },
      async ({ campaigns, clusters, offered, said, run, handle }) => {
        const [bundle] = await offered(([first]) => first?.members.length === 30);
        const shown: number[] = [];
        read.length = 0;
        const press = () =>
          campaigns.approveBundle({
            campaign: bundle?.campaign ?? '',
            bundle: bundle?.id ?? '',
            actor: SAM,
            onProgress: (done) => shown.push(done),
          });
        const outcome = await press();
        expect(shown.length).toBeGreaterThanOrEqual(30);
        expect(read.toSorted()).toEqual(['S0PLATFORM', 'U0SAM']);
        expect(kinds(outcome)).not.toHaveProperty('refused');
        expect(kinds(outcome)).not.toHaveProperty('dropped');
        // A busy machine does not hear of all at once, and says so: who presses again votes for no run twice. Once nothing waits, there is no bundle.
        const isHeard = (of: BundleOutcome): boolean => !('unreached' in kinds(of)) && !('kept' in kinds(of));
        if (!isHeard(outcome))
          await eventually('all are recorded', () =>
            press().then(isHeard, (error: unknown) => error instanceof UpgradesError && error.code === 'refused'),
          );
        for (const cluster of clusters) {
          const { decisions } = (await run(cluster).handle.result()) as UpgradeReport;
          expect(decisions).toMatchObject([
            {
              kind: 'decided',
              decision: { choice: 'approve', actor: { id: 'U0SAM' }, bundle: bundle?.id },
              votes: [{ actor: { id: 'U0SAM' } }],
            },
          ]);
        }
        const ended = await eventually('the message is closed', () => said().find(({ closed }) => closed === true));
        expect(ended.clusterCount).toBeGreaterThan(1);
        const keys = new Set(said().map(({ gate, ring, attempt }) => `${ring}#${attempt} ${gate}`));
        expect([...keys]).toEqual(['all#1 before:pre-checks@1.32#1']);
        await handle.result();
      },
    );
  }, 540_000);

  test('F33: a run whose cluster gets into trouble while its bundle is open drops out by name; the rest goes', async () => {
    let red: string | undefined;
    const line = 'Deployment shop/cart has 1 of 3 replicas';
    const trouble = { stage: 'said', sinceMs: 0, seenMs: 0, line } as const;
    await withRealRuns(
      env,
      {
        count: 4,
        steps: plan(['control-plane', 'node-groups'], (each) =>
          each.phase === 'control-plane' ? step('control-plane', { gate: undefined }) : each,
        ),
        policy: { watch: true },
        change: () => ({
          watchCluster: async ({ state }) => {
            const { workflowId } = Context.current().info.workflowExecution ?? { workflowId: '' };
            while (red === undefined) await sleepBeating(50);
            if (state !== undefined || !workflowId.endsWith(red)) return await untilCancelled();
            return { state: { known: { cart: trouble }, unseen: [] }, news: { fresh: [line], solved: [], unseen: [] } };
          },
        }),
      },
      async ({ campaigns, clusters, offered, said, run }) => {
        const [bundle] = await offered(([first]) => first?.members.length === 4);
        const [sick, ...well] = clusters;
        red = sick?.name;
        await run(sick).until((status) => status.trouble !== undefined);
        const edited = await eventually('the message names it', () => said().find(({ dropped }) => dropped.length > 0));
        expect(edited).toMatchObject({ clusterCount: 3, dropped: [`${sick?.name} dropped out: the cluster has a problem: ${line}`] });
        // Somebody has the message from before on the screen.
        const outcome = await campaigns.approveBundle({ campaign: bundle?.campaign ?? '', bundle: bundle?.id ?? '', actor: SAM });
        expect(bundleApproved(outcome)).toBe(
          `Your approval of Step node-groups is recorded for 3 of 4 clusters.\n1 dropped out: ${sick?.name} (the cluster has a problem: ${line}).`,
        );
        for (const cluster of well) expect(await run(cluster).handle.result()).toMatchObject({ outcome: 'completed' });
        expect((await run(sick).status()).gates).toMatchObject([{ id: 'before:node-groups@1.32#1' }]);
        expect((await run(sick).status()).gates[0]?.voted).toBeUndefined();
      },
    );
  }, 360_000);

  test('two of two: a second approver may press the same message; the first one pressing again votes once', async () => {
    await withRealRuns(
      env,
      { count: 3, policy: { approvals: approversOf({ quorum: 2 }) } },
      async ({ campaigns, clusters, offered, run }) => {
        const [bundle] = await offered(([first]) => first?.members.length === 3);
        const press = (actor: Actor): Promise<BundleOutcome> =>
          campaigns.approveBundle({ campaign: bundle?.campaign ?? '', bundle: bundle?.id ?? '', actor });
        const first = await press(SAM);
        expect(bundleApproved(first)).toBe(
          'Your approval of Step pre-checks is recorded for 3 of 3 clusters.\nEach gate needs: approvers 2.',
        );
        expect(kinds(await press(SAM))).toEqual({ 'voted-before': 3 });
        expect((await run(clusters[0]).status()).gates[0]?.progress).toBe('1 of 2 approvals');
        expect(kinds(await press(RIN))).toEqual({ voted: 3 });
        for (const cluster of clusters) expect(await run(cluster).handle.result()).toMatchObject({ outcome: 'completed' });
      },
    );
  }, 360_000);

  test('attacks: a made-up bundle, the requester, a stranger, a run of another ring, and a list from before a retry approve nothing', async () => {
    const { readApprover } = createApproverActivities({ people: { whyNotMember: async () => undefined } });
    await withRealRuns(
      env,
      {
        count: 4,
        // Rights as in production; what proves the sender is tried elsewhere.
        change: (fakes) => ({
          readApprover: (asked) => (asked.as === 'requester' ? fakes.readApprover(asked) : readApprover({ ...asked, as: 'voter' })),
        }),
        input: (index) => (index === 3 ? { campaign: { name: 'to-other', ring: 'all' } } : {}),
      },
      async ({ campaigns, clusters, offered, run, said }) => {
        const [bundle] = await offered(([first]) => first?.members.length === 3);
        const { campaign = '', id = '' } = bundle ?? {};
        expect(bundle?.members.map(({ cluster }) => cluster.name)).not.toContain(clusters[3]?.name);
        await expect(campaigns.approveBundle({ campaign, bundle: id.replace(/.{4}$/, 'beef'), actor: SAM })).rejects.toThrow(
          'This list has changed since it was shown, so nothing was sent.',
        );
        await expect(campaigns.approveBundle({ campaign: 'to-other', bundle: id, actor: SAM })).rejects.toMatchObject({
          code: 'not-running',
        });

        const own = await campaigns.approveBundle({ campaign, bundle: id, actor: ALEX });
        expect(bundleApproved(own)).toBe(
          `Your approval of Step pre-checks is recorded for 0 of 3 clusters.\n3 refused: ${clusters
            .slice(0, 3)
            .map(({ name }) => name)
            .join(', ')} (You asked for this upgrade, so somebody else has to decide (approvals.allowRequester is off)).`,
        );
        const stranger = await campaigns.approveBundle({ campaign, bundle: id, actor: EVE });
        expect(kinds(stranger)).toEqual({ refused: 3 });
        for (const cluster of clusters) expect((await run(cluster).status()).gates).toHaveLength(1);

        // One run is started anew: what was shown of it is over.
        const [again, ...others] = clusters.slice(0, 3);
        await run(again).handle.terminate('somebody did');
        const outcome = await campaigns.approveBundle({ campaign, bundle: id, actor: SAM }).catch(async (cause: unknown) => {
          throw new Error(JSON.stringify({ id, now: await campaigns.bundles(campaign), said: said() }), { cause });
        });
        expect(outcome.results[0]).toMatchObject({ cluster: again?.name, result: { kind: 'dropped' } });
        expect(kinds(outcome)).toEqual({ dropped: 1, voted: 2 });
        for (const cluster of others) expect(await run(cluster).handle.result()).toMatchObject({ outcome: 'completed' });
      },
    );
  }, 360_000);
});
