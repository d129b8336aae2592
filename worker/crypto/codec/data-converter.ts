/** How what Belay sends to Temporal is written: plain, or encrypted where BELAY_CODEC_KEYS has a key. */
import type { DataConverter } from '@temporalio/common';
import { EncryptionCodec } from './encryption-codec.ts';
import { codecKeys } from './keys.ts';
import { plainAllowedUntilMs } from './plain-until.ts';
import { modulePath } from '../../config/module-path.ts';

/**
 * For workers and for clients, which do with what is refused as EncryptionCodec says. Without keys, too: what was encrypted before says which key is
 * missing. The failure converter is for workers, which make failures. Throws CodecKeysError and AllowPlainError.
 */
export function createDataConverter(env: NodeJS.ProcessEnv, whose: 'worker' | 'client' = 'client'): DataConverter {
  const keys = codecKeys(env);
  const plainUntilMs = plainAllowedUntilMs(env, Date.now());
  const payloadCodecs = [new EncryptionCodec(keys, { onRefusal: whose === 'worker' ? 'mark' : 'throw', plainUntilMs })];
  // Reads what the codec has marked, with words of its own.
  const converter =
    whose === 'worker' ? { payloadConverterPath: modulePath(import.meta.url, '../../../workflows/runtime/payload-converter') } : {};
  if (keys.length === 0) return { payloadCodecs, ...converter };
  return { payloadCodecs, ...converter, failureConverterPath: modulePath(import.meta.url, '../../../workflows/runtime/failure-converter') };
}
