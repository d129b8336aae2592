/** One line per upgrade: who decided is who closed a gate, each person once. */
import { expect, test } from '@jest/globals';
import type { GateState } from '../../../../domain/gates/gate.ts';
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
