/** The published shape of a snapshot's lines: docs/snapshot.schema.json. */
import { z } from 'zod';
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION } from '../../../domain/facts/snapshot/format.ts';

const denied = z.literal(true).describe('A right is missing').optional();
const values = z.record(z.string(), z.unknown());

const Header = z
  .object({
    kind: z.literal('header'),
    format: z.literal(SNAPSHOT_FORMAT),
    version: z.int().min(1).max(SNAPSHOT_VERSION).describe('Of the format: a newer Belay reads older ones'),
    takenAt: z.string().describe("ISO 8601, by the API server's own clock"),
    belay: z.string().describe('Version of Belay'),
    cluster: z.object({
      name: z.string().describe('As belay.yaml calls it'),
      eksName: z.string().describe('As EKS calls it, where that is another name').optional(),
      account: z.string().describe('AWS account id, or its token'),
      region: z.string(),
    }),
    kubernetes: z.object({
      minor: z.string().describe('Such as 1.33'),
      gitVersion: z.string().describe('Empty where the API server was not reached'),
    }),
    anonymized: z.boolean().describe('Names are tokens'),
    ownerKeys: z
      .array(z.string())
      .describe('Labels and annotations that say whose a workload is, or their tokens; absent in files of older versions')
      .optional(),
  })
  .meta({ id: 'header', description: 'The first line' });

const Call = z
  .object({
    kind: z.literal('aws'),
    service: z.enum(['eks', 'ec2', 'autoscaling', 'ssm', 'service-quotas', 'iam', 'kms']),
    operation: z.string().describe('Such as DescribeNodegroup'),
    input: values.describe('Tokens of pages are page-2, page-3 …'),
    output: values.describe("As AWS's API has it, as far as the allow-list keeps it; dates in ISO 8601").optional(),
    error: z.object({ name: z.string() }).describe('Instead of an output').optional(),
  })
  .meta({ id: 'aws', description: 'One call of AWS: a page is a call of its own' });

const List = z
  .object({
    kind: z.literal('list'),
    apiVersion: z.string(),
    plural: z.string(),
    outcome: z.enum(['read', 'absent', 'unread']).describe('absent: this API server serves no such type'),
    count: z.int().min(0).describe('Of objects, which follow').optional(),
    why: z.string().describe('It is unread').optional(),
    denied,
  })
  .meta({ id: 'list', description: 'A type of objects that was asked for' });

const KubeObject = z
  .object({
    kind: z.literal('object'),
    plural: z.string(),
    object: z.looseObject({
      apiVersion: z.string(),
      kind: z.string(),
      metadata: z.looseObject({ name: z.string(), namespace: z.string().optional(), uid: z.string() }),
    }),
  })
  .meta({ id: 'object', description: 'An object as the API server has it, as far as the allow-list keeps it' });

const Metric = z
  .object({
    kind: z.literal('metric'),
    query: z.string().describe('PromQL, without the matchers of belay.yaml'),
    samples: z.array(z.object({ labels: z.record(z.string(), z.string()), value: z.number() })),
  })
  .meta({ id: 'metric', description: 'An answer of Prometheus, with the labels that the allow-list names' });

const Gap = z
  .object({ kind: z.literal('gap'), what: z.string(), why: z.string(), denied })
  .meta({ id: 'gap', description: 'What could not be read beside lists' });

const End = z
  .object({
    kind: z.literal('end'),
    endedAt: z.string().describe('ISO 8601: objects are of some moment between takenAt and this'),
    lines: z.int().min(1).describe('Before this one'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Of the bytes of the lines before this one, line feeds included'),
  })
  .meta({ id: 'end', description: 'The last line' });

export const SnapshotLineSchema = z.discriminatedUnion('kind', [Header, Call, List, KubeObject, Metric, Gap, End]);

export function snapshotJsonSchema(): object {
  return {
    ...z.toJSONSchema(SnapshotLineSchema),
    title: 'A line of a snapshot that belay snapshot takes',
  };
}
