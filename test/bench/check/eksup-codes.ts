/**
 * Belay's checks for what eksup 0.15.1 checks, by eksup's codes (its docs/info/checks.md): AWS001–AWS005, EKS001–EKS010, K8S001–K8S008 and
 * K8S011–K8S015; its K8S016 begins with 1.36. Where eksup reads insights without a refresh, Belay refreshes them first: EKS004 and EKS018 are left out.
 */
const BY_EKSUP: Readonly<Record<string, readonly string[]>> = {
  AWS001: ['AWS002'],
  AWS002: ['AWS003'],
  AWS003: ['AWS007'],
  AWS004: ['AWS008'],
  AWS005: ['AWS009'],
  EKS001: ['AWS001'],
  EKS002: ['EKS001'],
  EKS003: ['EKS009'],
  EKS004: ['EKS012'],
  EKS005: ['EKS011', 'EKS029'],
  EKS006: ['EKS023'],
  EKS007: ['EKS024'],
  EKS008: ['EKS010'],
  K8S001: ['K8S001'],
  K8S002: ['K8S012'],
  K8S003: ['K8S023'],
  K8S004: ['K8S017'],
  K8S005: ['K8S020'],
  K8S006: ['K8S021'],
  K8S007: ['K8S022'],
  K8S008: ['K8S024'],
  K8S011: ['K8S002'],
  K8S012: ['K8S037'],
  K8S013: ['K8S035'],
  K8S014: ['K8S038'],
  K8S015: ['K8S039'],
};

export const EKSUP_CODES: readonly string[] = Object.values(BY_EKSUP).flat();
