/** A run that waits at a gate, for the census. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { condition, defineSignal, setHandler, upsertSearchAttributes } from '@temporalio/workflow';

export const asked = defineSignal<[string]>('asked');

export async function upgradeCluster(phase: string): Promise<void> {
  const set = (name: string, value: string): void => upsertSearchAttributes([{ key: defineSearchAttributeKey(name, 'KEYWORD'), value }]);
  setHandler(asked, (gate) => set('BelayWaitingFor', gate));
  set('BelayPhase', phase);
  await condition(() => false);
}
