/**
 * `npm test` for `npm run test:mutants`: notes which guards a file reaches, in modules of its own for each file, and plays files in the order of the
 * command line, so that those which most likely fail come first.
 */
import { fileURLToPath } from 'node:url';
import { BaseSequencer } from 'vitest/node';
import base from '../../vitest.config.mjs';

class InOrder extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => process.argv.findIndex((argument) => moduleId.endsWith(argument));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default {
  ...base,
  test: {
    ...base.test,
    isolate: true,
    maxWorkers: 2,
    // A process for each file has nothing of another to put back.
    setupFiles: [fileURLToPath(new URL('record.ts', import.meta.url))],
    sequence: { sequencer: InOrder },
  },
};
