/** Where Temporal's time-skipping test server lies on this machine. */
import { join } from 'node:path';
import type { EphemeralServerExecutable } from '@temporalio/testing';
import { cacheDirectory } from '../../rehearsal/processes/cache-dir.ts';
import { isExecutable } from '../../rehearsal/processes/programs.ts';

/** Matches pom.xml. */
const VERSION = '1.38.0';

/** `<user cache dir>/belay/temporal-test-server/<version>`. */
export function serverDirectory(): string {
  return join(cacheDirectory(process.env), 'temporal-test-server', VERSION);
}

/** What `createTimeSkipping` starts: the installed server, else the SDK's own download. */
export function serverExecutable(): EphemeralServerExecutable {
  const path = join(serverDirectory(), 'temporal-test-server');
  return isExecutable(path) ? { type: 'existing-path', path } : { type: 'cached-download', downloadDir: serverDirectory() };
}
