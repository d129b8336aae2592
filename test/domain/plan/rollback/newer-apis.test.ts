/** What only the newer minor serves: which kinds are looked at before a control plane goes back, and what is said of what is kept there. */
import { describe, expect, test } from 'vitest';
import { newerApis } from '../../../../domain/facts/newer-apis.ts';
import { newerApiFindings } from '../../../../domain/plan/rollback/newer-apis.ts';
import type { NewerApiSeen, NewerObject } from '../../../../domain/plan/rollback/evidence.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import { healthyFacts, NOW, policy } from '../../../support/facts.ts';

const said = (minor: string): string[] =>
  newerApis(parseKubernetesVersion(minor)).map(
    ({ kind, newVersions, before }) =>
      `${kind} ${newVersions.join(' ')} (${before.kind}${before.kind === 'none' ? '' : ` ${before.version}`})`,
  );

describe('what a minor has and the one before it has not', () => {
  test.each([
    {
      minor: '1.33',
      has: [
        'ClusterTrustBundle v1beta1 (none)',
        'IPAddress v1 (off v1beta1)',
        'ServiceCIDR v1 (off v1beta1)',
        // EKS serves these betas since 1.33.
        ...['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'].map((kind) => `${kind} v1beta1 v1beta2 (none)`),
      ],
    },
    {
      minor: '1.34',
      has: [
        'MutatingAdmissionPolicy v1beta1 (none)',
        'MutatingAdmissionPolicyBinding v1beta1 (none)',
        'ClusterTrustBundle  (off v1beta1)',
        ...['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'].map((kind) => `${kind} v1 (served v1beta1)`),
        'VolumeAttributesClass v1 (served v1beta1)',
      ],
    },
    // Its older minor is served all that it has.
    { minor: '1.30', has: [] },
  ])('$minor', ({ minor, has }) => expect(said(minor)).toEqual(has));
});

const DAY_MS = 24 * 3_600_000;

/** The findings of a cluster at this minor, which has moved two days ago, with these objects by kind; nothing of the other kinds. */
function found(minor: string, objects: Record<string, NewerObject[] | string>, looked = true) {
  const at = parseKubernetesVersion(minor);
  const facts = healthyFacts();
  const moved = new Date(Date.parse(NOW) - 2 * DAY_MS).toISOString();
  const back = wayBack(minor, [{ type: 'VersionUpdate', to: minor, createdAt: moved }], NOW);
  const seen = newerApis(at).map((api): NewerApiSeen => ({ api, objects: objects[api.kind] ?? [] }));
  return newerApiFindings({
    facts: { ...facts, controlPlane: { ...facts.controlPlane, version: minor } },
    seen: { back, ...(looked ? { newerApis: seen } : {}) },
    backTo: { major: 1, minor: at.minor - 1 },
    policy: policy(),
    later: [],
  });
}

const object = (name: string, version: string, manager = 'kubectl', namespace?: string): NewerObject => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  writers: [{ manager, version }],
});

describe('what is kept there', () => {
  test('nothing: it passes', () => {
    expect(found('1.33', {})).toEqual([
      { code: 'RBK011', title: 'Nothing is kept in an API that 1.32 does not have', status: 'pass', message: 'Nothing is.' },
    ]);
    expect(found('1.30', {})).toMatchObject([{ status: 'pass', message: '1.29 has them all.' }]);
  });

  test('objects of a kind that the older minor does not have stand in the way, by name', () => {
    const findings = found('1.33', { ResourceClaim: [object('gpu', 'v1beta1', 'kubectl', 'ml'), object('fpga', 'v1beta1', 'helm', 'ml')] });
    expect(findings).toEqual([
      {
        code: 'RBK011',
        title: 'Nothing is kept in an API that 1.32 does not have',
        message:
          '1.32 has no such kind, so nobody can read or delete them there, and what relies on them stops. 2 objects of ResourceClaim (resource.k8s.io): ml/gpu, ml/fpga.',
        resources: ['ml/gpu', 'ml/fpga'],
        remediation:
          'Keep a copy (kubectl get resourceclaims.resource.k8s.io -A -o yaml), delete them and what relies on them, and ask again.',
      },
    ]);
  });

  test('a beta that the older minor may or may not serve is unknown, not a pass', () => {
    expect(found('1.33', { ServiceCIDR: [object('more', 'v1')] })).toMatchObject([
      {
        status: 'unknown',
        message:
          '1.32 has this kind as v1beta1 alone, which Kubernetes leaves off; whether EKS turns it on is not known. 1 object of ServiceCIDR (networking.k8s.io): more.',
      },
    ]);
  });

  test('a kind that stays: whoever writes its newer version is named, and it stops nobody', () => {
    expect(found('1.34', { VolumeAttributesClass: [object('gold', 'v1', 'terraform'), object('silver', 'v1beta1')] })).toMatchObject([
      {
        severity: 'recommended',
        message:
          '1.33 serves VolumeAttributesClass as storage.k8s.io/v1beta1, not as storage.k8s.io/v1, in which terraform wrote 1 object. They stay; the next apply fails.',
        resources: ['gold'],
        remediation: 'Write storage.k8s.io/v1beta1 at the source (manifest, chart, controller) before the control plane goes back.',
      },
    ]);
  });

  test('what the control plane itself writes goes back with it', () => {
    expect(found('1.34', { ResourceClaim: [object('made', 'v1', 'kube-controller-manager')] })).toMatchObject([{ status: 'pass' }]);
  });

  test('what may not be listed is unknown, with what to allow; and so is what nobody has looked at', () => {
    const [blind] = found('1.33', { ServiceCIDR: 'not permitted: listing servicecidrs' });
    expect(blind).toMatchObject({
      status: 'unknown',
      message: 'Objects of servicecidrs.networking.k8s.io cannot be seen: not permitted: listing servicecidrs.',
      remediation: 'Allow list on servicecidrs.networking.k8s.io, as deploy/kubernetes-rbac.yaml does.',
    });
    expect(found('1.33', {}, false)).toMatchObject([{ status: 'unknown', message: expect.stringContaining('nobody has looked') }]);
  });
});
