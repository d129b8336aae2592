/** EKS operations that read Pod Identity associations. Shapes as in botocore's data/eks/2017-11-01. */
import type { World } from '../world/world.ts';
import { notFound } from './errors.ts';
import { type Call, pageOf } from './http.ts';
import type { ControllerRole } from './state.ts';
import { requireCluster } from './updates.ts';

type Association = ControllerRole & { association: NonNullable<ControllerRole['association']> };

const associationsOf = (world: World): Association[] =>
  world.eks.controllerRoles.flatMap((role) => (role.association === undefined ? [] : [{ ...role, association: role.association }]));

export function listPodIdentityAssociations(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const [namespace, account] = [query.get('namespace'), query.get('serviceAccount')];
  const wanted = associationsOf(world).filter(
    ({ association }) =>
      (namespace === null || association.namespace === namespace) && (account === null || association.serviceAccount === account),
  );
  const { items, nextToken } = pageOf(wanted, query);
  return { associations: items.map((each) => summary(world, each)), nextToken };
}

export function describePodIdentityAssociation(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const found = associationsOf(world).find(({ association }) => association.id === path[1]);
  if (found === undefined) throw notFound(`Association not found: ${path[1]}`, { clusterName: path[0] });
  return { association: { ...summary(world, found), roleArn: found.arn, tags: {} } };
}

function summary({ eks }: World, { association: { id, namespace, serviceAccount } }: Association): Record<string, unknown> {
  const { name, region, account } = eks.cluster;
  return {
    clusterName: name,
    namespace,
    serviceAccount,
    associationArn: `arn:aws:eks:${region}:${account}:podidentityassociation/${name}/${id}`,
    associationId: id,
  };
}
