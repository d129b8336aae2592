/** What a history tells before it is replayed: by which release it was begun, and whether this machine's keys open it. */
import type { Payload } from '@temporalio/common';
import type proto from '@temporalio/proto';
import { isRecord, messageOf } from '../../domain/core/unknown.ts';
import { EncryptionCodec } from '../crypto/codec/encryption-codec.ts';
import type { CodecKey } from '../crypto/codec/keys.ts';

export type History = proto.temporal.api.history.v1.IHistory;

/** Build id of the worker that did the first workflow task. */
export function startedBy(history: History | undefined): { startedBy?: string } {
  for (const { workflowTaskCompletedEventAttributes: completed } of history?.events ?? []) {
    const buildId = completed?.workerVersion?.buildId;
    if (buildId) return { startedBy: buildId };
  }
  return {};
}

/**
 * Why a payload of it cannot be decrypted; undefined: all can. Workers mark what they cannot read and go on, so that a history without its key replays as
 * one that has changed: it would be called broken where it is unknown.
 */
export async function whyUnreadable(history: History, keys: readonly CodecKey[]): Promise<string | undefined> {
  // Refuses only what is encrypted and does not open.
  const codec = new EncryptionCodec(keys, { onRefusal: 'show' });
  try {
    await codec.decode([...payloadsIn(history)]);
    return undefined;
  } catch (error) {
    return messageOf(error).replace(/^reading from Temporal: /, '');
  }
}

function* payloadsIn(value: unknown): Generator<Payload> {
  if (Array.isArray(value)) for (const item of value) yield* payloadsIn(item);
  else if (isPayload(value)) yield value;
  else if (isRecord(value) && !ArrayBuffer.isView(value)) for (const item of Object.values(value)) yield* payloadsIn(item);
}

const isPayload = (value: unknown): value is Payload => isRecord(value) && isRecord(value['metadata']) && ArrayBuffer.isView(value['data']);
