/** NodePools and EC2NodeClasses of v1beta1 beside the Provisioners and AWSNodeTemplates that they follow. */
import { applyEdits, type Manifest } from '../../../domain/plan/migration/edit.ts';
import { alphaRewrite } from '../../../domain/plan/migration/rewrites.ts';
import { KEEPERS } from '../../../domain/facts/owners.ts';
import { untilNoneLeft } from '../amis/change-each.ts';
import type { KubeObject, KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { keeperOf } from '../../kubernetes/gitops/owner-marks.ts';
import type { MigrationActivities, NewObjects } from '../../contract/karpenter-migration.ts';
import { manifestOf } from './manifests.ts';

/** Classes first: a pool names its class. */
export const ALPHA_KINDS = [
  {
    kind: 'AWSNodeTemplate',
    query: { apiVersion: 'karpenter.k8s.aws/v1alpha1', plural: 'awsnodetemplates' },
    successor: { kind: 'EC2NodeClass', apiVersion: 'karpenter.k8s.aws/v1beta1', plural: 'ec2nodeclasses' },
  },
  {
    kind: 'Provisioner',
    query: { apiVersion: 'karpenter.sh/v1alpha5', plural: 'provisioners' },
    successor: { kind: 'NodePool', apiVersion: 'karpenter.sh/v1beta1', plural: 'nodepools' },
  },
] as const;

export function createNewObjectActivities(deps: KubernetesDeps): Pick<MigrationActivities, 'createNewObjects' | 'awaitNewObjects'> {
  return {
    async createNewObjects({ cluster }) {
      return await createAll((await deps.clusterPorts(cluster)).kubernetes);
    },
    async awaitNewObjects({ cluster, timing }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const left = await untilNoneLeft(timing, 'waiting for NodePools and EC2NodeClasses', async () => {
        const { asked, refused } = await createAll(port);
        return [...asked, ...refused];
      });
      return { left };
    },
  };
}

async function createAll(port: KubernetesPort): Promise<NewObjects> {
  const result: NewObjects = { created: [], asked: [], refused: [] };
  for (const { kind, query, successor } of ALPHA_KINDS) {
    const { kind: newKind, ...newQuery } = successor;
    const there = new Set(((await port.list(newQuery)) ?? []).map(({ metadata }) => metadata.name));
    for (const object of (await port.list(query)) ?? []) {
      const { name } = object.metadata;
      if (there.has(name)) continue;
      const manifest = manifestOf(object, query.apiVersion, kind);
      const rewrite = alphaRewrite(manifest) ?? { edits: [], questions: [] };
      const by = keeperOf(object);
      const [question] = rewrite.questions;
      if (by !== undefined) result.asked.push(`${newKind} ${name} (${KEEPERS[by]} has ${kind} ${name})`);
      else if (question !== undefined) result.refused.push(`${newKind} ${name}: ${question}`);
      else {
        const why = await create(port, newQuery, applyEdits(unmarked(manifest), rewrite.edits));
        if (why === undefined) result.created.push(`${newKind} ${name}`);
        else result.refused.push(`${newKind} ${name}: ${why}`);
      }
    }
  }
  return result;
}

/** Why the server refuses it; one that is there by now is what was wanted. */
async function create(port: KubernetesPort, query: { apiVersion: string; plural: string }, object: Manifest): Promise<string | undefined> {
  try {
    await port.create<KubeObject>(query, object);
    return undefined;
  } catch (error) {
    const type = failureType(error);
    if (type === 'Conflict') return undefined;
    if (type === 'InvalidRequest') return messageOf(error).slice(0, 300);
    throw error;
  }
}

/** The release that made the old object has not made the new one: Helm would delete it as its own. */
function unmarked(manifest: Manifest): Manifest {
  const edits = ['labels', 'annotations'].flatMap((map) => {
    const marks: unknown = Reflect.get(Object(manifest['metadata']), map);
    return Object.keys(Object(marks))
      .filter((key) => key.startsWith('meta.helm.sh/') || key === 'app.kubernetes.io/managed-by')
      .map((key) => ({ op: 'remove' as const, path: ['metadata', map, key], why: 'made by Belay' }));
  });
  return applyEdits(manifest, edits);
}
