/** Where the helm of this machine is, if there is one: on the PATH, or in Belay's own cache. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { toolsDirectory } from '../../rehearsal/processes/cache-dir.ts';

const cached = join(toolsDirectory(process.env), 'helm');

/** undefined: none; the tests that need it are skipped. */
export const HELM: string | undefined = ['helm', cached].find((binary) => spawnSync(binary, ['version', '--short']).status === 0);

export const WITHOUT_HELM =
  HELM === undefined ? ' (skipped: no helm here; GOBIN=~/.cache/belay/bin go install helm.sh/helm/v3/cmd/helm@v3.22.0)' : '';
