/** What Flux and Argo CD do to the cluster with a chart's version, and whether it has come to rest. */
import { imageVersion } from '../../kubernetes/pods.ts';
import type { World } from '../../world/world.ts';
import { type ChartValues, karpenterDeployment, rollDefinitions, rollKarpenter } from '../karpenter/release.ts';

/** Charts that the twin knows; others change nothing that it shows. Returns why the API server refuses it, where it does. */
export function install(world: World, chart: string, version: string, values: ChartValues = {}): string | undefined {
  if (chart === 'karpenter') rollKarpenter(world, version, values);
  return chart === 'karpenter-crd' ? rollDefinitions(world, version, values) : undefined;
}

/** Every pod is new and Ready. */
export function isRolledOut(world: World, chart: string): boolean {
  const deployment = chart === 'karpenter' ? karpenterDeployment(world) : undefined;
  if (deployment === undefined) return true;
  const { spec, status = {}, metadata } = deployment;
  return (
    status.observedGeneration === metadata.generation && status.updatedReplicas === spec.replicas && status.readyReplicas === spec.replicas
  );
}

/** Does the cluster run another version than was delivered, since somebody changed it by hand? */
export function differs(world: World, chart: string, version: string): boolean {
  const deployment = chart === 'karpenter' ? karpenterDeployment(world) : undefined;
  const controller = deployment?.spec.template.spec.containers.find(({ name }: { name: string }) => name === 'controller');
  return controller !== undefined && imageVersion(controller.image) !== version;
}
