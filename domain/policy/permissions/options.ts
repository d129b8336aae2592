/** Rights beyond the base role, each a file of its own: deploy/kubernetes-rbac-<option>.yaml says whom it is for. */
export const ROLE_OPTIONS = [
  'canary-node',
  'delete-pods',
  'gitops',
  'helm-releases',
  'istio',
  'istio-gitops',
  'istio-helm',
  'karpenter-helm',
  'karpenter-migration',
  'mesh-debug',
  'mesh-scrapes',
  'node-classes',
  'scrapes',
  'self-managed',
] as const;
export type RoleOption = (typeof ROLE_OPTIONS)[number];

/** belay.yaml does not say, or does not have to say, whether they are wanted. */
export const ASKED_FOR = [
  'delete-pods',
  'istio',
  'istio-gitops',
  'karpenter-migration',
  'mesh-debug',
  'node-classes',
] as const satisfies readonly RoleOption[];

/** Those that change something, and are no administrators. */
export const ADMISSION_OPTIONS = [
  'canary-node',
  'delete-pods',
  'gitops',
  'istio',
  'istio-gitops',
  'karpenter-migration',
  'mesh-debug',
  'mesh-scrapes',
  'node-classes',
  'scrapes',
  'self-managed',
] as const satisfies readonly RoleOption[];
export type AdmissionOption = (typeof ADMISSION_OPTIONS)[number];

/** undefined: the base role. */
export function roleFile(option?: RoleOption): string {
  return `deploy/kubernetes-rbac${option === undefined ? '' : `-${option}`}.yaml`;
}
