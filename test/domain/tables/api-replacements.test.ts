/** What to write instead of an API version that goes: named by the type, or not, and gone again since, or not served yet. */
import { expect, test } from 'vitest';
import { parseKubernetesVersion } from '../../../domain/core/version.ts';
import { lifecycleOf, replacementAt } from '../../../domain/tables/api-replacements.ts';

const FLOW = 'flowcontrol.apiserver.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';

test.each([
  { what: 'the type names it', api: ['policy', 'v1beta1', 'PodDisruptionBudget'], at: '1.33', says: 'policy/v1 PodDisruptionBudget' },
  { what: 'the one that it names is gone as well', api: [FLOW, 'v1beta2', 'FlowSchema'], at: '1.33', says: `${FLOW}/v1 FlowSchema` },
  { what: 'the one that it names goes next', api: [FLOW, 'v1beta2', 'FlowSchema'], at: '1.31', says: `${FLOW}/v1 FlowSchema` },
  {
    what: 'the one that it names is not served yet',
    api: ['storage.k8s.io', 'v1alpha1', 'VolumeAttributesClass'],
    at: '1.33',
    says: 'storage.k8s.io/v1beta1 VolumeAttributesClass',
  },
  {
    what: 'the type names none, and its kind is in v1 for long',
    api: [ADMISSION, 'v1beta1', 'ValidatingAdmissionPolicy'],
    at: '1.34',
    says: `${ADMISSION}/v1 ValidatingAdmissionPolicy`,
  },
  {
    what: 'the type names none',
    api: ['networking.k8s.io', 'v1alpha1', 'IPAddress'],
    at: '1.32',
    says: 'networking.k8s.io/v1beta1 IPAddress',
  },
  {
    what: 'the same one minor later',
    api: ['networking.k8s.io', 'v1alpha1', 'IPAddress'],
    at: '1.33',
    says: 'networking.k8s.io/v1 IPAddress',
  },
  { what: 'an older version is no way out', api: ['resource.k8s.io', 'v1beta2', 'ResourceClaim'], at: '1.33', says: undefined },
  { what: 'the kind is dropped', api: ['policy', 'v1beta1', 'PodSecurityPolicy'], at: '1.33', says: undefined },
  { what: 'the kind is dropped, under its older group', api: ['extensions', 'v1beta1', 'PodSecurityPolicy'], at: '1.33', says: undefined },
  { what: 'Belay does not know', api: ['events.k8s.io', 'v1beta1', 'Event'], at: '1.33', says: undefined },
])('$api.0/$api.1 $api.2 at $at, where $what: $says', ({ api: [group = '', version = '', kind = ''], at, says }) => {
  const life = lifecycleOf({ group, version, kind });
  expect(life && replacementAt(life, parseKubernetesVersion(at))).toBe(says);
  expect(life).toBeDefined();
});
