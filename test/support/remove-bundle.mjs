/** After the last test file of a run. */
import { rmSync } from 'node:fs';

export default function removeBundle() {
  rmSync(process.env.BELAY_TEST_BUNDLE, { force: true });
}
