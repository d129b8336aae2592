/** Steps of a real Temporal server reach Grafana, from the one process that shows runs; without `grafana` in belay.yaml nothing is opened. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { parseConfig } from '../../../../worker/config/config.ts';
import { watchSteps } from '../../../../worker/telemetry/annotations/watch.ts';
import { startTemporal } from '../../../support/temporal.ts';
import { type GrafanaStandIn, startGrafana } from './grafana-stand-in.ts';
import { eventually } from '../../../support/eventually.ts';

let env: TestWorkflowEnvironment;
let grafana: GrafanaStandIn;
beforeAll(async () => {
  env = await startTemporal();
});
afterAll(() => env.teardown());
beforeEach(async () => {
  grafana = await startGrafana();
});
afterEach(() => grafana.close());

const configOf = (more: string) =>
  parseConfig(
    `clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\ntemporal: { address: "${env.address}" }\n${more}`,
    'belay.yaml',
  );

test('steps that run and that have ended, by their own times; what is no step, or of no cluster of belay.yaml, is left out', async () => {
  const start = (workflowId: string, type = 'controlPlane') =>
    env.client.workflow.start(type, { workflowId, taskQueue: 'nobody-works-here' });
  const run = 'eks-upgrade/111122223333/eu-west-1/prod';
  await start(`${run}/node-groups@1.34`, 'nodeGroups');
  const over = await start(`${run}/control-plane@1.34`);
  await over.terminate();
  await start(`${run}/let-me-in@1.34`);
  await start(`${run}/control-plane@<b>`);
  await start('eks-upgrade/111122223333/eu-west-1/other/control-plane@1.34');
  const listed = async (): Promise<number> => {
    let count = 0;
    for await (const _one of env.client.workflow.list({ query: "WorkflowType IN ('controlPlane', 'nodeGroups')" })) count += 1;
    return count;
  };
  for (let tries = 0; tries < 200 && (await listed()) < 5; tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));

  const warned: string[] = [];
  const stop = watchSteps({
    component: 'slack',
    config: configOf(`grafana: { url: "${grafana.url}" }`),
    env: {},
    warn: (message) => void warned.push(message),
  });
  try {
    await eventually('two annotations', () => grafana.stored.length === 2 || warned.length > 0);
  } finally {
    await stop();
  }
  expect(warned).toEqual([]);
  const { startTime, closeTime } = await over.describe();
  expect(grafana.stored.toSorted((a, b) => a.text.localeCompare(b.text))).toEqual([
    {
      id: expect.any(Number),
      time: startTime.getTime(),
      timeEnd: closeTime?.getTime(),
      tags: ['belay', 'prod', 'control-plane'],
      text: 'control-plane@1.34 on prod: ended',
    },
    expect.objectContaining({ tags: ['belay', 'prod', 'node-groups'], text: 'node-groups@1.34 on prod' }),
  ]);
});

test('a token that is not set is said once, and the process goes on', async () => {
  const warned: string[] = [];
  const config = configOf(`grafana: { url: "${grafana.url}", bearerTokenFrom: NO_TOKEN }`);
  const stop = watchSteps({ component: 'slack', config, env: {}, warn: (message) => void warned.push(message) });
  await eventually('a warning', () => warned.length > 0);
  await stop();
  expect(warned).toEqual([
    'steps are not annotated in Grafana: grafana.bearerTokenFrom names NO_TOKEN, which is not set in this environment; set it to a token of a service account',
  ]);
  expect(grafana.asked).toEqual([]);
});

test('not by a worker beside a Slack process, and not unless belay.yaml says so', async () => {
  for (const [component, more] of [
    ['worker', `grafana: { url: "${grafana.url}" }`],
    ['slack', ''],
  ] as const)
    await watchSteps({ component, config: configOf(more), env: {}, warn: (message) => expect(message).toBe('') })();
  expect(grafana.asked).toEqual([]);
});
