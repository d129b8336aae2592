/** Requests that change something: once per clientRequestToken, and in the journal before they are answered. */
import { randomUUID } from 'node:crypto';
import { liesAbout } from '../../world/faults/lies.ts';
import { stableJson } from '../../kubernetes/json.ts';
import type { World } from '../../world/world.ts';
import { AwsError, invalidParameter } from './errors.ts';
import { text } from './http.ts';
import { renderUpdate } from './render.ts';
import type { EksUpdate, UpdateResource } from './state.ts';

type Answer = Record<string, unknown>;

export interface Mutation {
  operation: string;
  resource: UpdateResource;
  body: Record<string, unknown>;
}

const resourceName = (resource: UpdateResource): string => {
  if (resource.kind === 'cluster') return 'cluster';
  return `${{ 'node-group': 'nodegroup', 'add-on': 'addon', capability: 'capability' }[resource.kind]}/${resource.name}`;
};

/** The update of a cluster, node group or add-on that has not ended: EKS allows one at a time. */
export function runningUpdate(world: World, resource: UpdateResource): EksUpdate | undefined {
  const name = resourceName(resource);
  return world.eks.updates.find((update) => update.status === 'InProgress' && resourceName(update.resource) === name);
}

/** Answers by token, of requests that were accepted. */
const answered = new WeakMap<World, Map<string, { request: string; answer: () => Answer }>>();

/**
 * Carries a request out by its clientRequestToken: the same token with the same request answers what it made before, as that is now; with another
 * request it is refused. A replay is not in the journal, since it changes nothing.
 */
export async function once(
  world: World,
  mutation: Mutation,
  act: (token: string | undefined) => { answer: () => Answer; detail?: Record<string, unknown> },
): Promise<Answer> {
  const { clientRequestToken: _token, ...rest } = mutation.body;
  const token = text(mutation.body, 'clientRequestToken');
  const request = stableJson([mutation.operation, mutation.resource, rest]);
  const known = answered.get(world) ?? new Map<string, { request: string; answer: () => Answer }>();
  answered.set(world, known);
  const journalled = { api: 'eks' as const, operation: mutation.operation, resource: resourceName(mutation.resource), token, detail: rest };
  try {
    const earlier = token === undefined || liesAbout(world, 'eks', 'token-forgotten') ? undefined : known.get(token);
    if (earlier !== undefined) {
      if (earlier.request !== request) throw invalidParameter('The clientRequestToken was already used with different request parameters.');
      return earlier.answer();
    }
    const { answer, detail } = act(token);
    if (token !== undefined) known.set(token, { request, answer });
    await world.journal.record({ ...journalled, accepted: true, detail: { ...rest, ...detail } });
    return answer();
  } catch (error) {
    if (error instanceof AwsError) await world.journal.record({ ...journalled, accepted: false, error: error.code });
    throw error;
  }
}

/** As `once`, for requests that begin an update. `begin` checks and begins; it throws AwsError to refuse. */
export function mutate(
  world: World,
  mutation: Mutation & { begin(): Pick<EksUpdate, 'type' | 'params'> & Partial<EksUpdate> },
): Promise<Answer> {
  return once(world, mutation, (token) => {
    const update: EksUpdate = {
      id: randomUUID(),
      resource: mutation.resource,
      status: 'InProgress',
      createdAtMs: world.clock.nowMs(),
      errors: [],
      token,
      ...mutation.begin(),
    };
    world.eks.updates.push(update);
    return { answer: () => ({ update: renderUpdate(update) }), detail: { updateId: update.id } };
  });
}
