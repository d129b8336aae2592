/** One line per upgrade: who decided is who closed a gate, each person once. */
import { expect, test } from 'vitest';
import type { GateState } from '../../../../domain/gates/gate.ts';
import { renderHistory } from '../../../../cli/render/history.ts';
import type { ForecastCompared } from '../../../../domain/run/forecasts/compare.ts';
import { pastRun } from '../../../../domain/run/record/history.ts';
import type { UpgradeReport } from '../../../../domain/run/record/status.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { at, gate } from '../durations/support.ts';

const decided = (id: string): GateState => gate(id, 'control-plane@1.33', 0, 5);

function report(decisions: GateState[], endedAt?: string): UpgradeReport {
  return {
    status: {
      workflowId: 'w',
      runId: 'r',
      cluster: CLUSTER,
      from: '1.32',
      to: '1.33',
      state: 'completed',
      headline: 'Done.',
      requestedBy: { kind: 'slack', id: 'U0RIN', name: 'Rin' },
      startedAt: at(0),
      ...(endedAt === undefined ? {} : { endedAt }),
      steps: [],
      gates: [],
      freeze: { state: 'none' },
      pauseRequested: false,
      revision: 1,
    },
    outcome: 'completed',
    decisions,
    leftBehind: [
      { what: 'NodePool default', why: 'gone', kept: false },
      { what: 'the canary node', why: 'wanted', kept: true },
    ],
  };
}

test('its forecast is told with how far off it was, and the list with how far off they usually are', () => {
  const compared: ForecastCompared = {
    snapshotTakenAt: at(-60),
    madeAt: at(-50),
    total: { forecast: { p50: 4_800_000, p90: 6_000_000 }, actualMs: 6_400_000, waitedMs: 0, within: false },
    steps: [
      {
        id: 'control-plane@1.33',
        title: 'Control plane',
        phase: 'control-plane',
        forecast: { p50: 600_000, p90: 720_000 },
        actualMs: 800_000,
        within: false,
      },
    ],
    blocked: { foreseen: [], notForeseen: [], notBlocked: [], unnamedCount: 0 },
    nodes: { forecast: { p50: 7, p90: 8 } },
  };
  const run = pastRun(report([], at(90)), compared);
  const errors = { total: 0.25, phases: { 'control-plane': 0.25 } };
  expect(run.forecast).toEqual({ within: false, p50Ms: 4_800_000, p90Ms: 6_000_000, errors });
  expect(
    renderHistory([run, pastRun(report([], at(90)))])
      .split('\n')
      .slice(-2),
  ).toEqual(['', 'Forecasts were off by 25 % in total, control-plane 25 % (median of 1 upgrade).']);
  expect(pastRun(report([], at(90)), { ...compared, another: 'pace 1' }).forecast).not.toHaveProperty('errors');
  expect(renderHistory([pastRun(report([], at(90)))])).not.toContain('Forecast');
});

test('a gate that expired or was taken back was decided by nobody', () => {
  const { gate: definition, votes } = decided('G#3');
  const expired: GateState = { kind: 'expired', gate: definition, votes, at: at(9) };
  expect(pastRun(report([decided('G#1'), decided('G#2'), expired], at(90)))).toEqual({
    from: '1.32',
    to: '1.33',
    outcome: 'completed',
    headline: 'Done.',
    requestedBy: 'Rin',
    startedAt: at(0),
    endedAt: at(90),
    durationMs: 5_400_000,
    decidedBy: ['U0SAM'],
    notRestoredCount: 1,
  });
  expect(pastRun(report([expired]))).toMatchObject({ decidedBy: [], durationMs: undefined });
});
