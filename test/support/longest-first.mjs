/** Where no run has been timed yet, as on CI, Vitest begins with the largest files: what waits long for its length would be left over, alone, at the end. */
import { BaseSequencer } from 'vitest/node';

/** Files that wait for tens of seconds, the longest first. */
const LONGEST = [
  'workflows/run/freeze-settled-late',
  'workflows/run/campaign/next-run',
  'workflows/run/campaign/networks',
  'workflows/watch/slow-steps',
  'workflows/run/networks',
  'workflows/watch/rollback-window-elsewhere',
  'workflows/run/proposals/proposals',
  'workflows/gates/in-time',
  'workflows/run/queried',
  'workflows/runtime/messages/many-at-once',
];

export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    const sorted = await super.sort(files);
    const known = sorted.filter((file) => place(file) >= 0).sort((a, b) => place(a) - place(b));
    const rest = sorted.filter((file) => place(file) < 0);
    // In turns: files that wait, all at once, would leave the processor idle for half a minute.
    return [...known.flatMap((file, at) => [file, ...rest.slice(at, at + 1)]), ...rest.slice(known.length)];
  }
}
