/** What the API server keeps of a CustomResourceDefinition's versions: those in which objects may be stored. */
import { type FieldError, fieldError } from './failures.ts';
import type { KubeObject } from './store.ts';

interface Version {
  name: string;
  storage?: boolean;
}

const versionsOf = ({ spec }: KubeObject): Version[] => spec?.versions ?? [];
const storedVersionsOf = ({ status }: KubeObject): string[] => status?.storedVersions ?? [];

/** From now on objects are stored in the storage version: it joins those of before. */
export function rememberStorage(definition: KubeObject): void {
  const storage = versionsOf(definition).find((version) => version.storage === true)?.name;
  if (storage === undefined || definition.status === undefined || storedVersionsOf(definition).includes(storage)) return;
  definition.status.storedVersions = [...storedVersionsOf(definition), storage];
}

/** A version in which objects may be stored cannot go, nor can the storage version be left out of the list (apiextensions, validation.go). */
export function storedVersionErrors(definition: KubeObject): FieldError[] {
  const stored = storedVersionsOf(definition);
  if (stored.length === 0) return [];
  const versions = versionsOf(definition);
  const gone = stored.flatMap((name, index) =>
    versions.some((version) => version.name === name)
      ? []
      : [fieldError.invalid(`status.storedVersions[${index}]`, name, 'must appear in spec.versions')],
  );
  const storage = versions.find((version) => version.storage === true)?.name;
  const isMissing = storage !== undefined && !stored.includes(storage);
  return isMissing ? [...gone, fieldError.invalid('status.storedVersions', stored, `must have the storage version ${storage}`)] : gone;
}
