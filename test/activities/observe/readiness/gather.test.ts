/** What is read before EKS has described the cluster, and what is not. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import type { KubernetesPort } from '../../../../activities/contract/ports.ts';
import { type Gathering, startGathering } from '../../../../activities/observe/readiness/gather.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { CATALOGUE } from '../../../../domain/readiness/catalogue.ts';
import type { SourceId } from '../../../../domain/readiness/model/sources.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { type FakeEks, startFakeEks } from '../../support/fake-eks.ts';
import { QUICK } from '../../support/timing.ts';

const INSIGHTS = `POST /clusters/${CLUSTER.name}/insights-refresh`;
const PROFILES = `GET /clusters/${CLUSTER.name}/fargate-profiles`;

let eks: FakeEks;
/** Of EKS and of the API server. */
let asked: string[];
beforeEach(async () => {
  eks = await startFakeEks();
  asked = [];
  eks.extra = (method, path) => {
    asked.push(`${method} ${path}`);
    if (path.endsWith('/insights-refresh')) return { status: 'COMPLETED' };
    if (path.endsWith('/insights')) return { insights: [] };
    return path.endsWith('/fargate-profiles') ? { fargateProfileNames: [] } : undefined;
  };
});
afterEach(() => eks.close());

function start(reads: readonly SourceId[], onTransient: Gathering['onTransient'] = 'unknown'): ReturnType<typeof startGathering> {
  const list: KubernetesPort['list'] = async ({ plural }) => {
    asked.push(plural);
    return [];
  };
  return startGathering({
    aws: eks.aws,
    account: {} as AccountClients,
    kubernetes: Object.assign(new FakeKubernetes(), { list }),
    ref: CLUSTER,
    timing: QUICK,
    target: parseKubernetesVersion('1.34'),
    checks: CATALOGUE.slice(0, 1).map((check) => ({ ...check, reads })),
    onTransient,
  });
}

const aMoment = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 200));

test('what needs no description does not wait for it, neither in the cluster nor in EKS', async () => {
  const gather = start(['budgets', 'fargateProfiles']);
  await expect.poll(() => asked).toEqual(expect.arrayContaining([PROFILES, 'poddisruptionbudgets']));
  expect(await gather({})).toMatchObject({ budgets: { ok: true, value: [] }, fargateProfiles: { ok: true, value: [] } });
});

test('insights, which EKS gathers anew, wait until it is known that there is something to check', async () => {
  const gather = start(['insights', 'budgets']);
  await expect.poll(() => asked).toEqual(['poddisruptionbudgets']);
  await aMoment();
  expect(asked).toEqual(['poddisruptionbudgets']);
  await gather({});
  expect(asked).toContain(INSIGHTS);
});

test('what is tried again as a whole asks for nothing while the cluster cannot be described', async () => {
  const gather = start(['budgets', 'fargateProfiles'], 'throw');
  await aMoment();
  expect(asked).toEqual([]);
  await gather({});
  expect(asked).toEqual(expect.arrayContaining([PROFILES, 'poddisruptionbudgets']));
});
