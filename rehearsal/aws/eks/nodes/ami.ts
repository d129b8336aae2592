/** A machine image of the twin. */
export interface Ami {
  id: string;
  name: string;
  family: AmiFamily;
  arch: 'x86_64' | 'arm64';
  /** Kubernetes minor that the image's kubelet has. */
  minor: string;
  /** e.g. "v20250403" */
  release: string;
  /** nvidia, neuron; absent: the standard one. */
  variant?: string;
  /** As its kubelets report it, "v1.33.5-eks-113cf36"; absent: the patch that the twin knows of the minor. */
  kubelet?: string;
  /** Of managed node groups, "1.33.5-20251016". */
  releaseVersion?: string;
}

export type AmiFamily = 'al2' | 'al2023' | 'bottlerocket';
