/** EKS operations that read Pod Identity associations. Shapes as in botocore's data/eks/2017-11-01. */
import type { World } from '../../world/world.ts';
import { notFound } from './errors.ts';
import { type Call, pageOf } from './http.ts';
import { addOnAssociationId, associationArn } from './render.ts';
import { requireCluster } from './updates.ts';

interface Association {
  id: string;
  namespace: string;
  serviceAccount: string;
  roleArn: string;
}

/** Of pods, and of add-ons: those belong to the add-on. */
const associationsOf = ({ eks }: World): Association[] => [
  ...eks.controllerRoles.flatMap(({ arn, association }) => (association === undefined ? [] : [{ ...association, roleArn: arn }])),
  ...eks.addOns.flatMap(({ name, podIdentityAssociations = [] }) =>
    podIdentityAssociations.map((each) => ({ ...each, id: addOnAssociationId(name, each), namespace: 'kube-system' })),
  ),
];

export function listPodIdentityAssociations(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const [namespace, account] = [query.get('namespace'), query.get('serviceAccount')];
  const wanted = associationsOf(world).filter(
    (each) => (namespace === null || each.namespace === namespace) && (account === null || each.serviceAccount === account),
  );
  const { items, nextToken } = pageOf(wanted, query);
  return { associations: items.map((each) => summary(world, each)), nextToken };
}

export function describePodIdentityAssociation(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const found = associationsOf(world).find(({ id }) => id === path[1]);
  if (found === undefined) throw notFound(`Association not found: ${path[1]}`, { clusterName: path[0] });
  return { association: { ...summary(world, found), roleArn: found.roleArn, tags: {} } };
}

function summary({ eks }: World, { id, namespace, serviceAccount }: Association): Record<string, unknown> {
  return { clusterName: eks.cluster.name, namespace, serviceAccount, associationArn: associationArn(eks, id), associationId: id };
}
