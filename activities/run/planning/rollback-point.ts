/** Reads what a run would have to come back to, right before it changes anything, and writes it beside the records. */
import { oneLook } from '../../kubernetes/objects/shared-lists.ts';
import { parse } from 'yaml';
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import {
  type AddOnPoint,
  boundedPoint,
  isPoint,
  type NodeClassPoint,
  pointOf,
  type ReleasePoint,
  type RollbackPointRecord,
  withoutSecrets,
} from '../../../domain/facts/rollback-point.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { ClusterClients, ClusterDeps } from '../../clients/clusters.ts';
import type { RollbackPlanActivities } from '../../contract/belay-activities.ts';
import { describeAddon, describeAddonIdentities } from '../../clients/aws/eks-api.ts';
import { inspectCluster } from '../../observe/inspect/inspect-cluster.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { releaseNameOf, releaseNamespaceOf } from '../../kubernetes/helm/ownership.ts';
import { readRelease } from '../../kubernetes/helm/release.ts';
import { EC2_NODE_CLASSES } from '../../karpenter/objects/node-pools.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import type { RecordStore } from '../../contract/records.ts';
import { pointName } from '../records/records.ts';
import { redact, redactedJson } from '../../runtime/redact.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

type Deps = ClusterDeps & Pick<ClusterClients, 'account'> & { store: Pick<RecordStore, 'find' | 'write'> };

export function createRollbackPointActivities(deps: Deps): Pick<RollbackPlanActivities, 'captureRollbackPoint'> {
  return {
    captureRollbackPoint: ({ cluster, run, policy, again }) =>
      heartbeating(`capturing what ${cluster.name} would come back to`, async () => {
        const name = pointName(cluster, run);
        // The first one stays: by now the cluster may have moved, whoever has this done again. Only a run that has changed nothing yet asks for another.
        const before = await deps.store.find(name);
        if (again !== true && isPoint(before?.json)) return told(before.location, before.json);
        const point = await capture(deps, cluster, run.runId, policy);
        // Another worker may have written one meanwhile: the next attempt finds it.
        const { location } = await deps.store.write(
          name,
          redactedJson(point, 1),
          before === undefined ? 'absent' : { stamp: before.stamp },
        );
        return told(location, point);
      }),
  };
}

const told = (location: string, { leftOut }: RollbackPointRecord) => ({
  location,
  leftOut: leftOut.slice(0, 5).map((text) => text.slice(0, 200)),
  leftOutCount: leftOut.length,
});

async function capture(deps: Deps, cluster: ClusterRef, runId: string, policy: UpgradePolicy): Promise<RollbackPointRecord> {
  const [aws, ports] = [deps.aws(cluster), oneLook(await deps.clusterPorts(cluster))];
  const facts = await inspectCluster({ aws, ports, account: deps.account(cluster), ref: cluster, onTransient: 'unknown' });
  const leftOut: string[] = [];
  const known = pointOf(facts, runId);
  const point: RollbackPointRecord = {
    ...known,
    addOns: await Promise.all(facts.addOns.map((addOn) => readAddOn(aws, cluster, addOn, leftOut))),
    nodeClasses: await readNodeClasses(ports.kubernetes, known.nodeClasses, leftOut),
    releases: await readReleases(ports.kubernetes, facts, policy, leftOut),
  };
  return boundedPoint({ ...point, leftOut: [...point.leftOut, ...leftOut] });
}

type AddOn = Pick<AddOnPoint, 'name' | 'version' | 'managed'>;

async function readAddOn(aws: AwsClients, cluster: ClusterRef, { name, version, managed }: AddOn, leftOut: string[]): Promise<AddOnPoint> {
  const plain = { name, version, managed };
  if (!managed) return plain;
  const addOn = await orSaid(undefined, `role, configuration and pod identities of add-on ${name}`, leftOut, () =>
    describeAddon(aws, cluster, name),
  );
  if (addOn === undefined) return plain;
  const { serviceAccountRoleArn: role, configurationValues: text, podIdentityAssociations = [] } = addOn;
  const identities =
    podIdentityAssociations.length === 0
      ? {}
      : await orSaid<Pick<AddOnPoint, 'podIdentities'>>({}, `pod identities of add-on ${name}`, leftOut, async () => ({
          podIdentities: await describeAddonIdentities(aws, cluster, addOn),
        }));
  const configuration = await orSaid({}, `configuration of add-on ${name}`, leftOut, () => configurationOf(name, text, leftOut));
  return { ...plain, ...(role === undefined || role === '' ? {} : { role }), ...configuration, ...identities };
}

async function configurationOf(name: string, text: string | undefined, leftOut: string[]): Promise<Pick<AddOnPoint, 'configuration'>> {
  if (text === undefined || text === '') return {};
  const { values, hidden } = withoutSecrets(parsed(text));
  leftOut.push(...hidden.map((path) => `add-on ${name}: value of ${path}, which may be a secret`));
  return { configuration: values };
}

/** The parser's own words would show the text. */
function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    throw new Error('it is no YAML');
  }
}

async function readNodeClasses(port: KubernetesPort, known: NodeClassPoint[], leftOut: string[]): Promise<NodeClassPoint[]> {
  if (known.length === 0) return known;
  return await orSaid(known, 'amiSelectorTerms of the EC2NodeClasses', leftOut, async () => {
    const found = (await port.list<KubeObject & { spec?: unknown }>(EC2_NODE_CLASSES)) ?? [];
    return known.map((nodeClass) => {
      const object = found.find(({ metadata }) => metadata.name === nodeClass.name);
      return { ...nodeClass, amiSelectorTerms: field(object?.spec, 'amiSelectorTerms') };
    });
  });
}

/** Helm keeps the values of each revision itself: its number is enough, and no secret. */
async function readReleases(port: KubernetesPort, facts: ClusterFacts, policy: UpgradePolicy, leftOut: string[]): Promise<ReleasePoint[]> {
  const { karpenter, istio } = facts;
  const { managedBy } = policy;
  const places = [
    ...(karpenter === undefined || managedBy.karpenter !== 'helm'
      ? []
      : [{ namespace: karpenter.namespace, name: karpenter.deployment, of: {} }]),
    ...(managedBy.istio === 'helm' ? (istio?.revisions ?? []) : []).map(({ namespace, revision }) => ({
      namespace,
      name: revision === 'default' ? 'istiod' : `istiod-${revision}`,
      of: { istio: revision },
    })),
  ];
  const found = await Promise.all(
    places.map(({ namespace, name, of }) =>
      orSaid(undefined, `Helm release of ${namespace}/${name}`, leftOut, async () => ({
        ...(await readReleaseOf(port, namespace, name)),
        ...of,
      })),
    ),
  );
  return found.filter((release) => release !== undefined);
}

async function readReleaseOf(port: KubernetesPort, namespace: string, name: string): Promise<ReleasePoint> {
  const workload = await port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name });
  const release = workload === undefined ? undefined : releaseNameOf(workload);
  if (workload === undefined || release === undefined) throw new Error('no Helm release has marked its Deployment');
  const home = releaseNamespaceOf(workload) ?? namespace;
  const read = await readRelease(port, home, release);
  if (read === undefined) throw new Error(`there is no release ${home}/${release}`);
  return { namespace: home, name: release, revision: read.revision, chart: `${read.chart.name} ${read.chart.version}` };
}

/** What cannot be read is said and holds up nothing. */
async function orSaid<T>(otherwise: T, what: string, leftOut: string[], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    leftOut.push(`${what}: not read, ${redact(messageOf(error))}`);
    return otherwise;
  }
}
