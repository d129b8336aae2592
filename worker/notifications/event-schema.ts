/** The data of webhooks' events: its published schema (docs/event.schema.json). */
import { z } from 'zod';

/**
 * `dataschema` of every event: CloudEvents has an absolute URI there, which need not be fetched, and asks for another one where the schema changes in a way
 * that old readers do not bear. https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md#dataschema
 */
export const DATA_SCHEMA = 'https://belay.dev/schemas/event-data/1.json';

const iso = (what: string) => z.string().meta({ format: 'date-time', description: what });
const words = (what: string) => z.string().describe(what);

const Person = z
  .object({
    id: words('Of Slack or of the operating system'),
    name: z.string().optional(),
    kind: z.enum(['slack', 'cli']).describe('cli: an operating-system user, which nothing proves'),
  })
  .meta({ id: 'person' });

const Gate = z
  .object({
    id: words('Of the gate, for belay decide'),
    step: z.string(),
    title: z.string(),
    next: words('What happens when the first choice is taken'),
    undo: words('What can be undone afterwards'),
    evidence: z.array(z.object({ title: z.string(), verdict: z.string().optional(), lines: z.array(z.string()) })),
    choices: z.array(z.object({ id: z.string(), label: z.string(), does: z.string(), needsReason: z.boolean() })),
    quorum: z.int().describe('How many have to approve, by all rules together'),
    rules: z.array(z.object({ name: z.string(), quorum: z.int() })).optional(),
    approvers: z.object({ users: z.array(z.string()), groups: z.array(z.string()) }).describe('Slack ids of those who may decide'),
    openedAt: iso('When it was opened'),
    expiresAt: iso('By when it has to be decided'),
    planHash: z.string().optional(),
    byItself: z.boolean().describe('It goes on without anybody'),
    command: words('How it is decided by command line; CHOICE is one of the choices’ ids'),
    decision: z
      .object({ choice: z.string(), label: z.string(), by: Person, at: iso('When it was decided'), reason: z.string().optional() })
      .optional(),
    withdrawn: words('Why nobody has to decide any more').optional(),
  })
  .describe('Of gate events');

const Step = z
  .object({
    id: z.string(),
    title: z.string(),
    state: z.string(),
    startedAt: iso('When it began').optional(),
    endedAt: iso('When it ended').optional(),
    note: z.string().optional(),
  })
  .describe('Of step events');

const Report = z
  .object({
    outcome: z.string(),
    headline: z.string(),
    startedAt: iso('When the run began'),
    endedAt: iso('When it ended').optional(),
    leftBehind: z
      .array(z.object({ what: z.string(), why: z.string(), kept: z.boolean() }))
      .describe('What could not be restored, or is kept on purpose'),
    steps: z.array(z.object({ id: z.string(), state: z.string() })),
  })
  .describe('Of upgrade.finished');

const Data = z.object({
  key: words('Unique in its run: `gate/<gate id>/opened`'),
  summary: words('One line that can be read alone'),
  cluster: z.object({
    name: words('In belay.yaml'),
    account: z.string().regex(/^\d{12}$/),
    region: z.string(),
    environment: z.string(),
  }),
  run: z.object({
    workflowId: z.string(),
    runId: z.string(),
    from: words('Kubernetes minor, such as 1.33').optional(),
    to: words('Kubernetes minor, such as 1.34').optional(),
    requestedBy: Person.optional(),
    campaign: z.object({ name: z.string(), ring: z.string() }).optional(),
  }),
  links: z.object({ temporal: z.string() }).optional(),
  gate: Gate.optional(),
  step: Step.optional(),
  report: Report.optional(),
  note: z.object({ text: z.string() }).describe('Of note events').optional(),
  change: z
    .object({
      component: z.string(),
      name: z.string(),
      version: z.string(),
      managedBy: z.string(),
      text: z.string(),
      due: z.string().optional(),
    })
    .describe('Of change.requested')
    .optional(),
});

/** `data` of an event, as it is sent. */
export type EventJson = z.input<typeof Data>;

/** JSON Schema (draft 2020-12) of `data`. Open: readers do not stumble over fields that are added. */
export function eventJsonSchema(): Record<string, unknown> {
  return { $id: DATA_SCHEMA, title: 'Data of events that webhooks get', ...z.toJSONSchema(Data, { io: 'input' }) };
}
