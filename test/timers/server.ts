/** Where Temporal's time-skipping test server lies on this machine. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { EphemeralServerExecutable } from '@temporalio/testing';
import { cacheDirectory } from '../../rehearsal/processes/cache-dir.ts';

/** Matches pom.xml. */
const VERSION = '1.38.0';

/** `<user cache dir>/belay/temporal-test-server/<version>`. */
export function serverDirectory(): string {
  return join(cacheDirectory(process.env), 'temporal-test-server', VERSION);
}

/** What `createTimeSkipping` starts: the installed server, else the SDK's own download. */
export function serverExecutable(): EphemeralServerExecutable {
  const path = join(serverDirectory(), 'temporal-test-server');
  try {
    accessSync(path, constants.X_OK);
    return { type: 'existing-path', path };
  } catch {
    return { type: 'cached-download', downloadDir: serverDirectory() };
  }
}
