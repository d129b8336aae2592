/** The way of Karpenter's objects to a newer API, as activities. */
import { heartbeating } from '../../runtime/heartbeating.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import type { MigrationActivities } from '../../contract/karpenter-migration.ts';
import { createExpiryActivities } from './expiry.ts';
import { createHoldActivities } from './freeze.ts';
import { createKubeletActivities } from './kubelet-settings.ts';
import { lookAtMigration, stepsOf } from './steps.ts';
import { readMigrationState } from './state.ts';
import { createOldWebhookActivities } from './old-webhooks.ts';
import { createOldObjectActivities } from './old-objects.ts';
import { judgeRole, type RoleClients } from './iam-role.ts';
import { createStoreActivities } from './store-as-v1.ts';
import { createNewObjectActivities } from './new-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

/** `roles`: how IAM is asked; absent: it is not. */
export function createMigrationActivities(deps: KubernetesDeps, roles?: RoleClients): MigrationActivities {
  return {
    async readKarpenterMigration({ cluster, step }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      return await heartbeating('reading Karpenter’s migration', async () => ({
        ...(await lookAtMigration(port, step)),
        ...(roles === undefined ? {} : { iam: await judgeRole(roles, port, cluster, step) }),
      }));
    },
    async awaitKarpenterMigration({ cluster, timing, step, until, timeoutMs, orBroken }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const withObjects = until === 'manifests' || until === 'old-objects';
      let last = { state: 'unknown' as const, seen: 'nothing was seen' } as {
        state: 'done' | 'open' | 'broken' | 'unknown';
        seen: string;
        fix?: string;
      };
      const doing = `waiting for "${until}" on Karpenter’s way to ${step}`;
      const result = await waitUntil<true>({ timing, timeoutMs, doing }, async () => {
        const steps = withObjects
          ? (await lookAtMigration(port, step)).steps
          : stepsOf(await readMigrationState(port, step, { objects: false }), {});
        const found = steps.find(({ id }) => id === until);
        if (found !== undefined) last = { state: found.state, seen: found.seen, ...defined({ fix: found.fix }) };
        const enough = last.state === 'done' || (orBroken === true && last.state === 'broken');
        return enough ? { done: true, value: true } : { done: false, note: last.seen };
      });
      return { timedOut: result.kind !== 'done', ...last };
    },
    ...createExpiryActivities(deps, roles),
    ...createHoldActivities(deps),
    ...createOldWebhookActivities(deps),
    ...createKubeletActivities(deps),
    ...createStoreActivities(deps),
    ...createNewObjectActivities(deps),
    ...createOldObjectActivities(deps),
  };
}
