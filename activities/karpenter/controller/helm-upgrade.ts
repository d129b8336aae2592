/** Karpenter's two charts by Helm: the CRDs first, then the controller, with the values that the releases have. */
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import type { DeliveryActivities } from '../../contract/delivery.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { besideChart, chartPlace, showChart } from '../../kubernetes/helm/chart.ts';
import { type ReleaseName, releaseNameOf, releaseNamespaceOf } from '../../kubernetes/helm/ownership.ts';
import { type HelmRelease, readRelease } from '../../kubernetes/helm/release.ts';
import { type HelmDeps, upgradeRelease } from '../../kubernetes/helm/upgrade.ts';
import type { HelmRunner } from '../../kubernetes/helm/runner.ts';
import { sameJson } from '../../runtime/same-json.ts';
import { edited } from '../../kubernetes/gitops/chart-values.ts';
import { settledRelease } from '../../kubernetes/helm/settled-release.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import { adoptDefinitions } from '../objects/crds.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/** Where Karpenter publishes its charts (karpenter.sh/docs/getting-started). */
const REGISTRY = 'oci://public.ecr.aws/karpenter/karpenter';

type Input = Parameters<DeliveryActivities['upgradeKarpenterWithHelm']>[0];

export function createKarpenterHelmActivities(deps: KubernetesDeps & HelmDeps): Pick<DeliveryActivities, 'upgradeKarpenterWithHelm'> {
  const { helm, pendingWaitMs = 60_000 } = deps;
  return {
    async upgradeKarpenterWithHelm(input) {
      const { cluster, to, where, token, only, values = [] } = input;
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const place = await placesOf(port, input);
      const controller = await healthyRelease(port, place.controller, pendingWaitMs);
      if (controller === undefined) throw noRelease(place.controller);
      const definitions = await healthyRelease(port, place.definitions, pendingWaitMs);
      const charts = await findCharts(helm, cluster, where, to);
      // Both charts are there: nothing has been changed up to here.
      const adopted = only === 'karpenter' ? [] : await adoptDefinitions(port, place.definitions, to);
      const common = { helm, port, cluster, to, token };
      if (only !== 'karpenter') {
        const wanted = edited(definitions?.config ?? {}, values);
        await bringTo(common, { place: place.definitions, now: definitions, chart: charts.definitions, values: wanted });
      }
      if (only !== 'karpenter-crd') {
        const wanted = edited(unpinned(controller.config), values);
        await bringTo(common, { place: place.controller, now: controller, chart: charts.controller, values: wanted });
      }
      return { adopted };
    },
  };
}

/** The releases: as belay.yaml says, else by Helm's own marks on the Deployment. */
async function placesOf(
  port: KubernetesPort,
  { namespace, deployment, where }: Input,
): Promise<{ controller: ReleaseName; definitions: ReleaseName }> {
  const found = await port.get<Workload>({ apiVersion: 'apps/v1', plural: 'deployments', namespace, name: deployment });
  const marked = found === undefined ? undefined : { name: releaseNameOf(found), namespace: releaseNamespaceOf(found) };
  const home = where.releaseNamespace ?? marked?.namespace ?? namespace;
  return {
    controller: { namespace: home, name: where.release ?? marked?.name ?? 'karpenter' },
    definitions: { namespace: home, name: where.crdRelease ?? 'karpenter-crd' },
  };
}

/** A release that others have left failed has values that nobody is known to want. */
async function healthyRelease(port: KubernetesPort, { namespace, name }: ReleaseName, waitMs: number): Promise<HelmRelease | undefined> {
  const release = await settledRelease(port, namespace, name, waitMs);
  if (release === undefined || release.status === 'deployed' || release.ours) return release;
  throw failureOf(
    'InvalidRequest',
    `looking at Helm release ${namespace}/${name}: its last operation is ${release.status}; helm rollback it to what runs, then retry`,
  );
}

function noRelease({ namespace, name }: ReleaseName): Error {
  return failureOf(
    'Configuration',
    `looking for the Helm release of Karpenter: there is no release ${namespace}/${name}; if something else installs Karpenter, say so in managedBy.karpenter`,
  );
}

type Where = Pick<UpgradePolicy['karpenter'], 'chart' | 'crdChart'>;

async function findCharts(helm: HelmRunner | undefined, cluster: ClusterRef, { chart = REGISTRY, crdChart }: Where, to: string) {
  const definitions = crdChart === undefined ? besideChart(chart, 'karpenter', 'karpenter-crd') : chartPlace(crdChart, 'karpenter-crd');
  return {
    definitions: await chartAt(helm, cluster, { name: 'karpenter-crd', place: definitions, to }),
    controller: await chartAt(helm, cluster, { name: 'karpenter', place: chartPlace(chart, 'karpenter'), to }),
  };
}

/** A path has one version, whatever is asked for. */
async function chartAt(
  helm: HelmRunner | undefined,
  cluster: ClusterRef,
  { name, place, to }: { name: string; place: string[]; to: string },
): Promise<string[]> {
  const doing = `looking for chart ${name} ${to}`;
  const fix = `set karpenter.${name === 'karpenter' ? 'chart' : 'crdChart'} in belay.yaml to a registry or a path that has ${to}`;
  const { version } = await showChart(helm, cluster, { place, version: to, doing, fix });
  if (version === to) return [...place, '--version', to];
  throw failureOf('Configuration', `${doing}: ${place.join(' ')} is ${version ?? 'without a version'}; ${fix}`);
}

interface Change {
  place: ReleaseName;
  now: HelmRelease | undefined;
  chart: string[];
  values: Record<string, unknown>;
}

/** Upgrades the release unless it is there already, and reads it back: what Helm has recorded is what runs. */
async function bringTo(
  {
    helm,
    port,
    cluster,
    to,
    token,
  }: { helm: HelmRunner | undefined; port: KubernetesPort; cluster: ClusterRef; to: string; token: string },
  { place: { namespace, name }, now, chart, values }: Change,
): Promise<void> {
  if (now?.status === 'deployed' && now.chart.version === to && sameJson(unpinned(now.config), unpinned(values))) return;
  const doing = `upgrading Helm release ${namespace}/${name} to ${to}`;
  await upgradeRelease(helm, { cluster, name, namespace, chart, values, token, install: now === undefined, doing });
  const after = await readRelease(port, namespace, name);
  const lack =
    after?.status !== 'deployed'
      ? `it is ${after?.status ?? 'gone'}`
      : after.chart.version !== to
        ? `it has chart ${after.chart.version}`
        : sameJson(after.config, values)
          ? undefined
          : 'it has other values than were given';
  if (lack !== undefined) throw failureOf('InvalidRequest', `${doing}: read back, ${lack}; somebody else is at work on it`);
}

/** Without an image of its own: the new chart brings the one that it belongs to. */
function unpinned(values: Record<string, unknown>): Record<string, unknown> {
  const { controller } = values;
  if (typeof controller !== 'object' || controller === null || !('image' in controller)) return values;
  const { image, ...rest } = controller;
  const kept = Object.entries(image ?? {}).filter(([key]) => key !== 'tag' && key !== 'digest');
  return { ...values, controller: { ...rest, ...(kept.length === 0 ? {} : { image: Object.fromEntries(kept) }) } };
}
