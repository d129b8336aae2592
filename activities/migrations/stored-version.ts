/** Karpenter's objects in the version in which they are stored: the one that needs no conversion webhook. */
import type { KubeObject, KubernetesPort, ListQuery } from '../ports.ts';

export type Definition = KubeObject<
  { group?: string; names?: { plural?: string }; versions?: { name: string; storage?: boolean }[] },
  { storedVersions?: string[] }
>;

const DEFINITIONS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

export const definitionRef = (name: string) => ({ ...DEFINITIONS, name });

export interface Stored<T> {
  /** "v1" */
  version: string;
  query: ListQuery;
  objects: T[];
}

/** `definition`: "nodepools.karpenter.sh". undefined: there is no such CRD. */
export async function listStored<T extends KubeObject>(port: KubernetesPort, definition: string): Promise<Stored<T> | undefined> {
  const found = await port.get<Definition>(definitionRef(definition));
  const version = found?.spec?.versions?.find(({ storage }) => storage === true)?.name;
  if (found === undefined || version === undefined) return undefined;
  const [plural = '', ...group] = definition.split('.');
  const query = { apiVersion: `${group.join('.')}/${version}`, plural };
  return { version, query, objects: (await port.list<T>(query)) ?? [] };
}
