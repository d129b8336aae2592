/** Several clusters at once: each a world of its own behind its own API server and Prometheus, all behind one AWS and one Slack. */
import { keepPoolHashes } from '../../controllers/karpenter/pool-hash.ts';
import { type AwsServer, startAwsServer } from '../../aws/eks/server.ts';
import { type ClusterSide, startClusterSide } from './cluster-side.ts';
import { rightsOf, takePart } from './taking-part.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { type SlackStandIn, startSlackServer } from '../../neighbours/slack/server.ts';
import type { WorldClock } from '../../world/clock.ts';
import { Journal } from '../../world/journal.ts';
import { PacedClock } from '../../world/paced-clock.ts';

export interface FleetStage {
  /** In the order of the scenarios. */
  clusters: readonly ClusterSide[];
  /** World time of all of them. */
  clock: WorldClock;
  aws: AwsServer;
  slack: SlackStandIn;
  close(): Promise<void>;
}

export interface FleetStageOptions {
  /** All begin at the same date. */
  scenarios: readonly [Scenario, ...Scenario[]];
  speed: number;
  pagePort?: number;
  /** What the empty channel proposes to type. */
  suggestion: string;
  temporalUi: () => string | undefined;
}

/** World time runs from the return on. */
export async function setFleetStage({ scenarios, speed, pagePort, suggestion, temporalUi }: FleetStageOptions): Promise<FleetStage> {
  const [first] = scenarios;
  const clock = new PacedClock({ startsAt: first.startsAt, speed });
  const clusters: ClusterSide[] = [];
  for (const scenario of scenarios) clusters.push(await startClusterSide({ scenario, speed, faults: [], among: { clock } }));
  const worlds = clusters.map(({ built: { world } }) => world);
  const [home, ...neighbours] = worlds;
  if (home === undefined) throw new Error('a fleet has a cluster at least');
  const settings = new Map(worlds.map((world, index) => [world, scenarios[index]?.settings ?? {}]));
  const aws = await startAwsServer({ world: home, neighbours, forbidden: rightsOf((world) => settings.get(world) ?? {}) });
  const journal = new Journal(() => clock.now());
  const slack = await startSlackServer({
    journal,
    now: () => clock.now(),
    port: pagePort,
    temporalUi,
    suggestion,
    scene: {
      title: `${scenarios.length} clusters`,
      description: 'A fleet in rings, from development to production.',
      speed,
      story: 'What happens in the clusters',
    },
  });
  const leaves = clusters.map((cluster) => enter(cluster, { aws, slack, journal }));
  return {
    clusters,
    clock,
    aws,
    slack,
    async close() {
      for (const leave of leaves) leave();
      clock.close();
      await Promise.all([slack.close(), aws.close()]);
      await Promise.all(clusters.map((cluster) => cluster.close()));
    },
  };
}

/** `journal`: of all of them, for the page. */
function enter(
  { built, kubernetes }: ClusterSide,
  { aws, slack, journal }: { aws: AwsServer; slack: SlackStandIn; journal: Journal },
): () => void {
  const { world } = built;
  Object.assign(world.eks.cluster, { endpoint: kubernetes.url, caData: kubernetes.caData });
  keepPoolHashes(world);
  built.owners.connect(aws.url);
  const leave = takePart(slack, built);
  const unwatch = world.journal.onTold((text) => journal.tell(`${built.scenario.cluster.name}: ${text}`));
  built.start();
  return () => {
    built.stop();
    unwatch();
    leave();
  };
}
