/** Three hundred runs that come to the same gate within a minute: one message, one press, three hundred votes. */
import { expect, test } from 'vitest';
import { createApproverActivities } from '../../../activities/run/people/approvers.ts';
import { bundleApproved } from '../../../client/calls/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { testSigner } from '../../support/signing.ts';
import { startTemporal } from '../../support/temporal.ts';
import { SAM } from '../../support/upgrade.ts';
import { approversOf, withRealRuns } from '../../workflows/run/campaign/real-runs.ts';

const RUNS = 300;

test('F32: 300 gates are one message; each run has its own vote, and none is refused because Slack is asked too often', async () => {
  const signer = testSigner();
  let reads = 0;
  const { readApprover } = createApproverActivities({
    publicKeys: () => signer.publicKeys,
    groups: {
      // Slack answers some twenty such calls a minute.
      members: async () => {
        reads += 1;
        if (reads > 20) throw new Error('ratelimited');
        return [SAM.id];
      },
    },
    people: { whyNotMember: async () => undefined },
  });
  const env = await startTemporal();
  try {
    await withRealRuns(
      env,
      {
        count: RUNS,
        looksMs: 30_000,
        settings: { prove: signer.prove, withinMs: 30_000 },
        policy: { approvals: approversOf({ users: [], groups: ['S0PLATFORM'] }) },
        change: (fakes) => ({ readApprover: (asked) => (asked.as === 'requester' ? fakes.readApprover(asked) : readApprover(asked)) }),
      },
      async ({ campaigns, clusters, offered, said, run }) => {
        const [bundle] = await offered(([first]) => first?.members.length === RUNS);
        const outcome = await campaigns.approveBundle({ campaign: bundle?.campaign ?? '', bundle: bundle?.id ?? '', actor: SAM });
        // A machine that has a lot to do answers some of them late: those are kept, and not counted. None is refused, lost or dropped.
        expect(outcome.results).toHaveLength(RUNS);
        expect(outcome.results.filter(({ result: { kind } }) => !['voted', 'voted-before', 'kept'].includes(kind))).toEqual([]);
        expect(bundleApproved(outcome)).toMatch(/^Your approval of Step pre-checks is recorded for \d+ of 300 clusters\./);
        for (const cluster of clusters) expect(await run(cluster).handle.result()).toMatchObject({ outcome: 'completed' });
        await eventually('its message is closed', () => said().some(({ closed }) => closed === true), 120_000);
      },
    );
  } finally {
    await env.teardown();
  }
}, 2_700_000);
