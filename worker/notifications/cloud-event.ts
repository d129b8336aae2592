/**
 * An event as CloudEvents 1.0 has it, in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md and
 * …/formats/json-format.md. Six attributes need no library; tests hold them to CloudEvents' own.
 */
import { createHash } from 'node:crypto';
import type { DeliverInput, RunEvent } from '../../domain/run/events/event.ts';
import { DATA_SCHEMA, type EventJson } from './event-schema.ts';
import { summaryOf } from './texts.ts';

export const CONTENT_TYPE = 'application/cloudevents+json; charset=utf-8';

export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject?: string;
  time: string;
  datacontenttype: 'application/json';
  dataschema: typeof DATA_SCHEMA;
  /** By the published schema, so that the two cannot drift apart. */
  data: EventJson;
}

/**
 * What receivers drop repeats by: the same over attempts, workers and releases. No full stop is in it, which would make the signed text ambiguous
 * (Standard Webhooks, "Signature scheme").
 */
export function eventId({ runId }: DeliverInput['upgrade'], key: string): string {
  return `evt_${createHash('sha256').update(`${runId}\n${key}`).digest('hex').slice(0, 40)}`;
}

export function cloudEventOf(event: RunEvent, upgrade: DeliverInput['upgrade']): CloudEvent {
  const { key, type, at, subject, data } = event;
  return {
    specversion: '1.0',
    id: eventId(upgrade, key),
    // The run's workflow: for each cluster one source. A URI reference by RFC 3986.
    source: `/${upgrade.workflowId.split('/').map(encodeURIComponent).join('/')}`,
    type: `dev.belay.${type}`,
    ...(subject === undefined ? {} : { subject }),
    time: at,
    datacontenttype: 'application/json',
    dataschema: DATA_SCHEMA,
    data: { key, summary: summaryOf(event), ...data },
  };
}
