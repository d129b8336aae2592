/** Rights and addresses of the scenario `readiness` that a newer API server no longer accepts. */
import type { World } from '../../world/world.ts';
import { PLANTS } from './workloads.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };

interface Planted {
  name: string;
  /** Absent: of the cluster. */
  namespace?: string;
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

export function plantAccess(world: World): void {
  addBoundRole(world, {
    name: 'looks-into-pods',
    namespace: PLANTS,
    rules: [{ apiGroups: [''], resources: ['pods', 'pods/exec'], verbs: ['get'] }],
  });
  addBoundRole(world, {
    name: 'gpu-scheduler',
    rules: [{ apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/status'], verbs: ['update', 'patch'] }],
  });
  world.store.create('networkpolicies', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'from-office', namespace: PLANTS },
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '203.0.113.7/24' } }] }] },
  });
}

/** Whoever does not sign in may look at everything. */
export function plantAnonymousAccess(world: World): void {
  addBinding(world, { name: 'everybody-views' }, 'view', { kind: 'Group', name: 'system:unauthenticated' });
}

function addBoundRole(world: World, { rules, ...metadata }: Planted): void {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  world.store.create(kind === 'Role' ? 'roles' : 'clusterroles', { apiVersion: RBAC.apiVersion, kind, metadata, rules });
  addBinding(world, metadata, metadata.name, { kind: 'Group', name: 'developers' });
}

function addBinding(
  world: World,
  metadata: { name: string; namespace?: string },
  role: string,
  subject: { kind: string; name: string },
): void {
  const ofRole = metadata.namespace !== undefined;
  world.store.create(ofRole ? 'rolebindings' : 'clusterrolebindings', {
    apiVersion: RBAC.apiVersion,
    kind: ofRole ? 'RoleBinding' : 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC.group, kind: ofRole ? 'Role' : 'ClusterRole', name: role },
    subjects: [{ ...subject, apiGroup: RBAC.group }],
  });
}
