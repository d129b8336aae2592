/** How what Belay sends to Temporal is written: plain, or encrypted where BELAY_CODEC_KEYS has a key. */
import type { DataConverter } from '@temporalio/common';
import { EncryptionCodec } from './encryption-codec.ts';
import { codecKeys } from './keys.ts';
import { moduleBeside } from '../beside.ts';

/**
 * For workers and clients alike. Without keys, too: what was encrypted before says which key is missing. The failure converter is for
 * workers, which make failures. Throws CodecKeysError.
 */
export function createDataConverter(env: NodeJS.ProcessEnv): DataConverter {
  const keys = codecKeys(env);
  const payloadCodecs = [new EncryptionCodec(keys)];
  if (keys.length === 0) return { payloadCodecs };
  return { payloadCodecs, failureConverterPath: moduleBeside(import.meta.url, '../../workflows/failure-converter') };
}
