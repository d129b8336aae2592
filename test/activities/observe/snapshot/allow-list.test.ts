/** What the allow-list leaves of a cluster is all that plans and checks read of it. */
import { afterEach, describe, expect, test } from 'vitest';
import { createClusterClients } from '../../../../activities/clients/clusters.ts';
import type { AwsClients } from '../../../../activities/clients/aws/clients.ts';
import type { KubeObject, KubernetesPort, ListQuery, ResourceRef } from '../../../../activities/contract/ports.ts';
import { inspectCluster } from '../../../../activities/observe/inspect/inspect-cluster.ts';
import { judgeCluster } from '../../../../activities/observe/readiness/judge-cluster.ts';
import { keptAnswer, keptObject, LISTS } from '../../../../domain/facts/snapshot/allowed/index.ts';
import type { MarksKept } from '../../../../domain/facts/snapshot/marks.ts';
import type { SnapshotService } from '../../../../domain/facts/snapshot/format.ts';
import type { ReadinessReport } from '../../../../domain/readiness/report.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import type { AccountClients } from '../../../../activities/clients/aws/account-clients.ts';
import { QUICK } from '../../support/timing.ts';
import { type CheckGround, openTwinGround } from '../../../support/check-ground.ts';

let ground: CheckGround | undefined;

afterEach(async () => {
  await ground?.close();
  ground = undefined;
});

/** Labels beside the well-known ones that the cluster's own selectors name: of these scenarios all that pods and nodes have. */
const MARKS: MarksKept = { labels: new Set(['team', 'owner', 'pool']), annotations: new Set(['team', 'owner']) };

/** Types that a snapshot has none of, such as ingresses, of which checks read who wrote them. */
const isListed = ({ apiVersion, plural }: { apiVersion: string; plural: string }): boolean =>
  LISTS.some((list) => list.apiVersion === apiVersion && list.plural === plural);

/** A port that shows what a snapshot would have of each object. */
const cutDown = (port: KubernetesPort): KubernetesPort => ({
  ...port,
  get: async <T extends KubeObject>(ref: ResourceRef) => {
    const object = await port.get<T>(ref);
    return object === undefined || !isListed(ref) ? object : (keptObject(object, ref, MARKS) as unknown as T);
  },
  list: async <T extends KubeObject>(query: ListQuery, keep: (object: T) => T | undefined = (object) => object) =>
    await port.list<T>(query, (object) => keep(isListed(query) ? (keptObject(object, query, MARKS) as unknown as T) : object)),
});

function cutDownAnswers(aws: AwsClients): AwsClients {
  aws.eks.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      const operation = String(context['commandName']).replace(/Command$/, '');
      return { ...answer, output: { ...keptAnswer('eks', operation, answer.output), $metadata: {} } as unknown as typeof answer.output };
    },
    { step: 'initialize' },
  );
  return aws;
}

const cutDownAccount = (clients: AccountClients): AccountClients => {
  const cut =
    <C extends object>(service: SnapshotService, open: () => Promise<C>) =>
    async (): Promise<C> =>
      new Proxy(await open(), {
        get: (client, name, self) => {
          const value: unknown = Reflect.get(client, name, self);
          if (typeof value !== 'function' || typeof name !== 'string') return value;
          const operation = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
          return async (...given: unknown[]) => keptAnswer(service, operation, await Reflect.apply(value, client, given));
        },
      });
  return {
    ...clients,
    autoScaling: cut('autoscaling', clients.autoScaling),
    ec2: cut('ec2', clients.ec2),
    iam: cut('iam', clients.iam),
    kms: cut('kms', clients.kms),
    quotas: cut('service-quotas', clients.quotas),
    ssm: cut('ssm', clients.ssm),
  };
};

const MANAGED = { controlPlane: 'manual', nodeGroups: 'eks', addOns: 'eks', karpenter: 'helm', istio: 'helm' } as const;

interface Sight {
  aws: AwsClients;
  account: AccountClients;
  kubernetes: KubernetesPort;
}

/** Notes on these end with what a controller wrote in words, or with how long ago something was. */
const WITH_FREE_TEXT = new Set(['APIService', 'Job']);

const withoutFreeText = (finding: ReadinessReport['findings'][number]): object => ({
  ...finding,
  resources: finding.resources.map(({ note, ...resource }) => (WITH_FREE_TEXT.has(resource.kind) ? resource : { ...resource, note })),
});

/** Facts of a plan, and the report of a check. */
async function seen({ aws, account, kubernetes }: Sight, ref: ClusterRef, target: string) {
  const facts = await inspectCluster({ aws, account, ports: { kubernetes }, ref, onTransient: 'unknown' });
  const policy = { cluster: ref, timing: QUICK, environment: 'test', managedBy: MANAGED };
  const report = await judgeCluster({ aws, account, kubernetes, policy, target, optional: false, waivers: [] });
  // Moments of reading, and the issuer of the cluster's tokens, which nobody needs of a snapshot.
  const { identity = '', ...controlPlane } = facts.controlPlane;
  return {
    facts: { ...facts, readAt: '', controlPlane, createdAt: identity.split(' ')[0] },
    report: { ...report, checkedAt: '', findings: report.findings.map(withoutFreeText) },
  };
}

describe.each(['readiness', 'karpenter-flux', 'istio-gateways', 'auto-mode', 'self-managed', 'fargate'])('%s', (scenario) => {
  test('facts and readiness are the same through the allow-list', async () => {
    ground = await openTwinGround(scenario);
    Object.assign(process.env, ground.env);
    const { cluster: ref } = ground.stage.built.scenario;
    const clients = createClusterClients({ settings: () => ({ ref }) });
    const cut = createClusterClients({ settings: () => ({ ref }) });
    try {
      const { kubernetes } = await clients.clusterPorts(ref);
      const live = { aws: clients.aws(ref), account: clients.account(ref), kubernetes };
      const through = { aws: cutDownAnswers(cut.aws(ref)), account: cutDownAccount(live.account), kubernetes: cutDown(kubernetes) };
      expect(await seen(through, ref, ground.target)).toEqual(await seen(live, ref, ground.target));
    } finally {
      await clients.close();
      await cut.close();
    }
  });
});
