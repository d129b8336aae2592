/** What eksup 0.15.1 checks (its docs/info/checks.md), in our codes. */

/** Codes of eksup 0.15.1 and ours that say the same; several where we tell apart what it does not. */
export const OURS: Record<string, readonly string[]> = {
  EKS001: ['AWS001'],
  EKS002: ['EKS001'],
  EKS003: ['EKS009'],
  EKS004: ['EKS012'],
  EKS005: ['EKS011', 'EKS029', 'EKS031', 'EKS032', 'K8S002'],
  EKS006: ['EKS023'],
  EKS007: ['EKS024'],
  EKS008: ['EKS010'],
  EKS009: ['EKS004'],
  // Insights of all other categories: to eksup those on rollbacks are misconfigurations.
  EKS010: ['EKS018', 'EKS019'],
  AWS001: ['AWS002'],
  AWS002: ['AWS003'],
  AWS003: ['AWS007'],
  AWS004: ['AWS008'],
  AWS005: ['AWS009'],
  K8S001: ['K8S001', 'K8S042'],
  K8S002: ['K8S012'],
  K8S003: ['K8S023'],
  K8S004: ['K8S017'],
  K8S005: ['K8S020'],
  K8S006: ['K8S021'],
  K8S007: ['K8S022'],
  K8S008: ['K8S024'],
  K8S011: ['K8S002', 'K8S043'],
  K8S012: ['K8S037'],
  K8S013: ['K8S035'],
  K8S014: ['K8S038'],
  K8S015: ['K8S039'],
  K8S016: ['K8S040'],
};

/** Those that Belay finds in the same answers: it refreshes insights first, which eksup does not. */
export const WITHOUT_INSIGHTS: readonly string[] = Object.entries(OURS).flatMap(([code, own]) =>
  code === 'EKS009' || code === 'EKS010' ? [] : own,
);
