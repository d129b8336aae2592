/** The schema of an Upgrade document: what "belay apply" reads, and the JSON Schema that editors and CI check it with. */
import { z } from 'zod';
import type { NodeStrategy } from '../policy.ts';
import { NODE_STRATEGIES } from '../policy.ts';
import { minor, text } from './base/fields.ts';

export const UPGRADE_API_VERSION = 'belay.dev/v1alpha1';

const RIGHT_NAME = 'write a name of lower-case letters, digits and dashes, such as prod-to-1-34';

const labels = z.record(z.string(), z.string({ error: 'write text in quotes' }), { error: 'write key: value lines below it' });

/** Nothing but what "belay start" takes: where people decide and what a run does is belay.yaml's business. */
export const upgradeSchema = z
  .strictObject(
    {
      apiVersion: z.literal(UPGRADE_API_VERSION, { error: `write ${UPGRADE_API_VERSION}` }).describe('Version of this format'),
      kind: z.literal('Upgrade', { error: 'write Upgrade' }),
      metadata: z.strictObject(
        {
          // As Kubernetes has names of objects: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
          name: text(RIGHT_NAME, /^(?=.{1,253}$)[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/).describe('Shown in what apply prints'),
          namespace: text('write the name of a namespace').describe('For your own tools; ignored').optional(),
          labels: labels.describe('For your own tools; ignored').optional(),
          annotations: labels.describe('For your own tools; ignored').optional(),
        },
        { error: 'write name: below it' },
      ),
      spec: z.strictObject(
        {
          cluster: text('write the name of a cluster in belay.yaml').describe('Name in belay.yaml'),
          target: minor.describe('Kubernetes minor to upgrade to, in quotes'),
          strategy: z
            .enum(NODE_STRATEGIES, { error: 'write every-hop or once-at-the-end' })
            .describe('When to replace nodes in an upgrade of several hops')
            .optional(),
        },
        { error: 'write cluster: and target: below it' },
      ),
    },
    { error: `write an Upgrade of ${UPGRADE_API_VERSION}` },
  )
  .describe('An upgrade that belay apply starts or adopts');

/** One document, validated. `at`: "upgrades.yaml:7", where it begins. */
export interface UpgradeRequest {
  name: string;
  cluster: string;
  /** "1.34" */
  target: string;
  strategy?: NodeStrategy;
  at: string;
}

/** JSON Schema (draft 2020-12) of one document as people write it. */
export function upgradeJsonSchema(): Record<string, unknown> {
  return { title: 'Upgrade', ...z.toJSONSchema(upgradeSchema, { io: 'input' }) };
}
