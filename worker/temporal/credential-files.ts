/** Credentials of Temporal that lie in files, which are read anew when they change: keys and certificates expire while upgrades run. */
import { readFileSync } from 'node:fs';
import { loadClientConfigProfile } from '@temporalio/envconfig';
import { messageOf } from '../../domain/core/unknown.ts';

/** Files of Secrets are replaced by links that move, which not every file system tells: so they are read, and compared. */
const LOOK_MS = 5_000;

export function apiKeyFile(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env['TEMPORAL_API_KEY_FILE'] || undefined;
}

/** Throws where there is none: a worker without a key could only be refused. */
export function readApiKey(file: string): string {
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Error(`TEMPORAL_API_KEY_FILE cannot be read: ${messageOf(error)}. Name a file with the API key in it.`, { cause: error });
  }
  if (key === '') throw new Error(`TEMPORAL_API_KEY_FILE: ${file} is empty. Write the API key into it.`);
  return key;
}

/** Of the environment or the profile that it names. */
function certificateFiles(): string[] {
  const { tls } = loadClientConfigProfile();
  return [tls?.clientCert, tls?.clientKey, tls?.serverCACert].flatMap((source) =>
    source !== undefined && 'path' in source && source.path !== undefined ? [source.path] : [],
  );
}

export interface FilesChanged {
  apiKey(key: string): Promise<void>;
  /** Where it throws it is called again at the next look: a certificate and its key are seldom replaced at one moment. */
  certificates(): Promise<void>;
  failed(why: string): void;
}

/** Looks until the returned function is called, which waits for a look that has begun. */
export function watchCredentialFiles(changed: FilesChanged, lookMs = LOOK_MS): () => Promise<void> {
  const keyFile = apiKeyFile();
  const certificates = certificateFiles();
  if (keyFile === undefined && certificates.length === 0) return async () => undefined;
  let key = keyFile === undefined ? undefined : contentOf(keyFile);
  let parts = certificates.map(contentOf).join('\n');
  const look = async (): Promise<void> => {
    const keyNow = keyFile === undefined ? undefined : contentOf(keyFile);
    if (keyNow !== undefined && keyNow !== '' && keyNow !== key) {
      await changed.apiKey(keyNow);
      key = keyNow;
    }
    const partsNow = certificates.map(contentOf).join('\n');
    if (partsNow !== parts) {
      await changed.certificates();
      parts = partsNow;
    }
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => changed.failed(messageOf(error)))
      .finally(() => (looking = undefined));
  }, lookMs);
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

/** '' while it is not there, as in the moment in which it is replaced. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
