/** Temporal's client for what asks it once and ends. */
import { Client } from '@temporalio/client';
import type { Config } from '../../domain/policy/config/config.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { createDataConverter } from '../crypto/codec/data-converter.ts';
import { connectTemporal, temporalSettings } from './connection.ts';

/** `why`: it could not be reached; that is an answer, too. */
export type OpenedClient = ({ client: Client } | { why: string }) & { close(): Promise<void> };

export async function openClient(config: Config, env: NodeJS.ProcessEnv = process.env): Promise<OpenedClient> {
  const settings = temporalSettings(config.temporal);
  try {
    const connection = await connectTemporal(settings);
    const client = new Client({ connection, namespace: settings.namespace, dataConverter: createDataConverter(env) });
    return { client, close: () => connection.close() };
  } catch (error) {
    return { why: messageOf(error), close: async () => undefined };
  }
}
