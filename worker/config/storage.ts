/** Where records are kept, as belay.yaml says: a directory beside it, or a bucket. */
import { createDirectoryStorage } from '../../activities/run/records/storage/directory.ts';
import { createS3Storage } from '../../activities/run/records/storage/s3.ts';
import type { RecordStorage } from '../../activities/contract/records.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { proxyOf } from './proxy.ts';
import { besideConfig } from './settings.ts';

/** Nothing is sent until it is used; close it when done. */
export function openStorage(config: Config, env: NodeJS.ProcessEnv = process.env): RecordStorage {
  const { records } = config;
  if (records.kind === 'directory') return createDirectoryStorage(besideConfig(config, records.directory));
  const { kind: _, ...settings } = records;
  return createS3Storage({ ...settings, ...defined({ proxy: proxyOf(env) }) });
}

/** The field of belay.yaml that says so, for messages. */
export const storageField = ({ records }: Config): string => (records.kind === 'directory' ? 'records.directory' : 'records.s3');
