/** An upgrade within maintenance windows, by the world's own clock. */
import { expect, test } from 'vitest';
import { maintenanceWindow } from '../../rehearsal/scenarios/maintenance-window.ts';
import { rehearsed } from './support/rehearsal.ts';

const WINDOWS = maintenanceWindow.settings?.windows?.maintenance ?? [];

/** "18:00" to "04:00" goes over midnight. */
function isOpen(at: string): boolean {
  const time = at.slice(11, 16);
  return WINDOWS.some(({ start, end }) => (start < end ? start <= time && time < end : start <= time || time < end));
}

test('P1, P2: what changes AWS begins in a window and nowhere else; the run waits without anybody and completes', async () => {
  const run = await rehearsed({ scenario: 'maintenance-window' });
  const { report } = run;
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  const changes = report.mutations.filter(({ operation, accepted }) => operation.startsWith('Update') && accepted);
  expect(changes.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['UpdateClusterVersion', 'UpdateNodegroupVersion']));
  expect(changes.filter(({ at }) => !isOpen(at))).toEqual([]);
  const parked = report.gates.filter(({ id }) => id.startsWith('window:'));
  expect(parked.map(({ choice }) => choice)).toEqual(parked.map(() => 'withdrawn'));
  expect(parked.length).toBeGreaterThan(0);
}, 720_000);
