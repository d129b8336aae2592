/** Every bundle has the interceptor of the worker's, and the interceptor adds no turn of its own. */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { workflowBundle } from '../../support/temporal.ts';
import { withRunHeader } from '../../../workflows/runtime/run-header.ts';
import { RUN_HEADER } from '../../../workflows/contract/ids.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = defaultPayloadConverter.toPayload('run-1');

/** A call as the SDK makes it, as far as an interceptor sees it. */
async function passed(name: 'scheduleActivity' | 'scheduleLocalActivity'): Promise<{ same: boolean; headers: unknown }> {
  const promise = Promise.resolve('the result');
  let headers: unknown;
  const next = (input: { headers: unknown }): Promise<unknown> => {
    headers = input.headers;
    return promise;
  };
  const input = { activityType: 'x', args: [], headers: { other: run }, options: {}, seq: 1 } as never;
  const returned = withRunHeader(run)[name](input, next);
  await returned;
  return { same: returned === promise, headers };
}

test.each(['scheduleActivity', 'scheduleLocalActivity'] as const)(
  "RA17: %s hands back next()'s own promise: an async interceptor adds turns, and histories no longer replay",
  async (name) => {
    expect(await passed(name)).toEqual({ same: true, headers: { other: run, [RUN_HEADER]: run } });
  },
);

test('RA17: the bundle of tests and replays has the interceptor that the worker has', async () => {
  const { code } = await workflowBundle();
  expect(code).toContain('withRunHeader');
});

test("RA17: one function bundles Belay's workflows, for worker, package and tests", () => {
  const files = execFileSync('git', ['grep', '-l', '--fixed-strings', 'bundleWorkflowCode(', '--', '*.ts'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const itself = 'test/workflows/runtime/run-header.test.ts';
  // Tests of the Slack process, of metrics and of threads bundle stand-ins of their own, attackers what is theirs.
  const bundling = files.filter(
    (file) =>
      file !== itself &&
      !file.startsWith('test/attacks/') &&
      !/'(?:\.\/)?(?:census-workflow|campaign-workflow|thread-workflow|workflows)\.ts'|(?:slack\/workflows|client\/reading\/thread-workflow)\.ts'/.test(
        readFileSync(`${ROOT}${file}`, 'utf8'),
      ),
  );
  expect(bundling).toEqual(['worker/temporal/workflow-bundle.ts']);
});
