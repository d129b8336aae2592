/** Makes sure that the Temporal CLI is there before tests run: found, downloaded or built once into the user's cache folder. */
import { findTemporal, NoTemporalError } from '../rehearsal/processes/temporal-cli.ts';

try {
  // Tests start servers of their own, so a running one does not help them.
  const { TEMPORAL_ADDRESS: _unused, ...env } = process.env;
  await findTemporal({ env, say: (line) => process.stderr.write(`${line}\n`) });
} catch (error) {
  if (!(error instanceof NoTemporalError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
