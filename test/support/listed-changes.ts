/** RS6: whatever an activity changes in a test's cluster is among the changes that the admission policies allow. */
import type { KubeObject, ResourceRef } from '../../activities/contract/ports.ts';
import { CHANGES } from '../../domain/policy/permissions/changes.ts';
import { strayFields } from '../../domain/policy/permissions/difference.ts';
import { fieldsOf, type Operation } from '../../domain/policy/permissions/fields.ts';

/** Helm's marks, which are written only where Helm runs: those clusters have no policies (deploy/README.md). */
const HELM_MARKS = {
  labels: { 'app.kubernetes.io/managed-by': 'any' },
  annotations: { 'meta.helm.sh/release-name': 'any', 'meta.helm.sh/release-namespace': 'any' },
} as const;
/** A release that a killed worker has left pending. */
const BY_HELM = ['DELETE /secrets'];

type Change =
  | { operation: Exclude<Operation, 'UPDATE' | 'CONNECT'>; ref: Ref }
  | { operation: 'UPDATE'; ref: Ref; before: KubeObject; after: KubeObject };
type Ref = Pick<ResourceRef, 'apiVersion' | 'plural' | 'subresource'>;

/** Throws where a change is not listed. */
export function refuseUnlisted(change: Change): void {
  const resource = resourceOf(change.ref);
  const what = `${change.operation} ${resource}`;
  if (change.operation !== 'UPDATE') {
    if (BY_HELM.includes(what) || CHANGES.some((known) => `${known.operation} ${known.resource}` === what)) return;
    throw new Error(`${what}: domain/policy/permissions/changes.ts does not list it`);
  }
  const { before, after } = change;
  if (strayFields(before, after, { metadata: HELM_MARKS }).length === 0) return;
  const stray = strayFields(before, after, fieldsOf(CHANGES, resource) ?? {});
  if (stray.length > 0) throw new Error(`${what} of ${stray.join(', ')}: domain/policy/permissions/changes.ts does not list it`);
}

/** "pods/NAME/eviction" is how a subresource of a named object is created. */
function resourceOf({ apiVersion, plural, subresource }: Ref): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const [name = '', , below = subresource] = plural.split('/');
  return `${group}/${name}${below === undefined ? '' : `/${below}`}`;
}
