/** Other clusters of a scenario's account: worlds of their own behind API servers of their own, which Belay reads and never changes. */
import { randomBytes } from 'node:crypto';
import { serveKubernetes } from './cluster-side.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { small } from '../../scenarios/small.ts';
import { buildWorld } from '../../world/build.ts';
import type { World } from '../../world/world.ts';

export interface Neighbours {
  worlds: World[];
  close(): Promise<void>;
}

/** In the same region, at the same world time, and at the same speed. Nothing moves there: what runs, runs on. */
export async function startNeighbours(scenario: Scenario, speed: number): Promise<Neighbours> {
  const servers = await Promise.all((scenario.neighbours ?? []).map((neighbour) => startOne(scenario, neighbour, speed)));
  return {
    worlds: servers.map(({ world }) => world),
    close: async () => void (await Promise.all(servers.map(({ server }) => server.close()))),
  };
}

async function startOne({ cluster, startsAt }: Scenario, neighbour: Neighbour, speed: number) {
  const { name, environment, version } = neighbour;
  const scenario: Scenario = {
    ...small,
    name,
    cluster: { ...cluster, name },
    environment,
    from: version,
    to: version,
    startsAt,
    build: (world) => neighbour.build(world),
  };
  const { world } = buildWorld({ scenario, speed });
  const server = await serveKubernetes({ world, scenario }, randomBytes(24).toString('hex'));
  Object.assign(world.eks.cluster, { endpoint: server.url, caData: server.caData });
  return { world, server };
}

type Neighbour = NonNullable<Scenario['neighbours']>[number];
