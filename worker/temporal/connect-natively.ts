/** The worker's connection to Temporal: by the SDK's native client, which is not loaded where no worker runs. */
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { isLoopback } from '../config/loopback.ts';
import { type TemporalSettings, TemporalUnreachableError } from './connection.ts';
import { tlsTrouble } from './tls-trouble.ts';

/** Throws TemporalUnreachableError where certificates are what is wrong, else what the client throws. */
export async function connectNatively(settings: TemporalSettings): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(nativeOptions(settings.connection));
  } catch (error) {
    const trouble = await tlsTrouble(settings.connection);
    throw trouble === undefined ? error : new TemporalUnreachableError(settings, error, trouble);
  }
}

/** The SDK compresses by default, which on this machine's own loopback saves nothing, and costs worker and server 7 % of their CPU. */
export const nativeOptions = (connection: TemporalSettings['connection']): NativeConnectionOptions =>
  isLoopback(connection.address ?? '') ? { ...connection, grpcCompression: { codec: 'none' } } : connection;
