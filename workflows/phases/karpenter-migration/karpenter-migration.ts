/** Karpenter's objects to the API v1: the steps of its migration guides in their order, each looked at before and after, with people at every point of no return. */
import { Phase } from '../base/phase.ts';
import { releaseHold } from './freeze.ts';
import { MigrationWalk } from './walk.ts';
import { walkToV1 } from './to-v1.ts';
import { walkToV1beta1 } from './to-v1beta1.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';

export async function karpenterMigration(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const walk = new MigrationWalk(phase, paramsOf(input, 'karpenter-migration'));
    const lines: string[] = [];
    try {
      for (const leg of walk.params.legs) lines.push(...(leg === 'v1beta1' ? await walkToV1beta1(walk) : await walkToV1(walk)));
    } finally {
      await releaseHold(walk);
    }
    return { summary: 'Karpenter’s objects use API v1', evidence: [{ title: 'Karpenter’s API', lines }] };
  });
}
