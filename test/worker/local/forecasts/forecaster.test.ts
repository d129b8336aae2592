/** A forecast on a worker: a snapshot of the twin by real clients, planned and simulated in a thread; nothing of it stays on disk. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Forecaster, MadeForecast } from '../../../../activities/contract/forecast.ts';
import type { Config } from '../../../../domain/policy/config/config.ts';
import { policyOf } from '../../../../domain/policy/config/of-cluster.ts';
import { configFile } from '../../../../rehearsal/play/config-file.ts';
import { findScenario } from '../../../../rehearsal/scenarios/index.ts';
import { setStage, type Stage } from '../../../../rehearsal/play/stage/stage.ts';
import { loadConfig } from '../../../../worker/config/config.ts';
import { createForecaster } from '../../../../worker/local/forecasts/forecaster.ts';
import { planCluster } from '../../../../worker/local/plan.ts';

const SPEED = 600;
const folder = mkdtempSync(join(tmpdir(), 'belay-forecaster-'));
const before = process.env['TMPDIR'];

let stage: Stage;
let config: Config;
let forecaster: Forecaster;

beforeAll(async () => {
  stage = await setStage({ scenario: findScenario('small'), speed: SPEED, faults: [], temporalUi: () => undefined });
  Object.assign(process.env, { AWS_ENDPOINT_URL: stage.aws.url, AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000', AWS_SECRET_ACCESS_KEY: 'x' });
  const file = join(folder, 'belay.yaml');
  const of = { scenario: stage.built.scenario, speed: SPEED, channel: 'C0UPGRADES', publicKeys: {}, prometheusUrl: stage.prometheusUrl };
  writeFileSync(file, configFile({ ...of, approvers: { users: ['U0SAM'], groups: [] }, recordsDirectory: join(folder, 'records') }));
  config = loadConfig(file);
  forecaster = createForecaster(() => loadConfig(file), '0.1.0');
});
afterAll(async () => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  await stage.close();
  rmSync(folder, { recursive: true });
});

interface Made {
  result: MadeForecast;
  said: string[];
}

/** Whatever is written for a while is in a folder of its own. */
async function make(
  target: string,
  signal = new AbortController().signal,
  onSaid: (doing: string) => void = () => undefined,
): Promise<Made> {
  const said: string[] = [];
  const scratch = mkdtempSync(join(folder, 'scratch-'));
  process.env['TMPDIR'] = scratch;
  const { cluster } = policyOf(config, stage.built.scenario.cluster.name);
  try {
    const onProgress = (doing: string): void => {
      said.push(doing);
      onSaid(doing);
    };
    return { result: await forecaster.forecast(cluster, { target, signal, onProgress }), said };
  } finally {
    expect(readdirSync(scratch)).toEqual([]);
  }
}

describe('a forecast on a worker', () => {
  test('ends when its activity is cancelled, whatever it is at, and holds up no other', async () => {
    const controller = new AbortController();
    const stop = (doing: string): void => {
      if (doing === 'reading the snapshot') controller.abort(new Error('the worker shuts down'));
    };
    await expect(make('1.32', controller.signal, stop)).rejects.toThrow('the worker shuts down');
    await expect(make('1.32', AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });

  test('is of the plan that the cluster itself gets, says how far it is, and leaves no snapshot behind', async () => {
    const { cluster } = policyOf(config, stage.built.scenario.cluster.name);
    const { result, said } = await make('1.32');
    if (result.kind === 'refused') throw new Error('there is a plan');
    const live = await planCluster(config, { cluster: cluster.name, target: '1.32' });
    expect(result.forecast).toMatchObject({ cluster, to: '1.32', runs: 20, planHash: live.kind === 'plan' ? live.plan.hash : '' });
    expect(result.forecast.total.p50).toBeGreaterThan(0);
    expect(said[0]).toMatch(/^taking a snapshot of small, 1 of \d+ read: /);
    expect(said).toContain('reading the snapshot');
    expect(said.at(-1)).toBe('simulating the upgrade of small, 20 of 20');
  });

  test('of a target that no plan reaches is refused with the rules', async () => {
    const { result } = await make('1.40');
    expect(result).toMatchObject({
      kind: 'refused',
      violations: expect.arrayContaining([expect.objectContaining({ rule: 'kube-proxy-skew' })]),
    });
  });
});
