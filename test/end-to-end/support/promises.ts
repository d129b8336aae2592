/** Product promises as expectations on the twin's own objects: what was changed for the run's sake is restored, or kept on purpose and said. */
import { expect } from 'vitest';
import { kubeletMinor } from '../../../rehearsal/controllers/nodes.ts';
import type { KubeObject } from '../../../rehearsal/kubernetes/store.ts';
import type { LeftBehind } from '../../../rehearsal/world/left-behind.ts';
import type { Play } from './play.ts';
import { eventually } from '../../support/eventually.ts';

const FREEZE = /"nodes":"0","reasons":\[[^\]]*"Drifted"/;

export const karpenterNodes = ({ world }: Pick<Play, 'world'>): KubeObject[] =>
  world.store.list('nodes').filter((node) => node.metadata.labels?.['karpenter.sh/nodepool'] !== undefined);

/** Nodes of Karpenter that Karpenter has replaced or begun to replace. */
export const replacements = ({ world }: Pick<Play, 'world'>): string[] =>
  world.journal.events.map(({ text }) => text).filter((text) => /^Karpenter (replaces|removes)/.test(text));

/** Nothing differs from before, on the cluster and in the run's own account of it. */
export async function expectRestored(play: Play): Promise<void> {
  await eventually(
    `nothing is left behind, but there is ${JSON.stringify(play.stage.built.diff())}`,
    () => play.stage.built.diff().length === 0,
    10_000,
  ).catch(() => undefined);
  expect(play.stage.built.diff()).toEqual([]);
}

/** The freeze, and only the freeze, stands; Karpenter's lagging nodes stay. The thread says so. */
export async function expectKept(play: Play): Promise<void> {
  await eventually('only the freeze is left', () => play.stage.built.diff().every(isFreeze), 10_000).catch(() => undefined);
  const left = play.stage.built.diff();
  expect(left.filter((one) => !isFreeze(one))).toEqual([]);
  const pools = play.world.store.list('nodepools').map(({ metadata }) => `nodepools/${metadata.name}`);
  expect(left.filter(({ kind, after }) => kind === 'budgets' && FREEZE.test(after ?? '')).map(({ resource }) => resource)).toEqual(pools);
  expect(left.map(({ what }) => what)).toContain('belay.dev/budgets-before is still there');
  expect(karpenterNodes(play).some((node) => kubeletMinor(node) === play.scenario.from)).toBe(true);
  await play.says(/The drift freeze is KEPT: .+\. Lifting it now would replace every one of these nodes/);
}

/** What the run itself says was left: nothing. */
export function expectReportsNothing(play: Play): void {
  expect(play.record().leftBehind).toEqual([]);
}

/** What the run itself says was left: the freeze, on purpose. */
export function expectReportsKept(play: Play): void {
  expect(play.record().leftBehind).toEqual([{ what: 'Karpenter drift freeze', why: expect.stringMatching(/\S/), kept: true }]);
}

/** EKS cannot stop an update: it was watched to its end, although the run was being stopped. */
export async function expectWatchedToItsEnd(play: Play): Promise<void> {
  const [update] = play.controlPlaneUpdates();
  expect(play.controlPlaneUpdates()).toHaveLength(1);
  const step = await eventually('the step of the control plane has closed', async () => {
    const seen = await play.step('control-plane');
    return seen?.closeTime !== undefined && seen;
  });
  expect(step.status.name).toBe('COMPLETED');
  expect(update?.status).toBe('Successful');
  expect(update?.endedAtMs).toBeLessThanOrEqual(play.worldMs(step.closeTime ?? new Date()));
}

function isFreeze({ kind, resource }: LeftBehind): boolean {
  return resource.startsWith('nodepools/') && (kind === 'budgets' || kind === 'annotation');
}
