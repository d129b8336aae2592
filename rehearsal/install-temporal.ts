/** Makes sure that a Temporal CLI is there, by the look-up order of the rehearsal, and prints where. */
import { messageOf } from '../domain/core/unknown.ts';
import { findTemporal } from './processes/temporal-cli.ts';

try {
  const found = await findTemporal({
    env: { ...process.env, TEMPORAL_ADDRESS: undefined },
    say: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${found.kind === 'binary' ? found.path : found.address}\n`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}
