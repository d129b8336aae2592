/** Revisions and node agents through Flux and Argo CD: who is asked, what is made, and what ends a step. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../../../activities/contract/belay-activities.ts';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import type { IstioCanary, NodeAgentChange } from '../../../../domain/plan/model/changes.ts';
import { count, fakeActivities, inputs, withChange } from '../../../support/fake-activities.ts';
import { plan, step } from '../../../support/plan.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../../../support/upgrade.ts';

let env: TestWorkflowEnvironment;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());

const OWNER = 'Kustomization flux-system/platform';
const ABORT: Decider = (open) => (open.id.startsWith('failed:') ? 'abort' : approveAll(open, 0));
const chart = (name: string, of: string, owner?: string): DeliveredChart => ({
  kind: 'HelmRelease',
  namespace: 'flux-system',
  name,
  chart: of,
  version: '1.27.3',
  ...(owner === undefined ? {} : { owner }),
});

/** One canary by Flux; `agentsAfter` follow it. */
function given(change: Partial<BelayActivities>, agentsAfter?: NodeAgentChange[]) {
  const base = plan(['istio']);
  const steps = base.steps.map((each) => {
    if (each.params.phase !== 'istio') return each;
    const canaries = each.params.canaries.map(
      (canary): IstioCanary => ({ ...canary, ...(agentsAfter === undefined ? {} : { agentsAfter }) }),
    );
    const delivery = { kind: 'HelmRelease' as const, charts: [chart('istiod-1-26', 'istiod', OWNER)] };
    return step('istio', { params: { ...each.params, canaries, managedBy: 'flux', delivery } });
  });
  const fake = fakeActivities({ plan: { ...base, steps } });
  const said = (): string => JSON.stringify(fake.world.published);
  const asks = () =>
    fake.world.published.flatMap(({ notification }) =>
      notification.kind === 'note' && notification.ask !== undefined ? [`${notification.ask.component} ${notification.ask.name}`] : [],
    );
  return { fake, activities: withChange(fake, change), said, asks };
}

describe('a new revision that Git keeps', () => {
  const fresh = {
    chart: chart('istiod-1-28', 'istiod'),
    changes: ['revision: 1-26 → 1-28'],
    manifest: 'kind: HelmRelease\n',
    withheld: false,
  };
  const examineIstioDelivery = async () => ({ old: chart('istiod-1-26', 'istiod', OWNER), fresh: { ...fresh, owner: OWNER } });

  test('an image that its values hold back ends the step with what to take out, and no namespace moves', async () => {
    const { fake, activities, said } = given({
      examineIstioDelivery,
      awaitIstioRevision: async ({ delivered }) => ({
        version: '1.26.2',
        timedOut: false,
        lack: 'istiod-1-28 runs 1.26.2, 1.28 is wanted',
        pinned: delivered === true,
      }),
    });
    expect((await withUpgrade(env, activities, (run) => run.finish(ABORT))).outcome).toBe('aborted');
    expect(said()).toContain(
      'Installing Istio revision 1-28: its chart is there, and istiod-1-28 runs 1.26.2, 1.28 is wanted: a value of it pins the image (pilot.tag',
    );
    expect(count(fake.world, 'moveNamespaces')).toBe(0);
  });
});

describe('node agents', () => {
  const AGENTS: NodeAgentChange[] = [
    { kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.27.3', toMinor: '1.28' },
    { kind: 'ztunnel', namespace: 'istio-system', daemonSet: 'ztunnel', from: '1.27.3', toMinor: '1.28' },
  ];
  const findDeliveredAgent: BelayActivities['findDeliveredAgent'] = async ({ agent }) => ({
    chart: chart(agent.kind, agent.kind === 'ztunnel' ? 'ztunnel' : 'cni'),
    values: [{ path: ['tag'] }],
  });

  test('each in the object that delivers it, one after the other, behind one gate; a range is pinned to what came', async () => {
    const { fake, activities, asks, said } = given(
      { findDeliveredAgent, awaitDelivered: async () => ({ kind: 'converged', version: '1.28.3' }) },
      AGENTS,
    );
    expect((await withUpgrade(env, activities, (run) => run.finish())).outcome).toBe('completed');
    expect(inputs(fake.world, 'setDeliveredVersion')).toMatchObject([
      { chart: { name: 'istio-cni' }, to: '1.28' },
      { chart: { name: 'istio-cni' }, to: '1.28.3' },
      { chart: { name: 'ztunnel' }, to: '1.28' },
      { chart: { name: 'ztunnel' }, to: '1.28.3' },
    ]);
    const order = fake.world.calls.map(({ name }) => name).filter((name) => /^(findDeliveredAgent|awaitNodeAgent)$/.test(name));
    expect(order).toEqual(['findDeliveredAgent', 'awaitNodeAgent', 'findDeliveredAgent', 'awaitNodeAgent']);
    expect(asks().filter((each) => each.startsWith('istio-agent'))).toEqual([]);
    expect(said()).toContain('can be deployed again (its version in the HelmRelease that delivers it), with the same restarts');
  });

  test('kept as in Git: the merge is asked for with the chart and its object, and watched', async () => {
    const { fake, activities, asks, said } = given(
      { findDeliveredAgent, setDeliveredVersion: async () => ({ kind: 'owned', owner: OWNER }) },
      AGENTS.slice(1),
    );
    expect((await withUpgrade(env, activities, (run) => run.finish())).outcome).toBe('completed');
    expect(asks()).toContain('istio-agent ztunnel');
    expect(said()).toContain(
      `Please merge ztunnel (chart ztunnel) 1.27.3 → the newest 1.28 in HelmRelease flux-system/ztunnel, without image tags in its values: ${OWNER} manages it from Git.`,
    );
    expect(inputs(fake.world, 'awaitDelivered').at(-1)).not.toHaveProperty('token');
    expect(inputs(fake.world, 'awaitNodeAgent')).toMatchObject([{ delivered: true, askedOthers: true }]);
  });

  test('the registry that its values need is named in the merge that is asked for', async () => {
    const values = [{ path: ['tag'] }, { path: ['hub'], value: 'docker.io/istio' }];
    const { activities, said } = given(
      {
        findDeliveredAgent: async ({ agent }) => ({ chart: chart(agent.kind, 'ztunnel'), values }),
        setDeliveredVersion: async () => ({ kind: 'owned', owner: OWNER }),
      },
      AGENTS.slice(1),
    );
    expect((await withUpgrade(env, activities, (run) => run.finish())).outcome).toBe('completed');
    expect(said()).toContain('without image tags in its values and with `hub: docker.io/istio`, because the registry');
  });

  test('delivered by nothing of Flux, its upgrade is asked for as a whole', async () => {
    const { fake, activities, said } = given({ findDeliveredAgent: async () => ({}) }, AGENTS.slice(0, 1));
    expect((await withUpgrade(env, activities, (run) => run.finish())).outcome).toBe('completed');
    expect(said()).toContain('Please upgrade istio-cni (DaemonSet istio-system/istio-cni-node) to 1.28.');
    expect(inputs(fake.world, 'awaitNodeAgent')).toMatchObject([{ delivered: false }]);
  });

  test.each<[string, Partial<BelayActivities>, string]>([
    [
      'what Flux takes back',
      { awaitDelivered: async () => ({ kind: 'failed', why: 'HelmRelease flux-system/istio-cni: Flux has taken 1.28 back' }) },
      'Delivering cni 1.28: HelmRelease flux-system/istio-cni: Flux has taken 1.28 back',
    ],
    [
      'an image that values hold back',
      { awaitNodeAgent: async () => ({ done: false, pinned: true, lack: 'istio-cni-node is at 1.27.3, 1.28 is wanted' }) },
      'Upgrading istio-cni: its chart is at 1.28, and istio-cni-node is at 1.27.3, 1.28 is wanted: a value pins the image (tag or global.tag',
    ],
  ])('%s stops before the next agent', async (_title, change, why) => {
    const { fake, activities, said } = given({ findDeliveredAgent, ...change }, AGENTS);
    expect((await withUpgrade(env, activities, (run) => run.finish(ABORT))).outcome).toBe('aborted');
    expect(said()).toContain(why);
    expect(count(fake.world, 'findDeliveredAgent')).toBe(1);
  });
});
