/** Karpenter changed by Belay itself, or by those who keep it as in Git: whole upgrades, the worker killed in the middle of the change. */
import { expect, test } from 'vitest';
import type { World } from '../../../rehearsal/world/world.ts';
import { describeWithHelm } from '../../support/tools.ts';
import { type Rehearsed, rehearsed, tally } from '../support/rehearsal.ts';

const LIMIT_MS = 900_000;

function expectCompleted(run: Rehearsed): void {
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.budgets.after).toEqual(run.budgets.before);
}

const controllerImage = (world: World): string =>
  world.store.get('deployments', 'karpenter', 'kube-system')?.spec.template.spec.containers[0].image;

/** Lines of the thread that say this. */
const saying = ({ thread }: Rehearsed, text: string): string[] => thread.filter((line) => line.includes(text));

const isReplacement = ({ text }: { text: string }): boolean => text.startsWith('Karpenter replaces ');

describeWithHelm('helm', () => {
  test(
    'CRDs that are nobody’s are adopted, and helm is taken up after the worker was killed: each release once, no node replaced before its time',
    async () => {
      const run = await rehearsed({ scenario: 'karpenter-helm', kills: ['worker@karpenter-controller'] });
      expectCompleted(run);
      expect(run.report.killed).toMatchObject([{ process: 'worker', at: 'karpenter-controller' }]);
      expect(controllerImage(run.world)).toBe('public.ecr.aws/karpenter/controller:1.9.3');
      const releases = run.world.store.list('secrets', { namespace: 'kube-system', labels: { owner: 'helm', status: 'deployed' } });
      expect(releases.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        'sh.helm.release.v1.karpenter-crd.v1',
        'sh.helm.release.v1.karpenter.v2',
      ]);
      const definitions = run.world.store.list('customresourcedefinitions');
      expect(definitions.map(({ metadata }) => metadata.annotations?.['meta.helm.sh/release-name'])).toEqual(
        definitions.map(() => 'karpenter-crd'),
      );
      expect(tally(run.report, 'kubernetes').filter((line) => /^(?:delete|create) customresourcedefinitions/.test(line))).toEqual([]);
      expect(run.report.steps.map(({ id }) => id).slice(0, 3)).toEqual([
        'pre-checks@1.35',
        'freeze-drift@1.35',
        'karpenter-controller@1.35',
      ]);
      expect(saying(run, 'belonged to no Helm release, which would have stopped karpenter-crd')).toHaveLength(1);
      expect(saying(run, 'Karpenter: 1.9.3 runs; 0 NodeClaims drifted before, and no more now')).toHaveLength(1);
      const moved = run.report.mutations.find(({ operation }) => operation === 'UpdateClusterVersion')?.at ?? '';
      expect(run.world.journal.events.filter((event) => isReplacement(event) && event.at < moved)).toEqual([]);
    },
    LIMIT_MS,
  );
});

test(
  'Flux, kept as in Git: both merges are asked for, and Belay changes none of its objects',
  async () => {
    const run = await rehearsed({ scenario: 'karpenter-flux-git' });
    expectCompleted(run);
    expect(controllerImage(run.world)).toBe('public.ecr.aws/karpenter/controller:1.2.8');
    for (const chart of ['karpenter-crd', 'karpenter']) {
      expect(
        saying(
          run,
          `Please merge ${chart} 1.1.10 → 1.2.8. HelmRelease flux-system/${chart} is managed from Git by Kustomization flux-system/platform`,
        ),
      ).toHaveLength(1);
    }
    expect(tally(run.report, 'kubernetes').filter((line) => /helmreleases|ocirepositories/.test(line))).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'Argo CD with self-heal: the Applications are changed, once each, though the worker is killed at the first change',
  async () => {
    const run = await rehearsed({ scenario: 'karpenter-argo', kills: ['worker@karpenter-controller'] });
    expectCompleted(run);
    expect(run.report.killed).toHaveLength(1);
    expect(controllerImage(run.world)).toBe('public.ecr.aws/karpenter/controller:1.2.8');
    const patches = tally(run.report, 'kubernetes').filter((line) => line.startsWith('patch applications'));
    // The version, and the sync.
    expect(patches).toEqual(
      ['karpenter', 'karpenter', 'karpenter-crd', 'karpenter-crd'].map((name) => `patch applications applications/argocd/${name}`),
    );
    const syncs = run.world.journal.events.filter(({ text }) => text.startsWith('Argo CD syncs'));
    expect(syncs.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['Argo CD syncs argocd/karpenter-crd to 1.2.8', 'Argo CD syncs argocd/karpenter to 1.2.8']),
    );
    expect(tally(run.report, 'kubernetes').filter((line) => line.includes('deployments'))).toEqual([]);
  },
  LIMIT_MS,
);
