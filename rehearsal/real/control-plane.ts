/** A real Kubernetes control plane on one etcd, which moves to the next minor as EKS does it: the old one stops, the new one starts. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeKubeconfig } from '../world/core/endpoints.ts';
import { freePorts } from '../processes/free-port.ts';
import { Api } from './api.ts';
import { type Administrator, type ControlPlaneFiles, writeControlPlaneFiles } from './control-plane-files.ts';
import { CONTROL_PLANE, type ControlPlaneProgram, type Minor } from './parts/table.ts';
import type { Troupe } from './troupe.ts';

const READY_LIMIT_MS = 90_000;
const LOOK_MS = 100;
const ETCD = 'etcd';
const API_SERVER = 'kube-apiserver';
/** No cloud answers them here. */
const CONTROLLERS = '*,-node-ipam-controller,-node-route-controller,-cloud-node-lifecycle-controller,-service-lb-controller';

export interface ControlPlaneOptions {
  directory: string;
  troupe: Troupe;
  /** Paths of programs: `etcd`, and those of each minor. */
  program: (name: 'etcd' | ControlPlaneProgram, minor?: Minor) => string;
  hooksUrl: string;
  /** Of the proxy through which webhooks' Services are reached. */
  egressSocket: string;
}

export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #files: ControlPlaneFiles;
  readonly #ports: { etcd: number; peer: number; api: number };
  #minor: Minor | undefined;
  /** The last stop or move, which the next one waits for. */
  #busy: Promise<void> = Promise.resolve();

  private constructor(options: ControlPlaneOptions, files: ControlPlaneFiles, ports: { etcd: number; peer: number; api: number }) {
    this.#options = options;
    this.#files = files;
    this.#ports = ports;
  }

  /** Resolves when the API server of that minor is ready. Throws when it does not become so. */
  static async start(options: ControlPlaneOptions & { minor: Minor }): Promise<ControlPlane> {
    mkdirSync(options.directory, { recursive: true });
    const [etcd = 0, peer = 0, api = 0] = await freePorts(3);
    const files = await writeControlPlaneFiles(options);
    const plane = new ControlPlane(options, files, { etcd, peer, api });
    plane.#startEtcd();
    await plane.#startMinor(options.minor);
    return plane;
  }

  /** Stays the same over minors. */
  get url(): string {
    return `https://127.0.0.1:${this.#ports.api}`;
  }

  /** PEM. */
  get ca(): string {
    return this.#files.ca;
  }

  get caFile(): string {
    return this.#files.caFile;
  }

  /** undefined while it moves. */
  get minor(): Minor | undefined {
    return this.#minor;
  }

  token(name: Administrator): string {
    return this.#files.tokens[name];
  }

  tokenOf(name: Administrator): { url: string; ca: string; token: string } {
    return { url: this.url, ca: this.ca, token: this.token(name) };
  }

  /** Path of a kubeconfig. */
  kubeconfig(name: Administrator): string {
    const file = join(this.#options.directory, `${name}.kubeconfig`);
    const caData = Buffer.from(this.ca).toString('base64');
    writeKubeconfig(file, { cluster: 'rehearsal', url: this.url, caData, token: this.token(name) });
    return file;
  }

  /** Everybody loses their connections, and meets the new minor at the old address. */
  moveTo(minor: Minor): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#minor === minor) return;
      this.#minor = undefined;
      const { troupe } = this.#options;
      for (const name of CONTROL_PLANE.toReversed()) await troupe.stop(name);
      await this.#startMinor(minor);
    });
  }

  /** The API server is away for so long, and comes back as it was. Wall time. */
  stopFor(wallMs: number): Promise<void> {
    return this.#inTurn(async () => {
      const minor = this.#minor;
      if (minor === undefined) return;
      this.#minor = undefined;
      await this.#options.troupe.stop(API_SERVER);
      await sleep(wallMs, undefined, { ref: false });
      await this.#startApiServer(minor);
      this.#minor = minor;
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#busy.then(work);
    this.#busy = done.catch(() => undefined);
    return done;
  }

  #startEtcd(): void {
    const { directory, troupe, program } = this.#options;
    const client = `http://127.0.0.1:${this.#ports.etcd}`;
    const peer = `http://127.0.0.1:${this.#ports.peer}`;
    const flags = {
      'data-dir': join(directory, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
      'unsafe-no-fsync': 'true',
    };
    troupe.start({ name: ETCD, command: program(ETCD), args: argsOf(flags) });
  }

  async #startMinor(minor: Minor): Promise<void> {
    const { troupe, program } = this.#options;
    await this.#startApiServer(minor);
    const shared = { 'leader-elect': 'false' };
    const managerFlags = {
      ...shared,
      kubeconfig: this.kubeconfig('kube-controller-manager'),
      'secure-port': '0',
      controllers: CONTROLLERS,
      'service-account-private-key-file': this.#files.serviceAccountKeyFile,
      'root-ca-file': this.#files.caFile,
      'concurrent-deployment-syncs': '10',
    };
    troupe.start({
      name: 'kube-controller-manager',
      command: program('kube-controller-manager', minor),
      args: argsOf(managerFlags),
    });
    const schedulerFlags = { ...shared, kubeconfig: this.kubeconfig('kube-scheduler'), 'secure-port': '0' };
    troupe.start({ name: 'kube-scheduler', command: program('kube-scheduler', minor), args: argsOf(schedulerFlags) });
    this.#minor = minor;
  }

  async #startApiServer(minor: Minor): Promise<void> {
    const { troupe, program } = this.#options;
    troupe.start({ name: API_SERVER, command: program(API_SERVER, minor), args: argsOf(this.#apiServerFlags()) });
    await this.#untilReady(minor);
  }

  #apiServerFlags(): Record<string, string> {
    const files = this.#files;
    return {
      'etcd-servers': `http://127.0.0.1:${this.#ports.etcd}`,
      'bind-address': '127.0.0.1',
      'secure-port': String(this.#ports.api),
      'endpoint-reconciler-type': 'none',
      'service-cluster-ip-range': '10.100.0.0/16',
      'allow-privileged': 'true',
      'authorization-mode': 'RBAC',
      'tls-cert-file': files.certFile,
      'tls-private-key-file': files.keyFile,
      'cert-dir': this.#options.directory,
      'token-auth-file': files.tokenFile,
      'authentication-token-webhook-config-file': files.tokenHookFile,
      'authentication-token-webhook-version': 'v1',
      'audit-policy-file': files.auditPolicyFile,
      'audit-webhook-config-file': files.auditHookFile,
      'audit-webhook-mode': 'blocking',
      'egress-selector-config-file': files.egressFile,
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': files.serviceAccountPublicFile,
      'service-account-signing-key-file': files.serviceAccountKeyFile,
    };
  }

  async #untilReady(minor: Minor): Promise<void> {
    const api = new Api(this.tokenOf('rehearsal'));
    const endMs = performance.now() + READY_LIMIT_MS;
    try {
      for (;;) {
        try {
          await api.text('/readyz');
          return;
        } catch (error) {
          if (performance.now() > endMs)
            throw new Error(`kube-apiserver ${minor} was not ready within ${READY_LIMIT_MS / 1000} s; kube-apiserver.log says why`, {
              cause: error,
            });
          await sleep(LOOK_MS);
        }
      }
    } finally {
      api.close();
    }
  }
}

function argsOf(flags: Record<string, string>): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
