/** Who sends a command from a container whose user ID has no name. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cliActor } from '../../../cli/shared/context.ts';

beforeEach(() => {
  // As Node does it: https://github.com/nodejs/node/issues/25714
  vi.spyOn(os, 'userInfo').mockImplementation(() => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)');
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  syncBuiltinESMExports();
});

test.each([
  ['ci', 'ci'],
  ['', `uid-${process.getuid?.()}`],
])('a user without an entry in /etc/passwd, USER=%j, acts as %s', (user, name) => {
  vi.stubEnv('USER', user);
  expect(cliActor()).toEqual({ kind: 'cli', id: `${name}@${os.hostname()}`, name });
});
