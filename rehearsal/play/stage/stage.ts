/** The stand-ins, all up: a scenario's world behind AWS, Kubernetes, Slack and Prometheus on 127.0.0.1. */
import { keepPoolHashes } from '../../controllers/karpenter/pool-hash.ts';
import { type ClusterSideOptions, startClusterSide } from './cluster-side.ts';
import { type AwsServer, startAwsServer } from '../../aws/eks/server.ts';
import { startChartRepository } from '../../neighbours/helm/repository.ts';
import { followSlackFaults } from '../../world/faults/apis/slack-down.ts';
import { startCommand } from './names.ts';
import { startNeighbours } from './neighbours.ts';
import { rightsOf, takePart } from './taking-part.ts';
import { type SlackStandIn, startSlackServer } from '../../neighbours/slack/server.ts';
import type { BuiltWorld } from '../../world/build.ts';
import type { World } from '../../world/world.ts';

export interface Stage {
  built: BuiltWorld;
  /** Other clusters of belay.yaml. */
  neighbours: readonly World[];
  aws: AwsServer;
  kubernetes: { url: string; caData: string };
  slack: SlackStandIn;
  prometheusUrl: string;
  /** Where the charts are, where the scenario's Istio or Karpenter is managed by Helm. */
  chartRepository?: string;
  /** For people's kubeconfigs. */
  kubernetesToken: string;
  close(): Promise<void>;
}

export interface StageOptions extends ClusterSideOptions {
  pagePort?: number;
  temporalUi: () => string | undefined;
  /** A Slack stand-in that outlives this stage; one of its own by default. */
  slack?: SlackStandIn;
}

/** World time runs from the return on. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const { scenario, speed } = options;
  const cluster = await startClusterSide(options);
  const { built, kubernetes, kubernetesToken, prometheusUrl } = cluster;
  const { world } = built;
  keepPoolHashes(world);
  const now = (): Date => world.clock.now();
  world.eks.cluster.endpoint = kubernetes.url;
  world.eks.cluster.caData = kubernetes.caData;
  const neighbours = await startNeighbours(scenario, speed);
  const aws = await startAwsServer({ world, neighbours: neighbours.worlds, forbidden: rightsOf(() => scenario.settings ?? {}) });
  built.owners.connect(aws.url);
  const { istio, karpenter } = scenario.managedBy;
  const charts = istio === 'helm' || karpenter === 'helm' ? await startChartRepository(cluster.charts) : undefined;
  const slack =
    options.slack ??
    (await startSlackServer({
      journal: world.journal,
      now,
      port: options.pagePort,
      temporalUi: options.temporalUi,
      suggestion: startCommand(scenario),
      scene: { title: scenario.title, description: scenario.description, speed },
    }));
  const leave = takePart(slack, built);
  slack.setFates(world.faults);
  followSlackFaults(built.world, slack);
  built.start();
  return {
    built,
    neighbours: neighbours.worlds,
    aws,
    kubernetes,
    slack,
    prometheusUrl,
    ...(charts === undefined ? {} : { chartRepository: charts.url }),
    kubernetesToken,
    async close() {
      built.stop();
      slack.setFates(undefined);
      leave();
      if (slack !== options.slack) await slack.close();
      await Promise.all([aws.close(), charts?.close()]);
      await Promise.all([cluster.close(), neighbours.close()]);
    },
  };
}
