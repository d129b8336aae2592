/** Fetches Temporal's time-skipping test server once, with Maven; without Java or Maven the SDK's own download is left to do it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverDirectory, serverExecutable } from './server.ts';

const pom = fileURLToPath(new URL('pom.xml', import.meta.url));

if (serverExecutable().type !== 'existing-path') {
  const missing = ['java', 'mvn'].filter((program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).status !== 0);
  if (missing.length > 0) {
    console.log(`${missing.join(' and ')} not found: the suite downloads Temporal's test server by the SDK. Or install Java 17 and Maven.`);
  } else {
    install();
  }
}

function install() {
  const directory = serverDirectory();
  const parent = dirname(directory);
  mkdirSync(parent, { recursive: true });
  // Beside its place, and moved there when complete: an install that was cut off leaves nothing half done.
  const staging = mkdtempSync(join(parent, 'install-'));
  try {
    console.log("Fetching Temporal's time-skipping test server with Maven, once …");
    const maven = spawnSync(
      'mvn',
      ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${join(staging, 'lib')}`, '-DincludeScope=runtime'],
      { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 },
    );
    if (maven.status !== 0) {
      console.error(
        'Maven could not fetch io.temporal:temporal-test-server. Check its proxy and mirror settings (~/.m2/settings.xml), then run this again.',
      );
      process.exitCode = 1;
      return;
    }
    const program = join(staging, 'temporal-test-server');
    // exec: what ends the program ends Java.
    writeFileSync(program, '#!/bin/sh\nexec java -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"\n');
    chmodSync(program, 0o755);
    rmSync(directory, { recursive: true, force: true });
    renameSync(staging, directory);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
