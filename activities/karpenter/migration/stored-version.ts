/** Karpenter's objects in the version in which they are stored: the one that needs no conversion webhook. */
import { at } from '../../../domain/plan/migration/edit.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../contract/ports.ts';

export type Definition = KubeObject<
  { group?: string; names?: { plural?: string }; versions?: { name: string; storage?: boolean; schema?: unknown }[] },
  { storedVersions?: string[] }
>;

const DEFINITIONS = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };

export const definitionRef = (name: string) => ({ ...DEFINITIONS, name });

const BUDGETS = ['openAPIV3Schema', ...['spec', 'disruption', 'budgets'].flatMap((field) => ['properties', field])];

export interface Stored<T> {
  /** "v1" */
  version: string;
  query: ListQuery;
  objects: T[];
  /** Its schema has spec.disruption.budgets. */
  hasBudgets: boolean;
}

/** `definition`: "nodepools.karpenter.sh". undefined: there is no such CRD. */
export async function listStored<T extends KubeObject>(port: KubernetesPort, definition: string): Promise<Stored<T> | undefined> {
  const found = await port.get<Definition>(definitionRef(definition));
  const stored = found?.spec?.versions?.find(({ storage }) => storage === true);
  if (stored === undefined) return undefined;
  const { name: version, schema } = stored;
  const [plural = '', ...group] = definition.split('.');
  const query = { apiVersion: `${group.join('.')}/${version}`, plural };
  return { version, query, objects: (await port.list<T>(query)) ?? [], hasBudgets: at(schema, BUDGETS) !== undefined };
}
