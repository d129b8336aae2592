/** Updates of the control plane that somebody else has asked EKS for. */
import { randomUUID } from 'node:crypto';
import type { World } from '../world.ts';

/** Begins now; its id. */
export function beginForeignUpdate({ eks, clock }: World, type: 'VersionUpdate' | 'VersionRollback', version: string): string {
  const id = randomUUID();
  const platform = eks.versions.find((offered) => offered.version === version)?.platformVersion ?? 'eks.1';
  eks.updates.push({
    id,
    resource: { kind: 'cluster' },
    type,
    status: 'InProgress',
    params: [
      { type: 'Version', value: version },
      { type: 'PlatformVersion', value: platform },
    ],
    createdAtMs: clock.nowMs(),
    errors: [],
  });
  return id;
}
