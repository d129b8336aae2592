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
    approvers: z
      .object({
        users: z.array(z.string()),
        groups: z.array(z.string()),
        names: z.array(z.string()).describe('For people to read, without whoever may not decide at this gate').optional(),
      })
      .describe('Who may decide, by their ids in belay.yaml: of Slack, or names where there is none'),
    openedAt: iso('When it was opened'),
    expiresAt: iso('By when it has to be decided'),
    planHash: z.string().optional(),
    byItself: z.boolean().describe('Continues without a decision'),
    command: words('How it is decided by command line; CHOICE is one of the choices’ ids'),
    inSlack: z.literal(true).describe('It can be decided in Slack as well').optional(),
    decision: z
      .object({ choice: z.string(), label: z.string(), by: Person, at: iso('When it was decided'), reason: z.string().optional() })
      .optional(),
    withdrawn: words('Why nobody has to decide any more').optional(),
  })
  .describe('Of gate events, of runs and of campaigns');

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

const Rollback = z
  .object({
    at: words('Kubernetes minor that the control plane is at, or was brought to by the run'),
    backTo: words('The minor that EKS rolls it back to'),
    until: iso('When EKS closes the window').optional(),
    left: words('Of rollback.closing: "one more day"').optional(),
    updateId: words('Of rollback.unrequested: EKS’s update').optional(),
    text: words('What has happened, and the command to type'),
  })
  .describe('Of rollback events');

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

const Campaign = z
  .object({
    name: words('In belay.yaml'),
    target: words('Kubernetes minor, such as 1.34'),
    workflowId: z.string(),
    runId: words('Of its first run, over all that follow it'),
    requestedBy: Person,
    phase: words('proposed (no ring has begun), running, paused, complete or stopped'),
    headline: z.string(),
    clusterCount: z.int(),
    arrivedCount: z.int(),
    rings: z.array(z.object({ name: z.string(), state: z.string(), line: z.string() })),
    rollbackOf: z.object({ campaign: z.string(), ring: z.string() }).describe('It takes this ring back').optional(),
  })
  .describe('Of campaign events');

const Proposal = z
  .object({
    target: words('Kubernetes minor, such as 1.35'),
    from: words('The minor that its clusters are at'),
    clusterCount: z.int(),
    environments: z.array(z.object({ name: z.string(), clusterCount: z.int() })),
    endOfStandardSupport: words('Of from, a date').optional(),
    endOfExtendedSupport: words('Of from, a date').optional(),
    withinDays: z.int(),
    usdWithin: z.number().describe('What waiting for withinDays costs, in US dollars'),
    campaigns: z.array(z.string()).describe('Of belay.yaml, to this target'),
    snippet: words('What could be written into belay.yaml where no campaign goes there').optional(),
    proposedAt: iso('When it was proposed'),
    dismissed: z.object({ by: Person, at: iso('When it was dismissed'), reason: z.string().optional() }).optional(),
  })
  .describe('Of proposal events');

const Data = z.object({
  key: words('Unique in its run: `gate/<gate id>/opened`'),
  summary: words('One line that can be read alone'),
  cluster: z
    .object({
      name: words('In belay.yaml'),
      account: z.string().regex(/^\d{12}$/),
      region: z.string(),
      environment: z.string(),
    })
    .describe('Of events of a run, as `run`')
    .optional(),
  run: z
    .object({
      workflowId: z.string(),
      runId: z.string(),
      from: words('Kubernetes minor, such as 1.33').optional(),
      to: words('Kubernetes minor, such as 1.34').optional(),
      requestedBy: Person.optional(),
      campaign: z.object({ name: z.string(), ring: z.string() }).optional(),
    })
    .optional(),
  campaign: Campaign.optional(),
  proposal: Proposal.optional(),
  unread: z.object({ why: z.string() }).describe('Of proposal.unread').optional(),
  links: z.object({ temporal: z.string() }).optional(),
  gate: Gate.optional(),
  step: Step.optional(),
  report: Report.optional(),
  rollback: Rollback.optional(),
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

/** What an event is about. */
const ABOUT = [['cluster', 'run'], ['campaign'], ['proposal'], ['unread']].map((required) => ({ required }));

/** `data` of an event, as it is sent. */
export type EventJson = z.input<typeof Data>;

/** JSON Schema (draft 2020-12) of `data`. Open: readers do not stumble over fields that are added. */
export function eventJsonSchema(): Record<string, unknown> {
  return { $id: DATA_SCHEMA, title: 'Data of events that webhooks get', ...z.toJSONSchema(Data, { io: 'input' }), anyOf: ABOUT };
}
