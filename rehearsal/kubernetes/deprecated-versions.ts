/** Older versions of built-in types, which a server keeps until a minor: https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
import type { ResourceType } from './store.ts';

export interface DeprecatedVersion {
  group: string;
  plural: string;
  version: string;
  /** To be used instead. */
  replacement: string;
  /** The minor that brought the replacement and deprecated this one. */
  sinceMinor: number;
  /** The first minor that does not serve it. */
  removedMinor: number;
}

const FLOW_CONTROL = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', replacement: 'v1', sinceMinor: 29, removedMinor: 32 };

/** Those of the minors that the twin has. */
export const DEPRECATED_VERSIONS: readonly DeprecatedVersion[] = [
  { ...FLOW_CONTROL, plural: 'flowschemas' },
  { ...FLOW_CONTROL, plural: 'prioritylevelconfigurations' },
];

/** Older versions of a built-in type that a server of a minor such as "1.31" still has. */
export function olderVersions({ group, plural }: Pick<ResourceType, 'group' | 'plural'>, serverVersion: string): DeprecatedVersion[] {
  const minor = Number(serverVersion.split('.')[1]);
  return DEPRECATED_VERSIONS.filter((old) => old.group === group && old.plural === plural && minor < old.removedMinor);
}
