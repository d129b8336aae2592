/** Every event that can be sent is what docs/event.schema.json promises; what is not is refused. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../domain/core/unknown.ts';
import { ALL_EVENTS } from '../../../domain/policy/deliveries.ts';
import { cloudEventOf } from '../../../worker/notifications/cloud-event.ts';
import { UPGRADE as OF_STAGING } from '../../slack/fixtures.ts';
import { EVERYTHING, eventsOf, everythingOfRollbacks } from '../../domain/run/events/told.ts';
import { CAMPAIGN, everythingOfCampaigns, everythingOfProposals } from '../../domain/run/events/campaign-told.ts';
import { OPENED, STARTED, UPGRADE } from './events.ts';

const schema: unknown = JSON.parse(readFileSync(new URL('../../../docs/event.schema.json', import.meta.url), 'utf8'));

function problemsBy(given: unknown): (data: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true });
  ajv.addFormat('date-time', (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text));
  const validate = ajv.compile(given as object);
  return (data) => {
    validate(data);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** As published, but that what it does not name is a problem: so that no field is sent that it lacks. */
function closed(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(closed);
  if (!isRecord(given)) return given;
  const inner = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, closed(value)]));
  return isRecord(given['properties']) ? { ...inner, additionalProperties: false } : inner;
}

function none(): never {
  throw new Error('there is no event of campaigns');
}

const SENT = [
  ...[STARTED, OPENED].map((event) => cloudEventOf(event, UPGRADE)),
  ...eventsOf(EVERYTHING).map((event) => cloudEventOf(event, OF_STAGING)),
  ...everythingOfRollbacks().map((event) => cloudEventOf(event, OF_STAGING)),
  ...everythingOfCampaigns().map((event) => cloudEventOf(event, CAMPAIGN)),
  ...everythingOfProposals().map((event) => cloudEventOf(event, { workflowId: 'eks-proposals', runId: 'run-1' })),
];

test('every type is among those that are tried, and names the schema', () => {
  expect(new Set(SENT.map(({ type }) => type))).toEqual(new Set(ALL_EVENTS.map((type) => `dev.belay.${type}`)));
  expect(new Set(SENT.map(({ dataschema }) => dataschema))).toEqual(new Set([isRecord(schema) ? schema['$id'] : undefined]));
  // CloudEvents 1.0: an absolute URI.
  expect(new URL(SENT[0]?.dataschema ?? '').protocol).toBe('https:');
});

test.each(SENT.map((event) => [`${event.type} ${event.subject ?? ''}`, event] as const))('%s', (_what, { data }) => {
  const wire: unknown = JSON.parse(JSON.stringify(data));
  expect(problemsBy(schema)(wire)).toEqual([]);
  expect(problemsBy(closed(schema))(wire)).toEqual([]);
});

test('readers do not stumble over a field that is added', () => {
  expect(problemsBy(schema)({ ...SENT[0]?.data, added: 1 })).toEqual([]);
});

describe('what is wrong is refused', () => {
  const { data } = cloudEventOf(OPENED, UPGRADE);
  const [ofCampaign = none()] = everythingOfCampaigns().map((event) => cloudEventOf(event, CAMPAIGN).data);
  test.each<[string, unknown, string[]]>([
    [
      'nothing',
      {},
      [
        ...['cluster', 'run', 'campaign', 'proposal', 'unread'].map((key) => ` must have required property '${key}'`),
        ' must match a schema in anyOf',
        ...['key', 'summary'].map((key) => ` must have required property '${key}'`),
      ],
    ],
    [
      'a campaign without its target',
      { ...ofCampaign, campaign: { ...ofCampaign.campaign, target: undefined } },
      ["/campaign must have required property 'target'"],
    ],
    ['an account that is a number', { ...data, cluster: { ...data.cluster, account: 111122223333 } }, ['/cluster/account must be string']],
    [
      'an account that is short',
      { ...data, cluster: { ...data.cluster, account: '1' } },
      ['/cluster/account must match pattern "^\\d{12}$"'],
    ],
    [
      'a gate without its deadline',
      { ...data, gate: { ...data.gate, expiresAt: undefined } },
      ["/gate must have required property 'expiresAt'"],
    ],
    [
      'a deadline that is no time',
      { ...data, gate: { ...data.gate, expiresAt: 'tomorrow' } },
      ['/gate/expiresAt must match format "date-time"'],
    ],
    [
      'half of a person',
      { ...data, run: { ...data.run, requestedBy: { id: 'U1' } } },
      ["/run/requestedBy must have required property 'kind'"],
    ],
  ])('%s', (_what, wrong, problems) => {
    expect(problemsBy(schema)(JSON.parse(JSON.stringify(wrong)))).toEqual(problems);
  });
});
