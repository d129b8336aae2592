/** A Helm release that people have made before a scenario begins: its record, and Helm's marks on what belongs to it. */
import { gzipSync } from 'node:zlib';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';

export interface ReleaseOptions {
  name: string;
  namespace: string;
  chart: { name: string; version: string };
  /** Values that people gave. */
  config: Record<string, unknown>;
  /** What the chart has rendered, by plural and object. */
  objects: readonly { plural: string; object: KubeObject }[];
}

/** Writes the Secret that Helm 3 would have written; helm itself upgrades and uninstalls by it. */
export function addRelease(world: World, { name, namespace, chart, config, objects }: ReleaseOptions): void {
  for (const { plural, object } of objects) {
    world.store.update(plural, object.metadata.name, object.metadata.namespace, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace };
      metadata.labels = { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' };
    });
  }
  const at = world.clock.now().toISOString();
  const release = {
    name,
    namespace,
    version: 1,
    info: { first_deployed: at, last_deployed: at, deleted: '', description: 'Install complete', status: 'deployed' },
    chart: {
      metadata: { apiVersion: 'v2', ...chart, appVersion: chart.version },
      lock: null,
      templates: [],
      values: {},
      schema: null,
      files: null,
    },
    config,
    manifest: objects.map(({ object }) => `---\n${JSON.stringify(rendered(object))}\n`).join(''),
    hooks: [],
  };
  world.store.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: { name: `sh.helm.release.v1.${name}.v1`, namespace, labels: { owner: 'helm', name, status: 'deployed', version: '1' } },
    data: { release: Buffer.from(gzipSync(JSON.stringify(release)).toString('base64')).toString('base64') },
  });
}

/** As the chart had it, without what the server has added. */
function rendered({ apiVersion, kind, metadata, status: _status, ...rest }: KubeObject): object {
  const { name, namespace, labels } = metadata;
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels }, ...rest };
}
