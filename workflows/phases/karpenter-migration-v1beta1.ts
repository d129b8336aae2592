/** v1alpha5 → v1beta1. */
import type { MigrationWalk } from './karpenter-migration-walk.ts';

export async function walkToV1beta1(walk: MigrationWalk): Promise<string[]> {
  throw walk.failed('not built');
}
