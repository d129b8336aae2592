/** EKS updates take minutes: what the resource was before goes with the update's id to whoever watches it to its end. */
import { z } from 'zod';
import type { AwsClients } from '../aws/clients.ts';
import { beat, lastHeartbeat } from '../../runtime/context.ts';
import { nameOf } from '../aws/eks-api.ts';
import { noteDifferences } from './recorder.ts';
import { readView, type View } from './views.ts';
import { type ClusterRef, eksNameOf } from '../../../domain/core/cluster-ref.ts';
import type { UpdateResource } from '../../contract/eks.ts';

const Beat = z.object({ kind: z.literal('before'), view: z.record(z.string(), z.unknown()) });

/** Right before the request is sent; kept for the attempt that finds the update running because its answer was lost. */
export async function keepBefore(aws: AwsClients, ref: ClusterRef, resource: UpdateResource): Promise<View | undefined> {
  const earlier = beforeOfEarlierAttempt();
  if (earlier !== undefined) return earlier;
  const view = await readView(aws, ref, resource);
  if (view !== undefined) beat({ kind: 'before', view });
  return view;
}

export function beforeOfEarlierAttempt(): View | undefined {
  const known = Beat.safeParse(lastHeartbeat());
  return known.success ? known.data.view : undefined;
}

/** What an update of each kind is meant to change. */
const DECLARED: Record<UpdateResource['kind'], readonly (readonly string[])[]> = {
  cluster: [['version']],
  'node-group': [['version']],
  'add-on': [['addonVersion']],
};

/** `before`: as `keepBefore` saw it. `logs`: control-plane logs were meant to change, and no version. */
export async function compareAfter(
  aws: AwsClients,
  ref: ClusterRef,
  resource: UpdateResource,
  { before, logs }: { before: View; logs?: boolean },
): Promise<void> {
  const after = await readView(aws, ref, resource);
  const name = resource.kind === 'cluster' ? ref.name : resource.name;
  noteDifferences({
    resource: { eks: resource.kind, cluster: eksNameOf(ref), region: ref.region, name },
    during: `the update of ${nameOf(ref, resource)}`,
    before,
    after: after ?? {},
    declared: logs === true ? [['logging']] : DECLARED[resource.kind],
  });
}
