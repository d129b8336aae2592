/** Where the helm of this machine is, if there is one: on the PATH, or in Belay's own cache. */
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cached = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'belay', 'bin', 'helm');

/** undefined: none; the tests that need it are skipped. */
export const HELM: string | undefined = ['helm', cached].find((binary) => spawnSync(binary, ['version', '--short']).status === 0);

export const WITHOUT_HELM =
  HELM === undefined ? ' (skipped: no helm here; GOBIN=~/.cache/belay/bin go install helm.sh/helm/v3/cmd/helm@v3.22.0)' : '';
