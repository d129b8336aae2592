/** A rehearsal's report in which nothing has happened yet. */
import type { RehearsalReport } from '../../rehearsal/play/report.ts';

export const REHEARSAL_REPORT: RehearsalReport = {
  outcome: 'completed',
  scenario: 'dev-1',
  cluster: 'dev-1',
  from: '1.31',
  to: '1.32',
  workflowId: 'eks-upgrade/111122223333/eu-central-1/dev-1',
  wallSeconds: 10,
  worldSeconds: 3_000,
  steps: [],
  gates: [],
  mutations: [],
  killed: [],
  faults: [],
  leftBehind: [],
  unmet: [],
  historyEvents: 1,
  historyBytes: 1,
};
