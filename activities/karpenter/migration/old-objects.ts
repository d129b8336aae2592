/** Provisioners on their way out: tainted so that nothing new lands on their nodes, and deleted in the end. */
import { field } from '../../../domain/core/unknown.ts';
import { KEEPERS } from '../../../domain/facts/owners.ts';
import { annotate, lookThenPatch, type JsonOperation } from '../../kubernetes/objects/patch-object.ts';
import type { KubeObject, KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { keeperOf } from '../../kubernetes/gitops/owner-marks.ts';
import type { MigrationActivities } from '../../contract/karpenter-migration.ts';
import { ALPHA_KINDS } from './new-objects.ts';

/** By the v1beta1 migration guide: with the drift gate on it makes all nodes of the Provisioner drift. */
const TAINT = { key: 'karpenter.sh/legacy', value: 'true', effect: 'NoSchedule' };
/** Says that the taint is ours to take away. */
export const LEGACY_TAINT = 'belay.dev/legacy-taint';
const PROVISIONERS = { apiVersion: 'karpenter.sh/v1alpha5', plural: 'provisioners' };
const MACHINES = { apiVersion: 'karpenter.sh/v1alpha5', plural: 'machines' };

type Provisioner = KubeObject<{ taints?: { key?: string; value?: string; effect?: string }[] }>;

export function createOldObjectActivities(
  deps: KubernetesDeps,
): Pick<MigrationActivities, 'taintProvisioners' | 'untaintProvisioners' | 'deleteAlphaObjects'> {
  const portOf = async (cluster: Parameters<KubernetesDeps['clusterPorts']>[0]) => (await deps.clusterPorts(cluster)).kubernetes;
  return {
    async taintProvisioners({ cluster }) {
      const port = await portOf(cluster);
      const tainted: string[] = [];
      const delivered: string[] = [];
      for (const provisioner of (await port.list<Provisioner>(PROVISIONERS)) ?? []) {
        const { name } = provisioner.metadata;
        await lookThenPatch(port, { ...PROVISIONERS, name }, taint, provisioner);
        tainted.push(name);
        const by = keeperOf(provisioner);
        if (by !== undefined) delivered.push(`${name} (${KEEPERS[by]})`);
      }
      return { tainted, delivered };
    },
    async untaintProvisioners({ cluster }) {
      const port = await portOf(cluster);
      const ours = ((await port.list<Provisioner>(PROVISIONERS)) ?? []).filter(
        ({ metadata }) => metadata.annotations?.[LEGACY_TAINT] !== undefined,
      );
      for (const provisioner of ours) await lookThenPatch(port, { ...PROVISIONERS, name: provisioner.metadata.name }, untaint, provisioner);
      return { untainted: ours.map(({ metadata }) => metadata.name) };
    },
    async deleteAlphaObjects({ cluster, cascade }) {
      const port = await portOf(cluster);
      if (!cascade) await refuseMachines(port);
      const deleted: string[] = [];
      const asked: string[] = [];
      // Provisioners first; with a cascade the templates stay until the nodes are gone.
      for (const { kind, query } of ALPHA_KINDS.toReversed().slice(0, cascade ? 1 : undefined)) {
        for (const object of (await port.list(query)) ?? []) {
          const { metadata } = object;
          const by = keeperOf(object);
          if (by !== undefined) asked.push(`${kind} ${metadata.name} (${KEEPERS[by]})`);
          else {
            const propagationPolicy = cascade ? { propagationPolicy: 'Foreground' as const } : {};
            await port.delete({ ...query, name: metadata.name }, { uid: metadata.uid, ...propagationPolicy });
            deleted.push(`${kind} ${metadata.name}`);
          }
        }
      }
      return { deleted, asked };
    },
  };
}

function taint({ metadata, spec }: Provisioner): JsonOperation[] {
  const taints = spec?.taints ?? [];
  if (taints.some(({ key }) => key === TAINT.key)) return [];
  return [...annotate({ metadata }, { [LEGACY_TAINT]: 'true' }), { op: 'add', path: '/spec/taints', value: [...taints, TAINT] }];
}

function untaint({ metadata, spec }: Provisioner): JsonOperation[] {
  const left = (spec?.taints ?? []).filter(({ key }) => key !== TAINT.key);
  const back: JsonOperation = left.length === 0 ? { op: 'remove', path: '/spec/taints' } : { op: 'add', path: '/spec/taints', value: left };
  return [...annotate({ metadata }, { [LEGACY_TAINT]: null }), ...(field(spec, 'taints') === undefined ? [] : [back])];
}

/** Deleting a Provisioner deletes its nodes: only where there are none, unless that is what people chose. */
async function refuseMachines(port: KubernetesPort): Promise<void> {
  const machines = (await port.list({ ...MACHINES, metadataOnly: true })) ?? [];
  if (machines.length === 0) return;
  throw failureOf(
    'InvalidRequest',
    `deleting Provisioners: ${machines.length} Machines are left, and their nodes would go all at once (${machines[0]?.metadata.name ?? ''}, …)`,
  );
}
