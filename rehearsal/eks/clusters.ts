/** EKS operations on the cluster itself and on the versions that EKS offers. */
import { kubeletMinor } from '../controllers/nodes.ts';
import { paramOf } from '../world/api-server.ts';
import type { World } from '../world/world.ts';
import { minorOf } from './catalogue.ts';
import { AwsError, type Call, inUse, invalidParameter, invalidRequest, pageOf, text } from './http.ts';
import { renderCluster, renderVersion } from './render.ts';
import { mutate, requireCluster, runningUpdate } from './updates.ts';

const CLUSTER = { kind: 'cluster' } as const;
const ROLLBACK_WINDOW_MS = 7 * 24 * 3_600_000;

export function listClusters(world: World, { query }: Call): Record<string, unknown> {
  const { items, nextToken } = pageOf([world.eks.cluster.name], query);
  return { clusters: items, nextToken };
}

export function describeCluster(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  return { cluster: renderCluster(world.eks) };
}

export function describeClusterVersions(world: World, { query }: Call): Record<string, unknown> {
  const asked = query.getAll('clusterVersions');
  const at = world.clock.now();
  const rendered = world.eks.versions
    .filter((v) => asked.length === 0 || asked.includes(v.version))
    .map((v) => renderVersion(v, at, v.version === defaultVersion(world)))
    .filter((v) => query.get('includeAll') === 'true' || asked.length > 0 || v.versionStatus !== 'UNSUPPORTED')
    .filter((v) => query.get('versionStatus') === null || v.versionStatus === query.get('versionStatus'))
    .filter((v) => query.get('defaultOnly') !== 'true' || v.defaultVersion === true);
  const { items, nextToken } = pageOf(rendered, query);
  return { clusterVersions: items, nextToken };
}

/** EKS makes the newest version the default some weeks after its release: here, the newest but one. */
const defaultVersion = (world: World): string | undefined => (world.eks.versions[1] ?? world.eks.versions[0])?.version;

export function updateClusterVersion(world: World, { path, body }: Call): Promise<Record<string, unknown>> {
  requireCluster(world, path[0]);
  return mutate(world, {
    operation: 'UpdateClusterVersion',
    resource: CLUSTER,
    body,
    begin() {
      const { cluster, versions } = world.eks;
      const version = text(body, 'version');
      if (version === undefined || !/^1\.\d+$/.test(version))
        throw invalidParameter('version must be a Kubernetes minor version such as 1.32.');
      const running = runningUpdate(world, CLUSTER);
      if (running !== undefined) {
        throw inUse(`Cannot VersionUpdate because cluster ${cluster.name} currently has update ${running.id} in progress`, {
          clusterName: cluster.name,
        });
      }
      if (cluster.status !== 'ACTIVE') throw invalidRequest(`The cluster ${cluster.name} is ${cluster.status}; it must be ACTIVE.`);
      const offered = versions.find((v) => v.version === version);
      if (offered === undefined) throw invalidParameter(`unsupported Kubernetes version ${version}`, { clusterName: cluster.name });
      const step = minorOf(version) - minorOf(cluster.version);
      if (step !== 1 && !(step === -1 && rollbackOpen(world, version))) {
        throw invalidParameter(`Unsupported Kubernetes minor version update from ${cluster.version} to ${version}`, {
          clusterName: cluster.name,
        });
      }
      if (step === -1) refuseNewerNodes(world, version, body.force === true);
      return {
        type: step === 1 ? 'VersionUpdate' : 'VersionRollback',
        params: [
          { type: 'Version', value: version },
          { type: 'PlatformVersion', value: offered.platformVersion },
        ],
      };
    },
  });
}

/** Going back is possible for seven days after the last hop, one minor. */
function rollbackOpen(world: World, to: string): boolean {
  const last = world.eks.updates
    .filter((u) => u.resource.kind === 'cluster' && u.status === 'Successful' && u.type.startsWith('Version'))
    .toSorted((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0))
    .at(-1);
  return (
    last?.type === 'VersionUpdate' &&
    paramOf(last, 'Version') === world.eks.cluster.version &&
    minorOf(to) === minorOf(world.eks.cluster.version) - 1 &&
    world.clock.nowMs() - (last.endedAtMs ?? 0) < ROLLBACK_WINDOW_MS
  );
}

function refuseNewerNodes(world: World, version: string, force: boolean): void {
  const newer = world.store.list('nodes').filter((n) => minorOf(kubeletMinor(n)) > minorOf(version));
  if (newer.length > 0 && !force) {
    throw new AwsError(
      400,
      'InvalidStateException',
      `EKS detected rollback readiness issues: ${newer.length} nodes run a kubelet newer than ${version}.`,
    );
  }
}

export function updateClusterConfig(world: World, { path, body }: Call): Promise<Record<string, unknown>> {
  requireCluster(world, path[0]);
  return mutate(world, {
    operation: 'UpdateClusterConfig',
    resource: CLUSTER,
    body,
    begin() {
      const running = runningUpdate(world, CLUSTER);
      if (running !== undefined) {
        throw inUse(`Cannot ConfigUpdate because cluster ${world.eks.cluster.name} currently has update ${running.id} in progress`);
      }
      const { upgradePolicy, logging } = body;
      if (logging !== undefined) return { type: 'LoggingUpdate', params: [{ type: 'ClusterLogging', value: JSON.stringify(logging) }] };
      if (upgradePolicy === undefined) throw invalidParameter('Only logging and upgradePolicy can be changed in this stand-in.');
      const supportType =
        typeof upgradePolicy === 'object' && upgradePolicy !== null && 'supportType' in upgradePolicy ? upgradePolicy.supportType : '';
      if (supportType !== 'STANDARD' && supportType !== 'EXTENDED') throw invalidParameter('supportType must be STANDARD or EXTENDED.');
      world.eks.cluster.supportType = supportType;
      return { type: 'UpgradePolicyUpdate', params: [{ type: 'UpgradePolicy', value: JSON.stringify(upgradePolicy) }] };
    },
  });
}
