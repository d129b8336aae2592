/** Faults of AWS requests, for the server of the AWS stand-in. */
import type { ServerResponse } from 'node:http';
import { minorOf } from '../../../aws/eks/catalogue.ts';
import { clusterArn } from '../../../aws/eks/render.ts';
import type { World } from '../../world.ts';
import type { Fate } from '../fates.ts';
import { suffer } from '../suffer.ts';

/** `action` as IAM names it. */
export interface AwsCall {
  action: string;
  method: string;
  path: string;
}

type Body = Record<string, unknown>;

/** Serves under the faults in force; undefined: nobody must answer. `refusal` makes the service's own error. */
export async function sufferAws(
  world: World,
  call: AwsCall,
  response: ServerResponse,
  refusal: (fate: Extract<Fate, { kind: 'refuse' }>) => Error,
  serve: () => Body | Promise<Body>,
): Promise<Body | undefined> {
  const operation = call.action.replace(/^eks:/, '');
  const mutates = /^(Update|Create|Delete)/.test(operation);
  const fate = world.faults.meet({ api: 'eks', operation, resource: call.path, mutates });
  const body = await suffer(fate, response, refusal, serve);
  return body !== undefined && operation === 'DescribeCluster' ? ofOtherAccount(world, lagging(world, body)) : body;
}

/** The world as another account's credentials see it, where a fault says so. */
export function asSeenBySts(world: World): World {
  if (!world.faults.inForce('eks:wrong-account')) return world;
  return { ...world, eks: { ...world.eks, cluster: { ...world.eks.cluster, account: '999988887777' } } };
}

/** Whose credentials are another account's sees that account's cluster of the same name. */
function ofOtherAccount(world: World, body: Body): Body {
  if (!world.faults.inForce('eks:wrong-account')) return body;
  return { ...body, cluster: { ...(body['cluster'] as Body), arn: clusterArn(asSeenBySts(world).eks) } };
}

/** After a successful update the cluster is still said to be UPDATING at its old version, as eventual consistency has it. */
function lagging(world: World, body: Body): Body {
  const order = world.faults.orders.find(({ name }) => name === 'eks:not-active');
  if (order === undefined || !world.faults.inForce('eks:not-active')) return body;
  const ended = world.eks.updates.findLast(
    ({ type, status, resource }) => type === 'VersionUpdate' && status === 'Successful' && resource.kind === 'cluster',
  );
  if (ended?.endedAtMs === undefined || world.clock.nowMs() - ended.endedAtMs >= (order.delayMs ?? 0)) return body;
  const version = `1.${minorOf(world.eks.cluster.version) - 1}`;
  return { ...body, cluster: { ...(body['cluster'] as Body), version, status: 'UPDATING' } };
}
