/** CustomResourceDefinitions of a scenario. */
import type { World } from '../../world/world.ts';

export interface DefinitionOptions {
  group: string;
  plural: string;
  kind: string;
  scope: 'Cluster' | 'Namespaced';
  /** All of them are served, the last one is stored. Default: v1. */
  versions?: readonly string[];
  /** Versions in which objects may be stored; absent: the server has not said. */
  stored?: readonly string[];
  /** The Service of a conversion webhook. */
  convertedBy?: { namespace: string; name: string; port: number };
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export function addDefinition(world: Pick<World, 'store'>, options: DefinitionOptions): void {
  const { group, plural, kind, scope, versions = ['v1'], stored, convertedBy: service, labels, annotations } = options;
  world.store.create('customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope,
      ...(service === undefined
        ? {}
        : { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } } } }),
      versions: versions.map((name) => ({ name, served: true, storage: name === versions.at(-1), subresources: { status: {} } })),
    },
    ...(stored === undefined ? {} : { status: { storedVersions: stored } }),
  });
}
