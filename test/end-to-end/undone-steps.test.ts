/** Single steps of the last run are taken back, each by a plan of its own: what the cluster is like, what the thread says, what is recorded. */
import { expect, test } from 'vitest';
import type { World } from '../../rehearsal/world/world.ts';
import { describeWithHelm } from '../support/tools.ts';
import { type Rehearsed, rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;

test(
  'stopped before the control plane: Karpenter and add-ons go back to what they were, the CRDs stay',
  async () => {
    const run = await rehearsed({ scenario: 'undone-halfway' });
    expect([run.ok, run.why]).toEqual([true, '']);
    const { world, report, thread } = run;
    expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(report.steps.map(({ id }) => id)).toEqual(['add-ons-back@1.31', 'validation@1.31']);
    expect(world.eks.addOns.find(({ name }) => name === 'coredns')?.version).toBe('v1.11.3-eksbuild.1');
    const delivered = world.store.list('ocirepositories').map(({ metadata, spec }) => `${metadata.name} ${JSON.stringify(spec)}`);
    expect(delivered.find((chart) => chart.startsWith('karpenter '))).toContain('1.1.10');
    const definitions = world.store.list('helmreleases').find(({ metadata }) => metadata.name === 'karpenter-crd');
    expect(JSON.stringify(definitions?.spec)).not.toContain('1.1.10');
    const controller = world.store.list('deployments').find(({ metadata }) => metadata.name === 'karpenter');
    expect(JSON.stringify(controller?.spec)).toContain(':1.1.10');
    const said = thread.join('\n');
    expect(said).toContain('Take Karpenter of undone-halfway back to 1.1.10?');
    expect(said).toContain('Change Karpenter from');
    expect(said).toContain('Take 1 add-on of undone-halfway back?');
    expect(run.budgets.after).toEqual(run.budgets.before);
    expect(world.eks.updates.filter(({ resource }) => resource.kind === 'cluster')).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'after an upgrade that came to its end: kube-proxy and the nodes go back, CoreDNS stays and is named',
  async () => {
    const run = await rehearsed({ scenario: 'undone-add-ons' });
    expect([run.ok, run.why]).toEqual([true, '']);
    const versions = Object.fromEntries(run.world.eks.addOns.map(({ name, version }) => [name, version]));
    expect(versions).toMatchObject({ 'kube-proxy': 'v1.31.3-eksbuild.2', coredns: 'v1.11.4-eksbuild.2' });
    expect(run.world.eks.cluster.version).toBe('1.32');
    expect(run.world.eks.nodeGroups.map(({ version }) => version)).toEqual(['1.31']);
    expect(run.report.steps.map(({ id }) => id)).toEqual(['node-groups@1.32', 'validation@1.32']);
    expect(run.thread.join('\n')).toContain('EKS does not offer coredns v1.11.3-eksbuild.1 for 1.32.');
  },
  LIMIT_MS,
);

// --- The worker is killed at every change that an undo makes.

/** Kills fall between a change and its answer: a second change would be the worker's that came after. */
async function undoneUnderKills(scenario: string, kills: string[]): Promise<Rehearsed> {
  // Slow enough for a worker to be back before the deadlines of the world's gates.
  const run = await rehearsed({ scenario, kills, speed: 200 });
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.report.killed.map(({ process, at }) => `${process}@${at}`)).toEqual(kills);
  const tokens = run.report.mutations.flatMap(({ accepted, token }) => (accepted && token !== undefined ? [token] : []));
  expect(new Set(tokens).size).toBe(tokens.length);
  return run;
}

/** Of the cluster, in their order. */
const changes = ({ report }: Rehearsed): string[] =>
  report.mutations
    .filter(({ api, accepted }) => accepted && api !== 'slack')
    .map(({ operation, resource }) => `${operation} ${resource.replace(/^[a-z]+\//, '')}`);

test(
  'killed at every change of two undos, by Flux and by EKS: each is made once, the freeze is lifted',
  async () => {
    const run = await undoneUnderKills('undone-halfway', [
      'worker@back:freeze-drift',
      'worker@back:karpenter-controller',
      'worker@back:karpenter-controller',
      'worker@back:karpenter-drift',
      'worker@add-ons-back',
    ]);
    expect(changes(run).slice(-5)).toEqual([
      'patch nodepools default',
      'patch ocirepositories flux-system/karpenter',
      'patch helmreleases flux-system/karpenter',
      'patch nodepools default',
      'UpdateAddon coredns',
    ]);
    expect(changes(run)).toHaveLength(11);
    expect(run.budgets.after).toEqual(run.budgets.before);
    expect(run.world.eks.addOns.find(({ name }) => name === 'coredns')?.version).toBe('v1.11.3-eksbuild.1');
    const controller = run.world.store.list('deployments').find(({ metadata }) => metadata.name === 'karpenter');
    expect(JSON.stringify(controller?.spec)).toContain(':1.1.10');
  },
  LIMIT_MS,
);

test(
  'killed as kube-proxy and as the nodes go back: EKS is asked once for each',
  async () => {
    const run = await undoneUnderKills('undone-add-ons', ['worker@add-ons-back', 'worker@back:node-groups']);
    expect(changes(run)).toEqual([
      'UpdateAddon coredns',
      'UpdateClusterVersion cluster',
      'UpdateNodegroupVersion default',
      'UpdateAddon kube-proxy',
      'UpdateAddon kube-proxy',
      'UpdateNodegroupVersion default',
    ]);
    expect(run.world.eks.nodeGroups.map(({ version }) => version)).toEqual(['1.31']);
  },
  LIMIT_MS,
);

/** Labels of namespaces, webhooks with what they call, and istiods: what a way back has to bring back. */
function meshOf({ store }: World): string[] {
  const labels = store.list('namespaces').map(({ metadata }) => `${metadata.name} ${JSON.stringify(metadata.labels)}`);
  const webhooks = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].flatMap((plural) =>
    store.list(plural).map((each) => `${each.metadata.name} ${JSON.stringify(each['webhooks'][0]?.clientConfig.service.name)}`),
  );
  const istiods = store
    .list('deployments')
    .filter(({ metadata }) => metadata.labels?.['app'] === 'istiod')
    .map(({ metadata, spec }) => `${metadata.name} ${spec.template.spec.containers[0].image}`);
  return [...labels, ...webhooks, ...istiods].toSorted();
}

describeWithHelm('undone-istio', () => {
  test(
    'Istio goes back to a revision that had been retired: labels, tag, validator and istiod as before the run',
    async () => {
      let before: string[] = [];
      const run = await rehearsed({ scenario: 'undone-istio', onBuilt: (world) => void (before = meshOf(world)) });
      expect([run.ok, run.why]).toEqual([true, '']);
      const { world, report, thread } = run;
      expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
      expect(report.steps.map(({ id }) => id)).toEqual(['istio@1.34', 'validation@1.34']);
      expect(before).toContain('shop {"kubernetes.io/metadata.name":"shop","istio-injection":"enabled"}');
      expect(meshOf(world)).toEqual(before);
      const proxies = world.store.list('pods').filter(({ metadata }) => ['docs', 'shop'].includes(metadata.namespace ?? ''));
      expect(new Set(proxies.map(({ metadata }) => metadata.annotations?.['istio.io/rev']))).toEqual(new Set(['1-28']));
      const said = thread.join('\n');
      expect(said).toContain('Take Istio of undone-istio back to 1-28?');
      expect(said).toContain('Helm installs 1-28 (1.28.3) again, with the chart version and values of its last release.');
      expect(said).toContain('Retire Istio revision 1-30?');
      expect(world.eks.updates.filter(({ resource }) => resource.kind === 'cluster')).toEqual([]);
    },
    LIMIT_MS,
  );
});
