/** A stale apply of Terraform: it asks EKS for the version before, which EKS takes for the wish to go back. */
import { minorOf } from '../../aws/eks/catalogue.ts';
import { beginForeignUpdate } from './foreign-update.ts';
import type { World } from '../world.ts';

/** Does EKS take the control plane back, or has it, since somebody's apply asked for it? */
export function wentBack({ eks, faults }: World): boolean {
  const struck = faults.orders.some(({ name }) => name === 'terraform:stale-apply');
  return struck && eks.updates.some(({ type, status }) => type === 'VersionRollback' && status !== 'Failed');
}

/** Nothing where the control plane has not moved up yet: then Terraform has nothing to change. */
export function applyStale(world: World): undefined {
  const {
    eks: { cluster, updates },
    journal,
  } = world;
  const version = `1.${minorOf(cluster.version) - 1}`;
  const hasMoved = updates.some(
    ({ type, status, params }) =>
      type === 'VersionUpdate' &&
      status === 'Successful' &&
      params.some((param) => param.type === 'Version' && param.value === cluster.version),
  );
  if (!hasMoved) return void journal.tell(`terraform apply: version = "${cluster.version}" is what the cluster has; no changes`);
  const id = beginForeignUpdate(world, 'VersionRollback', version);
  journal.tell(`a stale terraform apply asks for version = "${version}": EKS takes the control plane back (update ${id})`);
  return undefined;
}
