/** The worker's connection to Temporal: by the SDK's native client, which is not loaded where no worker runs. */
import { NativeConnection } from '@temporalio/worker';
import { type TemporalSettings, TemporalUnreachableError } from './connection.ts';
import { tlsTrouble } from './tls-trouble.ts';

/** Throws TemporalUnreachableError where certificates are what is wrong, else what the client throws. */
export async function connectNatively(settings: TemporalSettings): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(settings.connection);
  } catch (error) {
    const trouble = await tlsTrouble(settings.connection);
    throw trouble === undefined ? error : new TemporalUnreachableError(settings, error, trouble);
  }
}
