/** Entry point of the `belay` command, where it is not a bundle. */
import { run } from './run.ts';

await run(process.argv);
