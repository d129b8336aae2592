/** Written by `npm run api-lifecycle` from k8s.io/api v0.20.15, v0.24.17, v0.27.16, v0.30.14, v0.34.4, v0.37.2; do not edit. */

/** A kind in an API version that is no alpha, and the minor from which Kubernetes has it. */
export interface ApiIntroduction {
  group: string;
  version: string;
  kind: string;
  plural: string;
  introducedIn: string;
}

/** From 1.31 on. */
export const API_INTRODUCTIONS: readonly ApiIntroduction[] = [
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'MutatingAdmissionPolicy',
    plural: 'mutatingadmissionpolicies',
    introducedIn: '1.36',
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'MutatingAdmissionPolicyBinding',
    plural: 'mutatingadmissionpolicybindings',
    introducedIn: '1.36',
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
    kind: 'MutatingAdmissionPolicy',
    plural: 'mutatingadmissionpolicies',
    introducedIn: '1.34',
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
    kind: 'MutatingAdmissionPolicyBinding',
    plural: 'mutatingadmissionpolicybindings',
    introducedIn: '1.34',
  },
  { group: 'certificates.k8s.io', version: 'v1', kind: 'ClusterTrustBundle', plural: 'clustertrustbundles', introducedIn: '1.37' },
  { group: 'certificates.k8s.io', version: 'v1', kind: 'PodCertificateRequest', plural: 'podcertificaterequests', introducedIn: '1.37' },
  { group: 'certificates.k8s.io', version: 'v1beta1', kind: 'ClusterTrustBundle', plural: 'clustertrustbundles', introducedIn: '1.33' },
  {
    group: 'certificates.k8s.io',
    version: 'v1beta1',
    kind: 'PodCertificateRequest',
    plural: 'podcertificaterequests',
    introducedIn: '1.35',
  },
  { group: 'coordination.k8s.io', version: 'v1beta1', kind: 'LeaseCandidate', plural: 'leasecandidates', introducedIn: '1.33' },
  { group: 'networking.k8s.io', version: 'v1', kind: 'IPAddress', plural: 'ipaddresses', introducedIn: '1.33' },
  { group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR', plural: 'servicecidrs', introducedIn: '1.33' },
  { group: 'networking.k8s.io', version: 'v1beta1', kind: 'IPAddress', plural: 'ipaddresses', introducedIn: '1.31' },
  { group: 'networking.k8s.io', version: 'v1beta1', kind: 'ServiceCIDR', plural: 'servicecidrs', introducedIn: '1.31' },
  { group: 'resource.k8s.io', version: 'v1', kind: 'DeviceClass', plural: 'deviceclasses', introducedIn: '1.34' },
  { group: 'resource.k8s.io', version: 'v1', kind: 'DeviceTaintRule', plural: 'devicetaintrules', introducedIn: '1.37' },
  { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim', plural: 'resourceclaims', introducedIn: '1.34' },
  { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', introducedIn: '1.34' },
  { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice', plural: 'resourceslices', introducedIn: '1.34' },
  { group: 'resource.k8s.io', version: 'v1beta1', kind: 'DeviceClass', plural: 'deviceclasses', introducedIn: '1.32' },
  { group: 'resource.k8s.io', version: 'v1beta1', kind: 'ResourceClaim', plural: 'resourceclaims', introducedIn: '1.32' },
  { group: 'resource.k8s.io', version: 'v1beta1', kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', introducedIn: '1.32' },
  { group: 'resource.k8s.io', version: 'v1beta1', kind: 'ResourceSlice', plural: 'resourceslices', introducedIn: '1.32' },
  { group: 'resource.k8s.io', version: 'v1beta2', kind: 'DeviceClass', plural: 'deviceclasses', introducedIn: '1.33' },
  { group: 'resource.k8s.io', version: 'v1beta2', kind: 'DeviceTaintRule', plural: 'devicetaintrules', introducedIn: '1.36' },
  { group: 'resource.k8s.io', version: 'v1beta2', kind: 'ResourceClaim', plural: 'resourceclaims', introducedIn: '1.33' },
  { group: 'resource.k8s.io', version: 'v1beta2', kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', introducedIn: '1.33' },
  { group: 'resource.k8s.io', version: 'v1beta2', kind: 'ResourceSlice', plural: 'resourceslices', introducedIn: '1.33' },
  { group: 'scheduling.k8s.io', version: 'v1beta1', kind: 'PodGroup', plural: 'podgroups', introducedIn: '1.37' },
  { group: 'scheduling.k8s.io', version: 'v1beta1', kind: 'Workload', plural: 'workloads', introducedIn: '1.37' },
  { group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttributesClass', plural: 'volumeattributesclasses', introducedIn: '1.34' },
  { group: 'storage.k8s.io', version: 'v1beta1', kind: 'VolumeAttributesClass', plural: 'volumeattributesclasses', introducedIn: '1.31' },
  {
    group: 'storagemigration.k8s.io',
    version: 'v1',
    kind: 'StorageVersionMigration',
    plural: 'storageversionmigrations',
    introducedIn: '1.37',
  },
  {
    group: 'storagemigration.k8s.io',
    version: 'v1beta1',
    kind: 'StorageVersionMigration',
    plural: 'storageversionmigrations',
    introducedIn: '1.35',
  },
];
