/**
 * Kubelet settings that 1.0 keeps in an annotation of the NodePool: they go to the EC2NodeClass, and only then does the annotation go. The
 * other way round Karpenter sees other settings than its nodes have, and replaces them (v1 migration guide).
 */
import { z } from 'zod';
import { KEEPERS } from '../../../domain/facts/owners.ts';
import { classRef, EC2_NODE_CLASSES, NODE_POOLS, poolRef } from '../objects/node-pools.ts';
import { untilNoneLeft } from '../amis/change-each.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import { annotate, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import { sameJson } from '../../runtime/same-json.ts';
import type { NodeClass, NodePool } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { readJson } from '../../runtime/read-json.ts';
import { keeperOf } from '../../kubernetes/gitops/owner-marks.ts';
import type { KubeletMove, MigrationActivities } from '../../contract/karpenter-migration.ts';
import { KUBELET } from './state.ts';

/** Field managers of Flux and its operator, Argo CD and Terraform. */
const DELIVERERS = /^(?:kustomize-controller|helm-controller|flux|argocd-|Terraform|HashiCorp$|terraform-provider)/;

const Settings = z.record(z.string(), z.unknown());
type ClassWithKubelet = NodeClass & { spec?: { kubelet?: unknown } };

export function createKubeletActivities(deps: KubernetesDeps): Pick<MigrationActivities, 'moveKubelets' | 'awaitManifests'> {
  return {
    async moveKubelets({ cluster }) {
      return await moveAll((await deps.clusterPorts(cluster)).kubernetes);
    },
    async awaitManifests({ cluster, timing }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const left = await untilNoneLeft(timing, 'waiting for manifests of Karpenter’s API v1', async () => {
        const { asked, refused, old } = await moveAll(port);
        return [...asked, ...refused, ...old];
      });
      return { left };
    },
  };
}

async function moveAll(port: KubernetesPort): Promise<KubeletMove> {
  const pools = await listServed<NodePool>(port, NODE_POOLS);
  const classes = await listServed<ClassWithKubelet>(port, EC2_NODE_CLASSES);
  const old = [...pools.map((pool) => writtenOld('NodePool', pool)), ...classes.map((each) => writtenOld('EC2NodeClass', each))];
  const result: KubeletMove = { moved: [], asked: [], refused: [], old: old.filter((each) => each !== undefined) };
  const refOf = (pool: NodePool): string => pool.spec?.template?.spec?.nodeClassRef?.name ?? '';
  for (const pool of pools.filter(({ metadata }) => metadata.annotations?.[KUBELET] !== undefined)) {
    const { name } = pool.metadata;
    const settings = readJson(pool.metadata.annotations?.[KUBELET] ?? '', Settings);
    const nodeClass = classes.find(({ metadata }) => metadata.name === refOf(pool));
    const sharing = pools.filter((other) => other !== pool && refOf(other) === refOf(pool));
    const why = refusal(settings, nodeClass, sharing);
    if (why !== undefined) result.refused.push(`NodePool ${name}: ${why}`);
    else if (nodeClass !== undefined && settings !== undefined) {
      const has = sameJson(nodeClass.spec?.kubelet, settings);
      const by = keeperOf(nodeClass);
      if (!has && by !== undefined) {
        result.asked.push(
          `EC2NodeClass ${nodeClass.metadata.name} (${KEEPERS[by]}): spec.kubelet ${JSON.stringify(settings)}`.slice(0, 600),
        );
        continue;
      }
      if (!has) nodeClass.spec = { ...nodeClass.spec, kubelet: await setKubelet(port, nodeClass, settings) };
      await lookThenPatch(port, poolRef(name), (seen) => annotate(seen, { [KUBELET]: null }), pool);
      result.moved.push(name);
    }
  }
  return result;
}

/** What GitOps or Terraform writes in v1beta1, by the marks that the API server keeps of every writer. Others have written once. */
function writtenOld(kind: string, object: KubeObject): string | undefined {
  const { metadata } = object;
  const by = keeperOf(object);
  if (by === undefined) return undefined;
  const old = (metadata.managedFields ?? []).find(
    ({ manager = '', apiVersion = '' }) => apiVersion.endsWith('/v1beta1') && DELIVERERS.test(manager),
  );
  return old === undefined ? undefined : `${kind} ${metadata.name} (${KEEPERS[by]} writes it as ${old.apiVersion})`;
}

function refusal(
  settings: Record<string, unknown> | undefined,
  nodeClass: ClassWithKubelet | undefined,
  sharing: readonly NodePool[],
): string | undefined {
  if (settings === undefined) return `its annotation ${KUBELET} cannot be read`;
  if (nodeClass === undefined) return 'its EC2NodeClass does not exist';
  const { name } = nodeClass.metadata;
  const there = nodeClass.spec?.kubelet;
  if (there !== undefined && !sameJson(there, settings))
    return `EC2NodeClass ${name} has other kubelet settings: give the pool a class of its own (belay migrate karpenter writes it); its nodes will drift`;
  if (there !== undefined) return undefined;
  const others = sharing.filter(({ metadata }) => !sameJson(readJson(metadata.annotations?.[KUBELET] ?? 'null', Settings), settings));
  return others.length === 0
    ? undefined
    : `it shares EC2NodeClass ${name} with ${others.map(({ metadata }) => metadata.name).join(', ')}, which ${others.length === 1 ? 'has' : 'have'} other kubelet settings: give one of them a class of its own (belay migrate karpenter writes it); its nodes will drift`;
}

/** Gives what the class has now. */
async function setKubelet(port: KubernetesPort, nodeClass: ClassWithKubelet, settings: Record<string, unknown>): Promise<unknown> {
  const result = await lookThenPatch<ClassWithKubelet>(port, classRef(nodeClass.metadata.name), (seen) =>
    sameJson(seen.spec?.kubelet, settings) ? [] : [{ op: 'add', path: '/spec/kubelet', value: settings }],
  );
  return result.kind === 'gone' ? undefined : result.object.spec?.kubelet;
}
