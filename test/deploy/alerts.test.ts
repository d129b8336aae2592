/** Each alert fires and clears on its own series, as Prometheus' own tool judges it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { describeWithPromtool } from '../support/tools.ts';
import { root, textOf } from './files.ts';
import { RULES, rulesIn } from './rules.ts';

/** One value for each minute: `[value, times]`, or `[from, times, step]`. `_` is no sample, `stale` its end. */
type Run = readonly [value: number | '_' | 'stale', times: number, step?: number];

interface Case {
  series: Record<string, readonly Run[]>;
  /** Minutes. */
  quietAt: number[];
  firesAt: number[];
}

const values = (runs: readonly Run[]): string =>
  runs
    .flatMap(([value, times, step = 0]) =>
      Array.from({ length: times }, (_, index) => (typeof value === 'number' ? value + step * index : value)),
    )
    .join(' ');

/** Nothing for five minutes, then one failure, and another one half an hour later. */
const failures = (labels: string, windowMinutes: number, forMinutes: number): Case => ({
  series: {
    [labels]: [
      ['_', 5],
      [1, 30],
      [2, 40],
    ],
  },
  quietAt: [4, 5 + windowMinutes + 3, 36 + windowMinutes + 3],
  firesAt: [5 + forMinutes + 1, 36 + forMinutes + 1],
});
const taskFailed = (reason: string): string =>
  `temporal_workflow_task_execution_failed_total{job="belay", workflow_type="upgradeCluster", failure_reason="${reason}"}`;

/** Ten observations a minute: fast for five minutes, slow for twenty, fast again. `fastLe` is where the threshold lies. */
const slow = (name: string, labels: string, fastLe: string, slowLe: string): Case['series'] => {
  const fast: Run[] = [
    [0, 5, 10],
    [40, 20],
    [50, 20, 10],
  ];
  const all: Run[] = [[0, 45, 10]];
  return {
    [`${name}_bucket{job="belay"${labels}, le="${fastLe}"}`]: fast,
    [`${name}_bucket{job="belay"${labels}, le="${slowLe}"}`]: all,
    [`${name}_bucket{job="belay"${labels}, le="+Inf"}`]: all,
  };
};

const CASES: Record<string, Case> = {
  BelayTargetDown: {
    series: {
      'up{job="belay", instance="worker"}': [
        [1, 5],
        [0, 10],
        [1, 10],
      ],
    },
    quietAt: [4, 8, 16],
    firesAt: [11],
  },
  BelayNoWorker: {
    series: {
      'temporal_num_pollers{job="belay", poller_type="workflow_task"}': [
        [5, 5],
        [0, 10],
        [5, 10],
      ],
    },
    quietAt: [4, 8, 16],
    firesAt: [11],
  },
  BelayWorkerDeaf: {
    series: {
      'belay_worker_polls_last_success_timestamp_seconds{job="belay", instance="worker"}': [
        [0, 5, 60],
        [240, 8],
        [780, 10, 60],
      ],
    },
    quietAt: [4, 7, 14],
    firesAt: [10],
  },
  BelayNoNetworkWorker: {
    series: {
      // Two workers look; a poll is seen each minute until the tenth, and again from the thirtieth.
      'belay_network_polls_last_success_timestamp_seconds{job="belay", instance="1", task_queue="belay-dmz"}': [
        [0, 10, 60],
        [540, 20],
        [1_800, 20, 60],
      ],
      'belay_network_polls_last_success_timestamp_seconds{job="belay", instance="2", task_queue="belay-dmz"}': [
        ['_', 2],
        [120, 8, 60],
        [540, 20],
        [1_800, 20, 60],
      ],
      'belay_network_polls_last_success_timestamp_seconds{job="belay", instance="1", task_queue="belay-office"}': [[0, 50, 60]],
    },
    quietAt: [4, 11, 32],
    firesAt: [17],
  },
  BelayTwoReleases: {
    series: {
      'belay_build_info{job="belay", component="worker", bundle="a", instance="1"}': [[1, 60]],
      'belay_build_info{job="belay", component="worker", bundle="b", instance="2"}': [
        ['_', 5],
        [1, 20],
        ['stale', 1],
      ],
      // The Slack process has none.
      'belay_build_info{job="belay", component="slack", bundle="", instance="3"}': [[1, 60]],
    },
    quietAt: [4, 15, 30],
    firesAt: [21],
  },
  BelayRunsUnread: {
    series: {
      'belay_runs_read_timestamp_seconds{job="belay", instance="slack"}': [
        [0, 5, 60],
        [240, 15],
        [1_200, 10, 60],
        // The process is gone, and another one starts.
        ['stale', 1],
        ['_', 9],
        [2_400, 10, 60],
      ],
    },
    quietAt: [4, 12, 21, 33, 41],
    firesAt: [16, 36],
  },
  BelayNonDeterminism: failures(taskFailed('NonDeterminismError'), 15, 1),
  BelayPayloadTooLarge: failures(taskFailed('GrpcMessageTooLarge'), 15, 1),
  BelayWorkflowTaskFailing: failures(taskFailed('WorkflowError'), 15, 5),
  BelayThrottled: failures(
    'temporal_request_failure_total{job="belay", operation="RespondActivityTaskCompleted", status_code="RESOURCE_EXHAUSTED"}',
    10,
    1,
  ),
  BelaySlowTasks: {
    series: slow('temporal_workflow_task_schedule_to_start_latency_seconds', '', '5', '10'),
    quietAt: [4, 34],
    firesAt: [14],
  },
  BelayTemporalSlow: {
    series: slow('temporal_request_latency_seconds', ', operation="RespondWorkflowTaskCompleted"', '2', '5'),
    quietAt: [4, 34],
    firesAt: [14],
  },
  BelaySlotsExhausted: {
    series: {
      'temporal_worker_task_slots_available{job="belay", instance="worker", worker_type="ActivityWorker"}': [
        [10, 5],
        [0, 6],
        [10, 10],
      ],
    },
    quietAt: [4, 6, 12],
    firesAt: [8],
  },
  BelaySlackAway: {
    series: {
      'belay_external_calls_total{job="belay", service="slack", operation="chat.postMessage", result="ok"}': [
        [0, 5, 1],
        [5, 30],
        [6, 20, 1],
      ],
      'belay_external_calls_total{job="belay", service="slack", operation="chat.postMessage", result="Unavailable"}': [
        ['_', 5],
        [1, 30, 1],
        [30, 20],
      ],
      // AWS, which answers, does not hide it.
      'belay_external_calls_total{job="belay", service="eks", operation="DescribeCluster", result="ok"}': [[0, 60, 1]],
    },
    quietAt: [4, 15, 37],
    firesAt: [25],
  },
  BelayRecordsFull: {
    series: {
      'belay_records_size_bytes{job="belay", instance="slack"}': [[1_000, 30]],
      'belay_records_bytes_free{job="belay", instance="slack"}': [
        [200, 5],
        [99, 5],
        [500, 10],
      ],
    },
    quietAt: [4, 5, 10],
    firesAt: [7],
  },
  BelayCertificateEnds: {
    series: {
      'belay_credential_ends_timestamp_seconds{job="belay", instance="worker", credential="api_key"}': [
        [1_209_600 + 300, 10],
        [2_000_000, 10],
      ],
    },
    quietAt: [4, 12],
    firesAt: [6],
  },
  BelayAuditBroken: {
    series: {
      'belay_audit_append_failures_total{job="belay", instance="worker", what="unwritten"}': [
        [0, 6],
        [1, 40],
      ],
      'belay_audit_append_failures_total{job="belay", instance="worker", what="altered"}': [[0, 46]],
    },
    quietAt: [4, 25],
    firesAt: [8],
  },
  BelayRunStuck: {
    series: {
      // Five steps of at most a minute.
      'belay_step_seconds_bucket{job="belay", phase="bake", outcome="completed", le="60"}': [[5, 60]],
      'belay_step_seconds_bucket{job="belay", phase="bake", outcome="completed", le="+Inf"}': [[5, 60]],
      'belay_step_seconds_count{job="belay", phase="bake", outcome="completed"}': [[5, 60]],
      // Of istio there are too few to say what is usual.
      'belay_step_seconds_bucket{job="belay", phase="istio", outcome="completed", le="60"}': [[1, 60]],
      'belay_step_seconds_bucket{job="belay", phase="istio", outcome="completed", le="+Inf"}': [[1, 60]],
      'belay_step_seconds_count{job="belay", phase="istio", outcome="completed"}': [[1, 60]],
      'belay_run_phase_seconds{job="belay", environment="e", cluster="prod", phase="bake", waiting_for=""}': [
        [0, 30, 60],
        ['stale', 1],
      ],
      'belay_run_phase_seconds{job="belay", environment="e", cluster="gate", phase="bake", waiting_for="before"}': [[0, 30, 60]],
      'belay_run_phase_seconds{job="belay", environment="e", cluster="few", phase="istio", waiting_for=""}': [[0, 60, 60]],
    },
    quietAt: [3, 17, 31],
    firesAt: [22],
  },
  BelayGuardDead: {
    series: {
      'belay_guard_last_look_timestamp_seconds{job="belay", cluster="prod"}': [
        [0, 5, 60],
        [240, 20],
        [1_500, 10, 60],
      ],
      'belay_guard_last_look_timestamp_seconds{job="belay", cluster="staging"}': [[0, 60, 60]],
    },
    quietAt: [14, 18, 26],
    firesAt: [21],
  },
  BelayRollbackClosing: {
    series: {
      'belay_rollback_closes_timestamp_seconds{job="belay", cluster="prod"}': [
        [86_400 + 300, 20],
        ['stale', 1],
      ],
      // Temporal has not answered for a while: what is over is not said as a time that is left.
      'belay_rollback_closes_timestamp_seconds{job="belay", cluster="over"}': [[-60, 60]],
    },
    quietAt: [4, 21],
    firesAt: [7],
  },
  BelayForcedUpgradeSoon: {
    series: {
      'belay_support_ends_timestamp_seconds{job="belay", cluster="prod", version="1.31", kind="extended"}': [
        [2_592_000 + 300, 10],
        ['stale', 1],
      ],
      'belay_support_ends_timestamp_seconds{job="belay", cluster="prod", version="1.31", kind="standard"}': [[-1, 10]],
    },
    quietAt: [4, 11],
    firesAt: [7],
  },
  BelayForcedUpgradeNow: {
    series: {
      'belay_support_ends_timestamp_seconds{job="belay", cluster="prod", version="1.31", kind="extended"}': [
        [604_800 + 300, 10],
        ['stale', 1],
      ],
      // Costs, and no upgrade of EKS's own.
      'belay_support_ends_timestamp_seconds{job="belay", cluster="staging", version="1.34", kind="standard"}': [[600, 10]],
    },
    quietAt: [4, 11],
    firesAt: [7],
  },
  BelaySlackUndelivered: {
    series: {
      'belay_slack_oldest_undelivered_seconds{job="belay"}': [
        [0, 2],
        [0, 20, 60],
        [0, 5],
      ],
    },
    quietAt: [7, 11, 23],
    firesAt: [14],
  },
  BelayGateOld: {
    series: {
      'belay_gate_waiting_seconds{job="belay", environment="production", gate="before"}': [
        [86_000, 5, 60],
        [86_460, 5, 60],
        ['stale', 1],
      ],
    },
    quietAt: [4, 11],
    firesAt: [6],
  },
  BelayCampaignStopped: {
    series: {
      // Two processes show it; a retry has it run again.
      'belay_campaign_rings{job="belay", instance="1", campaign="to-1-34", ring="prod", state="stopped"}': [
        ['_', 5],
        [1, 10],
        ['stale', 1],
      ],
      'belay_campaign_rings{job="belay", instance="2", campaign="to-1-34", ring="prod", state="stopped"}': [
        ['_', 6],
        [1, 9],
        ['stale', 1],
      ],
      'belay_campaign_rings{job="belay", instance="1", campaign="to-1-34", ring="canary", state="complete"}': [[1, 30]],
    },
    quietAt: [4, 5, 17],
    firesAt: [7, 14],
  },
  BelayCampaignUnwatched: {
    series: {
      // Looks until minute 5, again from minute 50 on; the other process has begun later, and knows of no look but the beginning.
      'belay_campaign_last_look_timestamp_seconds{job="belay", instance="1", campaign="to-1-34"}': [
        [0, 6, 60],
        [300, 44],
        [3_000, 20, 60],
      ],
      'belay_campaign_last_look_timestamp_seconds{job="belay", instance="2", campaign="to-1-34"}': [
        ['_', 20],
        [60, 50],
      ],
    },
    quietAt: [4, 35, 39, 51],
    firesAt: [42, 49],
  },
  BelayCampaignLate: {
    series: {
      'belay_campaign_finish_by_timestamp_seconds{job="belay", campaign="to-1-34"}': [
        [600, 20],
        ['stale', 1],
      ],
      'belay_campaign_finish_by_timestamp_seconds{job="belay", campaign="in-time"}': [[86_400, 30]],
    },
    quietAt: [9, 10, 21],
    firesAt: [11, 19],
  },
};

const directory = mkdtempSync(join(tmpdir(), 'belay-alerts-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function promtool(...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

/** Verdict of promtool on one alert of a rules file. */
function judged(rules: string, alert: string, { series, quietAt, firesAt }: Case): { status: number | null; said: string } {
  const firing = (minute: number, count: number) => ({
    expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
    eval_time: `${minute}m`,
    exp_samples: count === 0 ? [] : [{ labels: '{}', value: count }],
  });
  const file = join(directory, `${alert}.yaml`);
  const input_series = Object.entries(series).map(([name, runs]) => ({ series: name, values: values(runs) }));
  const promql_expr_test = [...quietAt.map((minute) => firing(minute, 0)), ...firesAt.map((minute) => firing(minute, 1))];
  writeFileSync(
    file,
    stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [{ interval: '1m', input_series, promql_expr_test }] }),
  );
  return promtool('test', 'rules', file);
}

test('O24: every alert has a case', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(
    rulesIn()
      .map(({ alert }) => alert)
      .toSorted(),
  );
});

describeWithPromtool('promtool', () => {
  const rules = join(root, RULES);

  test('reads the rules', () => {
    expect(promtool('check', 'rules', rules)).toMatchObject({ status: 0 });
  });

  test.each(Object.entries(CASES))('O24: %s fires and clears', (alert, one) => {
    const { status, said } = judged(rules, alert, one);
    expect([status, said]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  test('O24: an alert on a series that is spelt otherwise does not clear', () => {
    const misspelt = join(directory, 'misspelt-rules.yaml');
    writeFileSync(misspelt, textOf(RULES).replaceAll('poller_type="workflow_task"', 'poller_type="workflow_sticky_task"'));
    expect(judged(misspelt, 'BelayNoWorker', CASES['BelayNoWorker']!).status).not.toBe(0);
  });
});
