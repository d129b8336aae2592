/** `environments:` in belay.yaml: what holds for every cluster of an environment, and which environment comes before it. */
import { z } from 'zod';
import { approvalsSchema } from './approvals.ts';
import { text } from '../base/fields.ts';
import { healthSchema } from '../health/health.ts';
import { nearest } from '../base/nearest.ts';
import { network } from './networks.ts';
import { windowsSchema } from './windows.ts';

const RIGHT_DAYS = 'write a whole number of days from 0';

export const environmentsSchema = z
  .record(
    text('write the name of an environment such as production'),
    z.strictObject({
      network: network.optional(),
      windows: windowsSchema.optional(),
      approvals: approvalsSchema.optional(),
      health: healthSchema.optional(),
      after: z
        .strictObject({
          environment: text('write an environment of this file such as staging').describe('All its clusters must be at the target'),
          bakedDays: z
            .number({ error: RIGHT_DAYS })
            .int({ error: RIGHT_DAYS })
            .min(0, { error: RIGHT_DAYS })
            .describe('Days since the upgrade that brought each there ended'),
        })
        .describe(
          'The environment that is upgraded first. Until its clusters have run the target for this long, a run waits at a gate, where approvers may continue with a reason',
        )
        .optional(),
    }),
    { error: 'write environments by name' },
  )
  .describe('What holds for the clusters of an environment: over defaults, under the cluster itself');

type EnvironmentsInput = z.output<typeof environmentsSchema>;

/**
 * What is wrong with the names in `environments`: `path` of the key and a message. A rule for an environment that no cluster is in would
 * look as if it held. `used`: the environments that clusters are in.
 */
export function environmentProblems(
  environments: EnvironmentsInput | undefined,
  used: readonly string[],
): { path: string[]; message: string }[] {
  return Object.entries(environments ?? {}).flatMap(([name, { after }]) => {
    const at = ['environments', name];
    if (!used.includes(name)) return [{ path: at, message: `no cluster of this file is in environment "${name}"${hint(name, used)}` }];
    if (after === undefined) return [];
    const path = [...at, 'after'];
    if (after.environment === name) return [{ path, message: 'names the environment itself; name the one that is upgraded first' }];
    if (used.includes(after.environment)) return [];
    return [
      { path, message: `names environment "${after.environment}", and no cluster of this file is in it${hint(after.environment, used)}` },
    ];
  });
}

function hint(name: string, used: readonly string[]): string {
  const close = nearest(name, used);
  return close === undefined ? '' : `; did you mean "${close}"?`;
}
