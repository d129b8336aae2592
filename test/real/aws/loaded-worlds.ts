/** A sample cluster, and a world that was loaded from its snapshot: unmodified clients are asked of both. */
import { join } from 'node:path';
import { readSnapshotFile } from '../../../activities/observe/snapshot/read-file.ts';
import { snapshotScenario } from '../../../rehearsal/scenarios/snapshot/index.ts';
import { SAMPLES } from '../../rehearsal/snapshot/sample-worlds.ts';
import { type CheckGround, openTwinGround } from '../../support/check-ground.ts';
import { takeFrom } from '../../support/snapshots.ts';
import { printed } from './twin.ts';

export interface LoadedWorlds {
  /** What a program prints of the source, and of the loaded world. Rejects with what it says on stderr. */
  both(program: string, ...args: string[]): Promise<[source: string, loaded: string]>;
  close(): Promise<void>;
}

export async function openLoadedWorlds(): Promise<LoadedWorlds> {
  const { shop } = SAMPLES;
  if (shop === undefined) throw new Error('there is no sample shop');
  const source = await openTwinGround(shop);
  const file = join(source.directory, 'shop.snapshot.gz');
  await takeFrom(source, file);
  const loaded = await openTwinGround(snapshotScenario(await readSnapshotFile(file), shop.to));
  const of = ({ env }: CheckGround, program: string, args: string[]): Promise<string> =>
    printed(program, args, { ...env, AWS_DEFAULT_REGION: env['AWS_REGION'], TZ: 'UTC' });
  return {
    both: async (program, ...args) => [await of(source, program, args), await of(loaded, program, args)],
    async close() {
      await Promise.all([source.close(), loaded.close()]);
    },
  };
}
