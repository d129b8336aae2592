/** Who may do what, and who may reach whom: as far as a newer minor no longer accepts it. */
import { type AllowedList, under } from './types.ts';

const BLOCK = ['ipBlock.cidr=network', 'ipBlock.except[]=network'];

const rbac = (plural: string, why: string, paths: readonly string[]): AllowedList => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  plural,
  writers: true,
  groups: [{ why, paths }],
});
const role = (plural: string): AllowedList =>
  rbac(plural, 'which rights are no longer enough in a newer minor', under('rules[]', ['apiGroups[]', 'resources[]', 'verbs[]']));
const binding = (plural: string): AllowedList =>
  rbac(plural, 'which roles are in use, and what anonymous requests may do', [
    ...under('roleRef', ['kind', 'name']),
    'subjects[].name=anonymous',
  ]);

export const ACCESS: readonly AllowedList[] = [
  role('clusterroles'),
  role('roles'),
  binding('clusterrolebindings'),
  binding('rolebindings'),
  {
    apiVersion: 'networking.k8s.io/v1',
    plural: 'networkpolicies',
    writers: true,
    groups: [
      {
        why: 'addresses that API servers of 1.36 reject in new objects',
        paths: [...under('spec.ingress[].from[]', BLOCK), ...under('spec.egress[].to[]', BLOCK)],
      },
    ],
  },
];
