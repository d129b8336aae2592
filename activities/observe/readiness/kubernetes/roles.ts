/** Roles that something is bound to, as far as checks ask about them, and what is granted to whoever does not sign in. */
import { asksAbout, NOBODY } from '../../../../domain/readiness/checks/workloads/access.ts';
import type { AnonymousBinding, RoleSeen, Shape } from '../../../../domain/readiness/model/evidence.ts';
import { placeOf } from '../../../../domain/readiness/model/names.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { given } from '../../../runtime/given.ts';
import { slimList } from './cluster-objects.ts';

/** Lists that are empty may be null. */
type RoleListed = KubeObject & { rules?: { apiGroups?: string[]; resources?: string[]; verbs?: string[] }[] | null };
type BindingListed = KubeObject & { roleRef?: { kind?: string; name?: string }; subjects?: { name?: string }[] | null };

interface BindingSeen extends AnonymousBinding {
  /** As `keyOf` of the role. */
  of: string;
}

const keyOf = ({ kind, namespace, name }: { kind: string; namespace?: string; name: string }): string =>
  kind === 'ClusterRole' ? placeOf({ kind, name }) : placeOf({ kind, name, ...given('namespace', namespace) });

export async function readRoles(port: KubernetesPort): Promise<Shape<'roles'>> {
  const roles = (kind: RoleSeen['kind'], plural: string): Promise<RoleSeen[]> =>
    slimList<RoleListed, RoleSeen>(port, { apiVersion: RBAC, plural }, ({ metadata, rules }) => ({
      kind,
      ...given('namespace', metadata.namespace),
      name: metadata.name,
      rules: rulesOf(rules ?? []),
    }));
  const bindings = (kind: AnonymousBinding['kind'], plural: string): Promise<BindingSeen[]> =>
    slimList<BindingListed, BindingSeen>(port, { apiVersion: RBAC, plural }, ({ metadata, roleRef, subjects }) => {
      const role = { kind: roleRef?.kind ?? '', name: roleRef?.name ?? '' };
      const own = given('namespace', metadata.namespace);
      const names = (subjects ?? []).map(({ name = '' }) => name).filter((name) => NOBODY.has(name));
      return { kind, ...own, name: metadata.name, role: placeOf(role), subjects: [...new Set(names)], of: keyOf({ ...role, ...own }) };
    });
  // Together: of two that are refused, neither may be left without anybody who waits for it.
  const [cluster, own, clusterBindings, ownBindings] = await Promise.all([
    roles('ClusterRole', 'clusterroles'),
    roles('Role', 'roles'),
    bindings('ClusterRoleBinding', 'clusterrolebindings'),
    bindings('RoleBinding', 'rolebindings'),
  ]);
  const all = [...clusterBindings, ...ownBindings];
  const used = new Set(all.map(({ of }) => of));
  return {
    bound: [...cluster, ...own].filter((role) => role.rules.length > 0 && used.has(keyOf(role))),
    anonymous: all.filter(({ subjects }) => subjects.length > 0).map(({ of: _of, ...binding }) => binding),
  };
}

const RBAC = 'rbac.authorization.k8s.io/v1';

/** None of a role that names nothing that is asked about; else also those that cover it by a wildcard. */
function rulesOf(listed: NonNullable<RoleListed['rules']>): RoleSeen['rules'] {
  const rules = listed.map(({ apiGroups = [], resources = [], verbs = [] }) => ({ apiGroups, resources, verbs }));
  const names = rules.some(({ resources }) => resources.some((each) => asksAbout(each)));
  return names ? rules.filter(({ resources }) => resources.some((each) => each.startsWith('*') || asksAbout(each))) : [];
}
