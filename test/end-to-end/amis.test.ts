/** Accidents with AMIs, played to the end a good operator would choose. */
import { expect, test } from 'vitest';
import { kubeletMinor } from '../../rehearsal/controllers/nodes.ts';
import { rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;

test(
  'alias-without-build: the worker dies as the node class is edited; it is edited once, the other by its owner, and nothing is left behind',
  async () => {
    const run = await rehearsed({ scenario: 'alias-without-build', speed: 300, kills: ['worker@karpenter-drift'] });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(run.report.killed.map(({ process, at }) => `${process}@${at}`)).toEqual(['worker@karpenter-drift']);
    const edits = run.report.mutations.filter(({ resource, accepted }) => resource.startsWith('ec2nodeclasses/') && accepted);
    // The edit, and the annotation that goes when all nodes are through. Argo CD's class is not Belay's to patch.
    expect(edits.map(({ resource }) => resource)).toEqual(['ec2nodeclasses/pinned', 'ec2nodeclasses/pinned']);
    expect(run.world.journal.events.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^argocd has EC2NodeClass fixed choose ami-/),
    );
    expect(new Set(run.world.store.list('nodes').map(kubeletMinor))).toEqual(new Set(['1.33']));
    expect(run.budgets.after).toEqual(run.budgets.before);
  },
  LIMIT_MS,
);

test(
  'seed-001: drift, AMIs by id and a NodePool that changes to Bottlerocket; the worker dies in the freeze',
  async () => {
    const run = await rehearsed({ scenario: 'seed-001', speed: 300, kills: ['worker@freeze-drift'] });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(run.report.killed).toHaveLength(1);
    const told = run.world.journal.events.map(({ text }) => text);
    expect(told).toContainEqual(expect.stringMatching(/of pool default: NodePoolDrifted$/));
    expect(told).toContainEqual(expect.stringMatching(/of pool promoted: AMIDrift$/));
    const images = run.world.store
      .list('nodes', { labels: { 'karpenter.sh/nodepool': 'default' } })
      .map((node) => node.status?.nodeInfo?.osImage);
    expect(new Set(images)).toEqual(new Set([expect.stringMatching(/^Bottlerocket/)]));
    expect(run.budgets.after).toEqual(run.budgets.before);
  },
  LIMIT_MS,
);

test(
  'al2-to-1.33: refused before anything is touched, with the way out',
  async () => {
    await expect(rehearsed({ scenario: 'al2-to-1.33' })).rejects.toThrow(
      /al2 cannot be upgraded to 1\.33 yet\. Nothing was started\.[^]*no-al2-from-1\.33[^]*EC2NodeClass default uses alias al2@latest, which does not exist for 1\.33/,
    );
  },
  LIMIT_MS,
);
