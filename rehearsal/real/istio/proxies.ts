/** One xDS client for each meshed pod, as KWOK's pods run no Envoy: what istiod knows of its proxies is true all the same. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageVersion } from '../../kubernetes/pods/pods.ts';
import type { KubeObject, ObjectStore } from '../../kubernetes/store.ts';
import type { Controller } from '../../world/world.ts';
import type { Role } from '../troupe.ts';
import type { Istiods } from './istiods.ts';

/** As test/real/go/istio reads it. */
interface Proxy {
  namespace: string;
  pod: string;
  ip: string;
  version: string;
  revision: string;
  address: string;
}

export class Proxies {
  readonly #file: string;
  readonly #istiods: Istiods;
  #written = '';

  constructor(directory: string, istiods: Istiods) {
    this.#file = join(directory, 'proxies.json');
    this.#istiods = istiods;
    this.#write([]);
  }

  role(command: string): Role {
    return { name: 'proxies', command, args: ['proxies', this.#file] };
  }

  controller(everyMs: number): Controller {
    return { name: 'proxies', everyMs, tick: (world) => this.follow(world.store) };
  }

  follow(store: ObjectStore): void {
    this.#write(store.list('pods').flatMap((pod) => this.#proxyOf(pod) ?? []));
  }

  #proxyOf(pod: KubeObject): Proxy | undefined {
    const containers: { name: string; image?: string }[] = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    const version = imageVersion(containers.find(({ name }) => name === 'istio-proxy')?.image);
    const revision = pod.metadata.annotations?.['istio.io/rev'];
    if (version === undefined || revision === undefined || pod.status?.phase !== 'Running') return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) return undefined;
    const istiod = this.#istiods.of(revision);
    if (istiod === undefined) return undefined;
    const { name, namespace = '' } = pod.metadata;
    return { namespace, pod: name, ip: String(pod.status.podIP ?? ''), version, revision, address: `127.0.0.1:${istiod.ports.xds}` };
  }

  /** Whole, or not at all: the reader looks whenever it likes. */
  #write(proxies: readonly Proxy[]): void {
    const text = JSON.stringify(proxies);
    if (text === this.#written) return;
    this.#written = text;
    writeFileSync(`${this.#file}.new`, text);
    renameSync(`${this.#file}.new`, this.#file);
  }
}
