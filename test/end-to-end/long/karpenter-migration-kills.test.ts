/** The ways of a migration that other plays do not go: nodes by cascade and by hand, charts by helm and through Flux, the worker killed at one write after the other. */
import { expect, test } from 'vitest';
import type { World } from '../../../rehearsal/world/world.ts';
import { describeWithHelm } from '../../support/tools.ts';
import { type Rehearsed, rehearsed, tally } from '../support/rehearsal.ts';

const LIMIT_MS = 1_800_000;
const kills = (count: number): string[] => Array.from({ length: count }, () => 'worker@karpenter-migration');

function expectMigrated(run: Rehearsed, killed: number): void {
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.report.killed).toHaveLength(killed);
}

/** Accepted writes of this kind by Belay and its helm. */
const writes = (run: Rehearsed, pattern: RegExp): string[] => tally(run.report, 'kubernetes').filter((line) => pattern.test(line));
const saying = ({ thread }: Rehearsed, text: string): string[] => thread.filter((line) => line.startsWith('ℹ') && line.includes(text));
const told = (world: World): string[] => world.journal.events.map(({ text }) => text);

/** Helm's releases by status: none is left pending, none has failed. */
function releases({ store }: World): Record<string, string[]> {
  const secrets = store.list('secrets', { namespace: 'kube-system', labels: { owner: 'helm' } });
  return Object.fromEntries(
    Object.entries(Object.groupBy(secrets, ({ metadata }) => metadata.labels?.['status'] ?? '')).map(([status, found = []]) => [
      status,
      found.map(({ metadata }) => metadata.labels?.['name'] ?? '').toSorted(),
    ]),
  );
}
const OLD_OBJECTS =
  /^(?:create|delete|patch) (?:nodepools|ec2nodeclasses|provisioners|awsnodetemplates|nodes|machines) (?!nodepools\/default$)/;

describeWithHelm('helm', () => {
  const deciding = (way: string) => (gate: string) => (gate.includes('/nodes#') ? way : undefined);

  test(
    'v1alpha5 by cascade: each object made once and deleted once, the nodes go with their Provisioner, CRDs of nobody are adopted',
    async () => {
      const run = await rehearsed({ scenario: 'karpenter-alpha-helm', kills: kills(4), decide: deciding('cascade') });
      expectMigrated(run, 4);
      expect(writes(run, OLD_OBJECTS)).toEqual([
        'create ec2nodeclasses ec2nodeclasses/default',
        'delete awsnodetemplates awsnodetemplates/default',
        'delete provisioners provisioners/default',
      ]);
      expect(writes(run, /^create nodepools/)).toHaveLength(1);
      expect(releases(run.world)).toMatchObject({ deployed: ['karpenter', 'karpenter-crd'] });
      expect(Object.keys(releases(run.world)).toSorted()).toEqual(['deployed', 'superseded']);
      expect(saying(run, 'belonged to no Helm release, so Belay marked').length).toBeLessThanOrEqual(1);
    },
    LIMIT_MS,
  );

  test(
    'v1alpha5 by hand: tainted once, people are asked once, and Belay deletes no node',
    async () => {
      const run = await rehearsed({ scenario: 'karpenter-alpha-helm', kills: kills(4), decide: deciding('by-hand') });
      expectMigrated(run, 4);
      expect(writes(run, OLD_OBJECTS)).toEqual([
        'create ec2nodeclasses ec2nodeclasses/default',
        'delete awsnodetemplates awsnodetemplates/default',
        'delete provisioners provisioners/default',
        'patch provisioners provisioners/default',
      ]);
      expect(saying(run, 'Please delete the nodes of the Machines one by one')).toHaveLength(1);
      expect(told(run.world).filter((line) => line.startsWith('somebody deletes the nodes of Machines'))).toHaveLength(1);
    },
    LIMIT_MS,
  );

  test(
    'v1beta1: the role is judged, people attach the policy of 1.0 and look again; four releases, kubelet settings moved, no node before its time',
    async () => {
      const looks: string[] = [];
      const run = await rehearsed({
        scenario: 'karpenter-beta-helm',
        kills: kills(4),
        decide: (gate) => {
          if (!/karpenter-migration@1\.31\/v1#/.test(gate)) return undefined;
          looks.push(gate);
          return gate.endsWith('#1') ? 'look-again' : 'approve';
        },
      });
      expectMigrated(run, 4);
      const asked = run.thread.filter((line) => line.includes('Install Karpenter 1.0.14?'));
      expect(asked.find((line) => line.includes('FAILED role karpenter-karpenter-beta-helm lacks ec2:'))).toBeDefined();
      expect(asked.find((line) => line.includes('role karpenter-karpenter-beta-helm allows what the API v1 does'))).toBeDefined();
      expect(new Set(looks)).toEqual(new Set([1, 2].map((round) => `change:karpenter-migration@1.31/v1#${round}`)));
      expect(releases(run.world)).toMatchObject({ deployed: ['karpenter', 'karpenter-crd'] });
      expectNothingEarly(run);
    },
    LIMIT_MS,
  );
});

test(
  'v1beta1 through Flux that nobody keeps: each HelmRelease changed twice, controller before CRDs at the patch and after them at 1.0',
  async () => {
    const run = await rehearsed({ scenario: 'karpenter-beta-flux', kills: kills(4) });
    expectMigrated(run, 4);
    const changed = run.report.mutations.flatMap(({ operation, resource, accepted }) =>
      operation === 'patch helmreleases' && accepted ? [resource.replace('helmreleases/flux-system/', '')] : [],
    );
    expect(changed).toEqual(['karpenter', 'karpenter-crd', 'karpenter-crd', 'karpenter']);
    expectNothingEarly(run);
  },
  LIMIT_MS,
);

/** Replacements wait for the control plane, and the budgets are as they were. */
function expectNothingEarly(run: Rehearsed): void {
  const moved = run.report.mutations.find(({ operation }) => operation === 'UpdateClusterVersion')?.at ?? '';
  expect(run.world.journal.events.filter(({ at, text }) => text.startsWith('Karpenter replaces ') && at < moved)).toEqual([]);
  expect(run.budgets.after['default']).toMatchObject({ budgets: [{ nodes: '1' }] });
}
