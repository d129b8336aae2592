/** Versions that EKS offers for its usual add-ons in tests, newest first, with the minors they are valid on. */

export interface CatalogueEntry {
  version: string;
  minors: string[];
  defaultFor: string[];
}

export const ADD_ON_CATALOGUE: Record<string, CatalogueEntry[]> = {
  coredns: [
    { version: 'v1.13.1-eksbuild.1', minors: ['1.34', '1.35'], defaultFor: ['1.35'] },
    { version: 'v1.12.3-eksbuild.1', minors: ['1.33', '1.34', '1.35'], defaultFor: ['1.34'] },
    { version: 'v1.12.2-eksbuild.4', minors: ['1.33', '1.34'], defaultFor: [] },
    { version: 'v1.12.1-eksbuild.2', minors: ['1.32', '1.33', '1.34'], defaultFor: ['1.33'] },
    { version: 'v1.11.4-eksbuild.2', minors: ['1.29', '1.30', '1.31', '1.32', '1.33'], defaultFor: ['1.32'] },
    { version: 'v1.11.3-eksbuild.1', minors: ['1.28', '1.29', '1.30', '1.31', '1.32'], defaultFor: ['1.31', '1.30'] },
  ],
  'vpc-cni': [
    { version: 'v1.21.0-eksbuild.4', minors: ['1.31', '1.32', '1.33', '1.34', '1.35'], defaultFor: ['1.35'] },
    { version: 'v1.20.4-eksbuild.2', minors: ['1.30', '1.31', '1.32', '1.33', '1.34', '1.35'], defaultFor: ['1.34'] },
    { version: 'v1.20.1-eksbuild.3', minors: ['1.30', '1.31', '1.32', '1.33', '1.34'], defaultFor: [] },
    { version: 'v1.19.5-eksbuild.1', minors: ['1.29', '1.30', '1.31', '1.32', '1.33'], defaultFor: ['1.33'] },
    { version: 'v1.19.0-eksbuild.1', minors: ['1.29', '1.30', '1.31', '1.32'], defaultFor: ['1.32', '1.31'] },
    { version: 'v1.18.3-eksbuild.3', minors: ['1.27', '1.28', '1.29', '1.30', '1.31'], defaultFor: ['1.30'] },
  ],
  'kube-proxy': [
    { version: 'v1.35.0-eksbuild.2', minors: ['1.35'], defaultFor: ['1.35'] },
    { version: 'v1.34.0-eksbuild.2', minors: ['1.34', '1.35'], defaultFor: ['1.34'] },
    { version: 'v1.33.3-eksbuild.4', minors: ['1.33', '1.34', '1.35'], defaultFor: ['1.33'] },
    { version: 'v1.32.0-eksbuild.2', minors: ['1.32', '1.33', '1.34', '1.35'], defaultFor: ['1.32'] },
    { version: 'v1.31.2-eksbuild.3', minors: ['1.31', '1.32', '1.33', '1.34'], defaultFor: ['1.31'] },
    { version: 'v1.30.6-eksbuild.3', minors: ['1.30', '1.31', '1.32', '1.33'], defaultFor: ['1.30'] },
  ],
  'aws-ebs-csi-driver': [
    { version: 'v1.48.0-eksbuild.1', minors: ['1.31', '1.32', '1.33', '1.34', '1.35'], defaultFor: ['1.35', '1.34', '1.33'] },
    { version: 'v1.38.1-eksbuild.1', minors: ['1.29', '1.30', '1.31', '1.32', '1.33'], defaultFor: ['1.32', '1.31'] },
    { version: 'v1.35.0-eksbuild.1', minors: ['1.28', '1.29', '1.30', '1.31'], defaultFor: ['1.30'] },
  ],
};
