/** One real istiod for each revision whose Deployment is available: it comes and goes with the Deployment. */
import { freePorts } from '../../processes/free-port.ts';
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import type { KubeObject, ObjectStore } from '../../kubernetes/store.ts';
import type { Controller } from '../../world/world.ts';
import type { Troupe } from '../troupe.ts';

export const ISTIO_NAMESPACE = 'istio-system';
const WEBHOOK_PORT = 443;

export interface Istiod {
  revision: string;
  version: string;
  ports: { webhook: number; xds: number; secureXds: number; monitoring: number; http: number };
}

export interface IstiodsOptions {
  command: string;
  troupe: Troupe;
  kubeconfig: string;
  /** Those that run have changed. */
  onChange: (istiods: readonly Istiod[]) => void;
  /** For the world's story. */
  tell: (text: string) => void;
}

export class Istiods {
  readonly #options: IstiodsOptions;
  readonly #running = new Map<string, Istiod>();
  readonly #starting = new Set<string>();

  constructor(options: IstiodsOptions) {
    this.#options = options;
  }

  get all(): readonly Istiod[] {
    return [...this.#running.values()];
  }

  of(revision: string): Istiod | undefined {
    return this.#running.get(revision);
  }

  /** Where connections to a Service of istiod go: its webhook. */
  portOf(service: KubeObject, port: number): number | undefined {
    if (service.metadata.namespace !== ISTIO_NAMESPACE || port !== WEBHOOK_PORT) return undefined;
    return this.of(String(service.spec?.selector?.['istio.io/rev'] ?? ''))?.ports.webhook;
  }

  /** Wall time matters to real programs: it looks often. */
  controller(everyMs: number): Controller {
    return { name: 'istiods', everyMs, tick: (world) => this.follow(world.store) };
  }

  follow(store: ObjectStore): void {
    const wanted = new Map<string, KubeObject>();
    for (const deployment of store.list('deployments', { namespace: ISTIO_NAMESPACE, labels: { app: 'istiod' } })) {
      const revision = deployment.metadata.labels?.['istio.io/rev'] ?? 'default';
      if (deployment.metadata.deletionTimestamp === undefined && deployment.status?.availableReplicas > 0) wanted.set(revision, deployment);
    }
    for (const [revision, deployment] of wanted) if (!this.#running.has(revision)) void this.#start(revision, deployment);
    for (const revision of this.#running.keys()) if (!wanted.has(revision)) void this.#stop(revision);
  }

  async #start(revision: string, deployment: KubeObject): Promise<void> {
    if (this.#starting.has(revision)) return;
    this.#starting.add(revision);
    const { command, troupe, kubeconfig, tell } = this.#options;
    const [webhook = 0, xds = 0, secureXds = 0, monitoring = 0, http = 0] = await freePorts(5);
    const container = deployment.spec?.template?.spec?.containers?.[0];
    const version = imageVersion(container?.image) ?? 'unknown';
    troupe.start({
      name: `istiod-${revision}`,
      command,
      args: [
        'discovery',
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${ISTIO_NAMESPACE}`,
        `--httpsAddr=127.0.0.1:${webhook}`,
        `--grpcAddr=127.0.0.1:${xds}`,
        `--secureGRPCAddr=127.0.0.1:${secureXds}`,
        `--monitoringAddr=127.0.0.1:${monitoring}`,
        `--httpAddr=127.0.0.1:${http}`,
        '--ctrlz_port=0',
      ],
      env: { ...literals(container?.env), REVISION: revision, POD_NAME: `istiod-${revision}`, POD_NAMESPACE: ISTIO_NAMESPACE },
    });
    this.#running.set(revision, { revision, version, ports: { webhook, xds, secureXds, monitoring, http } });
    this.#starting.delete(revision);
    tell(`istiod ${version} of revision ${revision} starts`);
    this.#options.onChange(this.all);
  }

  async #stop(revision: string): Promise<void> {
    this.#running.delete(revision);
    this.#options.onChange(this.all);
    this.#options.tell(`istiod of revision ${revision} stops`);
    await this.#options.troupe.stop(`istiod-${revision}`);
  }
}

/** What the chart sets; references to fields and ConfigMaps are for a kubelet. */
function literals(env: { name: string; value?: string }[] | undefined): Record<string, string> {
  return Object.fromEntries((env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}
