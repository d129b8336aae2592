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

/** A version in which objects may be stored cannot go. In the words of 1.33 and 1.34. */
export function storedVersionErrors(definition: KubeObject): FieldError[] {
  const served = new Set(versionsOf(definition).map(({ name }) => name));
  return storedVersionsOf(definition).flatMap((name, index) => {
    if (served.has(name)) return [];
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [fieldError.invalid(`status.storedVersions[${index}]`, name, why)];
  });
}
