/** Admission webhooks of 0.32 to 0.37 that nobody takes away: with 1.0 nothing answers them, and writes to Karpenter's objects fail. */
import { gitOpsOwner, releaseNameOf, releaseNamespaceOf } from '../../kubernetes/helm/ownership.ts';
import type { KubeObject, KubernetesDeps } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { isAtLeast } from '../../kubernetes/objects/kubelet-versions.ts';
import type { MigrationActivities } from '../../contract/karpenter-migration.ts';
import { OLD_WEBHOOKS, readController } from './state.ts';
import { MUTATING, VALIDATING } from '../../kubernetes/objects/lists.ts';

export function createOldWebhookActivities(deps: KubernetesDeps): Pick<MigrationActivities, 'removeOldWebhooks'> {
  return {
    async removeOldWebhooks({ cluster }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const version = await readController(port);
      if (version === undefined || !isAtLeast(version, '1.0'))
        throw failureOf(
          'InvalidRequest',
          `removing webhooks of Karpenter 0.3x: the controller is ${version ?? 'unknown'}, and still serves them`,
        );
      const removed: string[] = [];
      const kept: string[] = [];
      for (const [kind, query] of [
        ['MutatingWebhookConfiguration', MUTATING] as const,
        ['ValidatingWebhookConfiguration', VALIDATING] as const,
      ]) {
        for (const found of ((await port.list(query)) ?? []).filter(({ metadata }) => OLD_WEBHOOKS.has(metadata.name))) {
          const { name, uid } = found.metadata;
          const owner = ownerOf(found);
          if (owner !== undefined) kept.push(`${kind} ${name} (${owner})`);
          else {
            await port.delete({ ...query, name }, { uid });
            removed.push(`${kind} ${name}`);
          }
        }
      }
      return { removed, kept };
    },
  };
}

function ownerOf(object: KubeObject): string | undefined {
  const release = releaseNameOf(object);
  return gitOpsOwner(object) ?? (release === undefined ? undefined : `Helm release ${releaseNamespaceOf(object) ?? ''}/${release}`);
}
