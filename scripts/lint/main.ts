/** Part of `npm run lint`: the house keeps to its plan. Exit code 1 with one line for each breach. */
import { fileURLToPath } from 'node:url';
import { breachesOf } from './check-house.ts';

const breaches = breachesOf(fileURLToPath(new URL('../../', import.meta.url)));
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) {
  console.error(`\n${breaches.length} breaches of the layout in scripts/lint/rooms.ts.`);
  process.exitCode = 1;
}
