/** What Flux and Argo CD do to the cluster with a chart's version and values, and whether it has come to rest. */
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import {
  installRevision,
  ISTIO_NAMESPACE,
  partsOfRevision,
  patchOfIstio,
  removeRevision,
  setDefaultValidator,
} from '../istio/revisions.ts';
import { karpenterDeployment, rollDefinitions, rollKarpenter } from '../karpenter/release.ts';

export interface Chart {
  name: string;
  version: string;
  values: Record<string, unknown>;
  /** Leaves the tool's marks on what belongs to the chart. */
  mark: (object: KubeObject) => void;
}

/** DaemonSets by their charts. */
const AGENTS: Record<string, string> = { cni: 'istio-cni-node', ztunnel: 'ztunnel' };
/** Those with the image of a chart's version. */
const CONTAINERS = ['controller', 'discovery', 'install-cni', 'istio-proxy'];
const DEFAULT_VALIDATOR = 'istiod-default-validator';

/** A value that a chart has as text; `default` where it is silent. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'default');

const revisionOf = ({ values }: Chart): string => textOf(values['revision']);
const istiodOf = (revision: string): string => (revision === 'default' ? 'istiod' : `istiod-${revision}`);

/** "~1.28.0" is its newest patch; everything else stays as it is. */
export function resolved(version: string): string {
  const minor = /^~(\d+\.\d+)\.0$/.exec(version)?.[1];
  return minor === undefined ? version : patchOfIstio(minor);
}

/** Charts that the twin knows; others change nothing that it shows. Returns why the API server refuses it, where it does. */
export function install(world: World, chart: Chart): string | undefined {
  const { name, version, values } = chart;
  if (name === 'karpenter') rollKarpenter(world, version, values);
  const refused = name === 'karpenter-crd' ? rollDefinitions(world, version, values) : undefined;
  if (refused !== undefined) return refused;
  if (name === 'base') setDefaultValidator(world, textOf(chart.values['defaultRevision']));
  if (name === 'istiod') installIstiod(world, chart);
  const agent = AGENTS[name];
  if (agent !== undefined) rollImages(world, 'daemonsets', agent, agentImage(chart));
  mark(world, chart);
  return undefined;
}

function installIstiod(world: World, chart: Chart): void {
  const revision = revisionOf(chart);
  const image = (chart.values['pilot'] as { tag?: string } | undefined)?.tag ?? chart.version;
  installRevision(world, { revision, version: image });
  rollImages(world, 'deployments', istiodOf(revision), image);
}

/** A tag in its values wins over the chart's. */
function agentImage({ version, values }: Chart): string {
  const global = values['global'] as { tag?: string } | undefined;
  return textOf(values['tag'] ?? global?.tag ?? version);
}

function rollImages(world: World, plural: string, name: string, version: string): void {
  if (world.store.get(plural, name, ISTIO_NAMESPACE) === undefined) return;
  world.store.update(plural, name, ISTIO_NAMESPACE, (copy) => {
    for (const container of copy.spec.template.spec.containers) container.image = container.image.replace(/:[^:]*$/, `:${version}`);
  });
}

/** What the chart has installed, in the twin. */
function partsOf(world: World, chart: Chart): { plural: string; object: KubeObject }[] {
  const of = (plural: string, object: KubeObject | undefined) => (object === undefined ? [] : [{ plural, object }]);
  if (chart.name === 'base')
    return of('validatingwebhookconfigurations', world.store.get('validatingwebhookconfigurations', DEFAULT_VALIDATOR));
  const agent = AGENTS[chart.name];
  if (agent !== undefined) return of('daemonsets', world.store.get('daemonsets', agent, ISTIO_NAMESPACE));
  if (chart.name !== 'istiod') return [];
  return partsOfRevision(world, revisionOf(chart)).filter(
    ({ object: { metadata } }) => metadata.labels?.['istio.io/tag'] === undefined && metadata.name !== DEFAULT_VALIDATOR,
  );
}

function mark(world: World, chart: Chart): void {
  for (const { plural, object } of partsOf(world, chart))
    world.store.update(plural, object.metadata.name, object.metadata.namespace, chart.mark);
}

/** What the chart has installed goes. The twin's Karpenter and CRDs stay: no scenario removes them. */
export function uninstall(world: World, chart: Chart): void {
  if (chart.name === 'istiod') removeRevision(world, revisionOf(chart));
}

function workloadOf(world: World, chart: Chart): KubeObject | undefined {
  if (chart.name === 'karpenter') return karpenterDeployment(world);
  const agent = AGENTS[chart.name];
  if (agent !== undefined) return world.store.get('daemonsets', agent, ISTIO_NAMESPACE);
  return chart.name === 'istiod' ? world.store.get('deployments', istiodOf(revisionOf(chart)), ISTIO_NAMESPACE) : undefined;
}

/** Every pod is new and Ready. */
export function isRolledOut(world: World, chart: Chart): boolean {
  const workload = workloadOf(world, chart);
  if (workload === undefined) return true;
  const { spec, status = {}, metadata, kind } = workload;
  const wanted = kind === 'DaemonSet' ? status.desiredNumberScheduled : spec.replicas;
  const [updated, ready] =
    kind === 'DaemonSet' ? [status.updatedNumberScheduled, status.numberReady] : [status.updatedReplicas, status.readyReplicas];
  return status.observedGeneration === metadata.generation && updated === wanted && ready === wanted;
}

/** Does the cluster run something else than was delivered, since somebody changed it by hand? */
export function differs(world: World, chart: Chart): boolean {
  if (chart.name === 'base') {
    const validator = world.store.get('validatingwebhookconfigurations', DEFAULT_VALIDATOR);
    const wanted = istiodOf(textOf(chart.values['defaultRevision']));
    return validator !== undefined && validator['webhooks'][0].clientConfig.service.name !== wanted;
  }
  const containers: { name: string; image: string }[] = workloadOf(world, chart)?.spec.template.spec.containers ?? [];
  const found = containers.find(({ name }) => CONTAINERS.includes(name));
  const wanted = AGENTS[chart.name] === undefined ? chart.version : agentImage(chart);
  return found !== undefined && imageVersion(found.image) !== wanted;
}
