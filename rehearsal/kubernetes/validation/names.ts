/** Names, labels and finalizers: k8s.io/apimachinery/pkg/util/validation and pkg/api/validation. */
import { type FieldError, fieldError } from '../failures.ts';
import { isObject } from '../json.ts';
import type { KubeObject, ResourceType } from '../store.ts';

const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const WHOLE_SUBDOMAIN = new RegExp(`^${SUBDOMAIN}$`);
const WHOLE_NAME_PART = new RegExp(`^${NAME_PART}$`);
const WHOLE_LABEL_VALUE = new RegExp(`^${LABEL_VALUE}$`);
const SUBDOMAIN_MAX = 253;
const NAME_PART_MAX = 63;

const BAD_SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const NAME_RULE = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_PART}')`;
const BAD_LABEL_VALUE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;

/** What is wrong with a label key; undefined when nothing is. */
export function badQualifiedName(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) return `a qualified name ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
  const [name = '', prefix] = parts.toReversed();
  if (prefix !== undefined && !WHOLE_SUBDOMAIN.test(prefix))
    return prefix === '' ? 'prefix part must be non-empty' : `prefix part ${BAD_SUBDOMAIN}`;
  if (name === '') return 'name part must be non-empty';
  if (name.length > NAME_PART_MAX) return `name part must be no more than ${NAME_PART_MAX} characters`;
  return WHOLE_NAME_PART.test(name) ? undefined : `name part ${NAME_RULE}`;
}

export function badLabelValue(value: string): string | undefined {
  if (value.length > NAME_PART_MAX) return `must be no more than ${NAME_PART_MAX} characters`;
  return WHOLE_LABEL_VALUE.test(value) ? undefined : BAD_LABEL_VALUE;
}

/** Labels must be shorter, and have no dots. */
const NAMES_WITHOUT_DOTS = new Set(['namespaces']);
/** RBAC names are path segments. */
const FREE_NAMES = new Set(['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings']);

export function nameErrors(type: ResourceType, { metadata }: KubeObject): FieldError[] {
  const { name } = metadata;
  if (!name) return metadata.generateName ? [] : [fieldError.required('metadata.name', 'name or generateName is required')];
  const wrong = (why: string) => [fieldError.invalid('metadata.name', name, why)];
  if (FREE_NAMES.has(type.plural)) return /[/%]/.test(name) ? wrong(`may not contain '${name.includes('/') ? '/' : '%'}'`) : [];
  if (NAMES_WITHOUT_DOTS.has(type.plural) && name.includes('.')) return wrong('must not contain dots');
  if (name.length > SUBDOMAIN_MAX) return wrong(`must be no more than ${SUBDOMAIN_MAX} characters`);
  return WHOLE_SUBDOMAIN.test(name) ? [] : wrong(BAD_SUBDOMAIN);
}

/** Objects of custom resources may have finalizers without a slash (apimachinery's ValidateFinalizerName), as those of Flux and Argo CD are. */
const isCustom = (apiVersion = ''): boolean => /^[^/]+\.[^/]+\//.test(apiVersion) && !/^[^/]+\.k8s\.io\//.test(apiVersion);

/** Labels, and finalizers of one's own. */
export function metadataErrors({ apiVersion, metadata }: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(isObject(metadata.labels) ? metadata.labels : {})) {
    const badKey = badQualifiedName(key);
    if (badKey !== undefined) errors.push(fieldError.invalid('metadata.labels', key, badKey));
    const badValue = badLabelValue(value);
    if (badValue !== undefined) errors.push(fieldError.invalid('metadata.labels', value, badValue));
  }
  for (const [index, name] of (metadata.finalizers ?? []).entries()) {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name) || isCustom(apiVersion)) continue;
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(fieldError.invalid(`metadata.finalizers[${index}]`, name, why));
  }
  return errors;
}

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What an update may not do to metadata. */
export function metadataUpdateErrors(before: KubeObject, after: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const { uid } = after.metadata;
  // The server looks twice, and says so twice.
  if (uid && uid !== before.metadata.uid) errors.push(...twice(fieldError.invalid('metadata.uid', uid, 'field is immutable')));
  const added = (after.metadata.finalizers ?? []).filter((name) => !before.metadata.finalizers?.includes(name));
  if (before.metadata.deletionTimestamp && added.length > 0) {
    const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
    const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
    errors.push(...twice(fieldError.forbidden('metadata.finalizers', why)));
  }
  return errors;
}

function twice(error: FieldError): FieldError[] {
  return [error, error];
}
