/** Computing beside the event loop: answers, fails, is stopped and runs out of memory without the process noticing. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { failureType } from '../../../../activities/runtime/translate-errors.ts';
import { inThread } from '../../../../worker/local/forecasts/in-thread.ts';
import type { Job } from './threads/job.ts';

const PATH = fileURLToPath(new URL('./threads/job.ts', import.meta.url));
const NEVER = new AbortController().signal;

function run(job: Job, change: { signal?: AbortSignal; onProgress?: (doing: string) => void } = {}): Promise<number> {
  return inThread<Job, number>(PATH, job, { signal: NEVER, onProgress: () => undefined, memoryMb: 64, ...change });
}

describe('a job in a thread', () => {
  test('says how far it is, and answers', async () => {
    const said: string[] = [];
    expect(await run('count', { onProgress: (doing) => said.push(doing) })).toBe(2);
    expect(said).toEqual(['counting, 1 of 2', 'counting, 2 of 2']);
  });

  test.each<[Job, string, string]>([
    ['fail', 'Unknown', 'A forecast needs at least one run, not 0'],
    ['refuse', 'Configuration', 'belay.yaml: not valid YAML'],
    ['exit', 'Unavailable', 'the thread that computes it ended with code 3'],
    [
      'fill',
      'Unavailable',
      'computing it takes more than 64 MB of memory: give the worker more, or run it from the command line where there is more',
    ],
  ])('that does %s is a failure in our words', async (job, type, message) => {
    const error: unknown = await run(job).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ message });
    expect(failureType(error)).toBe(type);
  });

  test('that computes without a pause is heard of meanwhile, and ended when it is cancelled', async () => {
    const controller = new AbortController();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const running = run('hang', { signal: controller.signal, onProgress: () => begin() });
    await begun;
    controller.abort(new Error('the worker shuts down'));
    await expect(running).rejects.toThrow('the worker shuts down');
    await expect(run('count', { signal: controller.signal })).rejects.toThrow('the worker shuts down');
  });
});
