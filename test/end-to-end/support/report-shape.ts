/** The shape of --json, field by field, as its readers rely on it. */
import { z } from 'zod';

const stamp = z.iso.datetime();
const phase = z.string().regex(/^[a-z]+(-[a-z]+)*$/);

export const reportShape = z.strictObject({
  outcome: z.string(),
  scenario: z.string(),
  cluster: z.string(),
  from: z.string().regex(/^1\.\d\d$/),
  to: z.string().regex(/^1\.\d\d$/),
  workflowId: z.string().regex(/^eks-upgrade\/\d{12}\/[a-z0-9-]+\/[a-z0-9-]+$/),
  wallSeconds: z.number().positive(),
  worldSeconds: z.number().positive(),
  steps: z
    .array(z.strictObject({ id: z.string().regex(/^[a-z-]+@1\.\d\d$/), phase, outcome: z.string(), startedAt: stamp, endedAt: stamp }))
    .min(1),
  gates: z
    .array(
      z.strictObject({ id: z.string().regex(/^[a-z]+:.+#\d+$/), choice: z.string(), by: z.string(), waitedMs: z.number().nonnegative() }),
    )
    .min(1),
  mutations: z
    .array(
      z.strictObject({
        api: z.enum(['eks', 'kubernetes', 'slack']),
        operation: z.string().min(1),
        resource: z.string().min(1),
        token: z.string().optional(),
        accepted: z.boolean(),
        error: z.string().optional(),
        at: stamp,
      }),
    )
    .min(1),
  faults: z.array(z.strictObject({ fault: z.string(), since: z.iso.datetime(), struck: z.number() })),
  killed: z.array(z.strictObject({ process: z.enum(['worker', 'slack', 'temporal']), at: phase, recoveredMs: z.number().positive() })),
  leftBehind: z.array(z.unknown()),
  unmet: z.array(z.string()),
  historyEvents: z.number().int().positive(),
  historyBytes: z.number().int().positive(),
});
