/** A thread for a test: does what it is told. */
import { ApplicationFailure } from '@temporalio/common';
import { answerFromThread } from '../../../../../worker/local/forecasts/in-thread.ts';

export type Job = 'count' | 'fail' | 'refuse' | 'hang' | 'exit' | 'fill';

await answerFromThread<Job, number>(async (job, onProgress) => {
  switch (job) {
    case 'count':
      onProgress('counting, 1 of 2');
      onProgress('counting, 2 of 2');
      return 2;
    case 'fail':
      throw new RangeError('A forecast needs at least one run, not 0');
    case 'refuse':
      throw ApplicationFailure.nonRetryable('belay.yaml: not valid YAML', 'Configuration');
    case 'hang':
      onProgress('computing for ever');
      for (;;);
    case 'exit':
      process.exit(3);
    // oxlint-disable-next-line no-fallthrough -- process.exit never returns
    case 'fill': {
      const kept: number[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => at + kept.length));
    }
  }
});
