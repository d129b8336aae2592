import { describe, expect, test } from 'vitest';
import { configFile } from '../../../rehearsal/play/config-file.ts';
import { belayEnvironment } from '../../../rehearsal/processes/belay.ts';
import { SCENARIOS } from '../../../rehearsal/scenarios/index.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { accessOf, policyForStart } from '../../../domain/policy/config/of-cluster.ts';

function policyAt(speed: number, name = 'seed-000', realParts = false) {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const text = configFile({
    scenario,
    speed,
    channel: 'C0UPGRADES',
    approvers: { users: ['U0SAM'], groups: ['S0PLATFORM'] },
    publicKeys: {},
    prometheusUrl: 'http://127.0.0.1:9090',
    recordsDirectory: '/tmp/records',
    realParts,
  });
  const config = parseConfig(text, 'belay.yaml');
  return { config, policy: policyForStart(config, scenario.cluster.name), scenario };
}

describe("the rehearsal's belay.yaml", () => {
  test.each(Object.keys(SCENARIOS))('%s can be started as it is', (name) => {
    const { policy, scenario } = policyAt(600, name);
    expect(policy.cluster).toEqual(scenario.cluster);
    expect(policy.managedBy).toMatchObject(scenario.managedBy);
  });

  test('names no kubeconfig: endpoint and token come from AWS', () => {
    const { config, scenario } = policyAt(60);
    expect(accessOf(config, scenario.cluster.name).kubeconfig).toBeUndefined();
  });

  test('divides waiting by the speed', () => {
    const { timing } = policyAt(60).policy;
    expect(timing.bakeMs).toBe(10_000);
    expect(timing.pollMaxMs).toBe(500);
    expect(timing.gateDeadlineMs).toBe(24 * 60_000);
    // What is shown beside it as well: minutes become seconds.
    expect([timing.expected?.controlPlaneMs, timing.expected?.karpenterNodeMs]).toEqual([10_000, 667]);
  });

  test('leaves polls at 50 ms, a minute for people, and wall time where the product needs it', () => {
    const { timing } = policyAt(3600).policy;
    expect([timing.pollMinMs, timing.pollMaxMs]).toEqual([50, 50]);
    expect(timing.gateDeadlineMs).toBe(60_000);
    expect([timing.heartbeatTimeoutMs, timing.boardEditMs]).toEqual([10_000, 3_000]);
  });

  test('leaves real parts the wall time that they need, and no less than the world’s', () => {
    const patience = (speed: number, realParts: boolean): number[] => {
      const { driftBlockedAfterMs, apiTransientMs } = policyAt(speed, 'whole', realParts).policy.timing;
      return [driftBlockedAfterMs, apiTransientMs];
    };
    expect(patience(60, false)).toEqual([10_000, 25_000]);
    expect(patience(20, false)).toEqual([30_000, 45_000]);
    expect(patience(60, true)).toEqual([300_000, 120_000]);
    expect(patience(1, true)).toEqual(patience(1, false));
  });

  test('at speed 1 it is the real thing', () => {
    const { timing } = policyAt(1).policy;
    expect([timing.bakeMs, timing.controlPlaneTimeoutMs, timing.freezeCheckMs]).toEqual([600_000, 5_400_000, 60_000]);
  });
});

test('nothing of a real account, cluster or workspace reaches the rehearsed processes', () => {
  const env = belayEnvironment(
    {
      awsUrl: 'http://127.0.0.1:1',
      region: 'eu-west-1',
      slackApiUrl: 'http://127.0.0.1:2/api/',
      botToken: 'xoxb-rehearsal',
      appToken: 'xapp-rehearsal',
      configFile: '/x/belay.yaml',
      signingKey: 'rehearsal:AAAA',
      temporal: { address: '127.0.0.1:7233', inherited: {} },
    },
    {
      PATH: '/bin',
      AWS_PROFILE: 'production',
      AWS_SESSION_TOKEN: 'real',
      KUBECONFIG: '/home/a/.kube/config',
      SLACK_SIGNING_SECRET: 'real',
      TEMPORAL_API_KEY: 'real',
      HTTPS_PROXY: 'http://proxy',
      NODE_OPTIONS: '--inspect',
    },
  );
  expect(Object.values(env)).not.toContain('real');
  expect(env).toMatchObject({ PATH: '/bin', AWS_ENDPOINT_URL: 'http://127.0.0.1:1', TEMPORAL_ADDRESS: '127.0.0.1:7233' });
  for (const name of ['AWS_PROFILE', 'KUBECONFIG', 'HTTPS_PROXY', 'NODE_OPTIONS', 'SLACK_SIGNING_SECRET'])
    expect(env[name]).toBeUndefined();
});
