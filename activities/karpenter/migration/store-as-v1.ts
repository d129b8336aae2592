/** Objects that are stored in an older version are written anew, which stores them in the present one; then the CRD says so. */
import { beat } from '../../runtime/context.ts';
import { V1_DEFINITIONS } from '../objects/crds.ts';
import { lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf, failureType } from '../../runtime/translate-errors.ts';
import type { MigrationActivities } from '../../contract/karpenter-migration.ts';
import { type Definition, definitionRef, listStored } from './stored-version.ts';

export function createStoreActivities(deps: KubernetesDeps): Pick<MigrationActivities, 'storeAsV1'> {
  return {
    async storeAsV1({ cluster }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      let rewritten = 0;
      for (const name of V1_DEFINITIONS) rewritten += await storeAnew(port, name);
      return { rewritten };
    },
  };
}

async function storeAnew(port: KubernetesPort, name: string): Promise<number> {
  const definition = await port.get<Definition>(definitionRef(name));
  const stored = definition?.status?.storedVersions ?? [];
  if (stored.every((version) => version === 'v1')) return 0;
  const found = await listStored(port, name);
  if (found?.version !== 'v1')
    throw failureOf(
      'InvalidRequest',
      `storing ${name} as v1: its storage version is ${found?.version ?? 'unknown'}; install karpenter-crd of 1.0 first`,
    );
  for (const { metadata } of found.objects) {
    beat({ kind: 'storing', object: metadata.name });
    await touch(port, { ...found.query, name: metadata.name }, metadata.resourceVersion);
  }
  // The server writes an object whose stored bytes would differ, though nothing in it has changed (storage version migration).
  await lookThenPatch<Definition>(port, { ...definitionRef(name), subresource: 'status' }, ({ status }) =>
    status?.storedVersions?.join() === 'v1' ? [] : [{ op: 'replace', path: '/status/storedVersions', value: ['v1'] }],
  );
  return found.objects.length;
}

/** Whoever else writes it stores it as v1 as well. */
async function touch(
  port: KubernetesPort,
  ref: { apiVersion: string; plural: string; name: string },
  resourceVersion: string,
): Promise<void> {
  try {
    await port.patch(ref, { type: 'json', body: [{ op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }] });
  } catch (error) {
    const type = failureType(error);
    if (type !== 'Conflict' && type !== 'NotFound') throw error;
  }
}
