/** Objects of a cluster as files, so that they are shown and written as those of a checkout are. */
import { stringify } from 'yaml';
import { at } from '../../domain/plan/migration/edit.ts';
import type { SeenObject } from '../../domain/plan/migration/state.ts';
import type { SourceFile } from './handmade.ts';
import { defined } from '../../domain/core/defined.ts';

export interface ClusterFile extends SourceFile {
  deliveredBy?: SeenObject['deliveredBy'];
}

/** One for each object, by namespace, kind and name: "shop/deployment-cart.yaml", "nodepool-default.yaml". */
export function filesOf(objects: readonly SeenObject[]): ClusterFile[] {
  return objects.map(({ manifest, deliveredBy }) => {
    const [namespace, name] = ['namespace', 'name'].map((key) => at(manifest, ['metadata', key]));
    const file = `${String(manifest.kind).toLowerCase()}-${String(name)}.yaml`;
    return {
      path: typeof namespace === 'string' ? `${namespace}/${file}` : file,
      text: stringify(manifest, { lineWidth: 0 }),
      ...defined({ deliveredBy }),
    };
  });
}
