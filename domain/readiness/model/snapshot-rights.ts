/** What a snapshot is permitted to list: each type of its allow-list. Of AWS it asks what checks ask. */
import { LISTS } from '../../facts/snapshot/allowed/index.ts';
import { permissionsOf, type RbacRule, SOURCE_IDS, together } from './sources.ts';

/** One rule for each type. */
export const SNAPSHOT_RULES: readonly RbacRule[] = LISTS.map(({ apiVersion, plural }) => ({
  apiGroups: [apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''],
  resources: [plural],
  verbs: ['list'],
}));

/** The least for `belay check` and `belay snapshot`. */
export function readingPermissions(): ReturnType<typeof permissionsOf> {
  const { iam, rbac } = permissionsOf(SOURCE_IDS);
  const key = ({ verbs, apiGroups = [''] }: RbacRule, resource: string): string => `${verbs.join()} ${apiGroups.join()}/${resource}`;
  const granted = new Set(
    rbac.flatMap((rule) => (rule.resourceNames === undefined ? (rule.resources ?? []).map((each) => key(rule, each)) : [])),
  );
  const beside = SNAPSHOT_RULES.filter((rule) => (rule.resources ?? []).some((each) => !granted.has(key(rule, each))));
  return { iam, rbac: together([...rbac, ...beside]) };
}
