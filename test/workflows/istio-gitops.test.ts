/** Revisions and node agents through Flux and Argo CD: who is asked, what is made, and what ends a step. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { BelayActivities } from '../../activities/contract.ts';
import type { DeliveredChart } from '../../domain/facts.ts';
import type { IstioCanary, NodeAgentChange } from '../../domain/plan/types.ts';
import { count, fakeActivities, withChange } from '../support/fake-activities.ts';
import { plan, step } from '../support/plan.ts';
import { startTemporal } from '../support/temporal.ts';
import { approveAll, type Decider, withUpgrade } from '../support/upgrade.ts';

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
