/** The conditions of a way back one by one, in whole words: what is not known is asked about, never taken for a yes. */
import { expect, test } from 'vitest';
import type { Finding } from '../../../../domain/core/findings.ts';
import { parseKubernetesVersion } from '../../../../domain/core/version.ts';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { wayBack } from '../../../../domain/facts/rollback-window.ts';
import type { SeenForBack } from '../../../../domain/plan/rollback/evidence.ts';
import { backFindings } from '../../../../domain/plan/rollback/findings.ts';
import { addOn, healthyFacts, NOW, policy } from '../../../support/facts.ts';

const OPEN: SeenForBack = { back: wayBack('1.33', [{ type: 'VersionUpdate', to: '1.33', createdAt: NOW }], NOW) };
const { karpenter, istio } = healthyFacts();
if (karpenter === undefined || istio === undefined) throw new Error('the healthy cluster has Karpenter and Istio');

const OFFERED = "EKS offers 1.32 under the cluster's upgrade policy";
const QUIET = 'The cluster is ACTIVE and EKS busy with nothing else';

test.each<{ what: string; code: string; facts?: Partial<ClusterFacts>; seen?: Partial<SeenForBack>; is: Partial<Finding>[] }>([
  {
    what: 'EKS takes this control plane back already: that is no other update',
    code: 'RBK002',
    facts: { updateInProgress: { id: 'u-1', type: 'VersionRollback', version: '1.32' } },
    is: [],
  },
  {
    what: 'EKS takes it back to another minor',
    code: 'RBK002',
    facts: { updateInProgress: { id: 'u-1', type: 'VersionRollback', version: '1.31' } },
    is: [
      {
        title: QUIET,
        severity: 'required',
        status: 'fail',
        message: 'EKS is busy with VersionRollback (u-1).',
        remediation: 'Wait until it has ended, then ask again.',
      },
    ],
  },
  {
    what: 'what EKS offers was not read',
    code: 'RBK003',
    facts: { supportedVersions: [] },
    is: [{ title: OFFERED, severity: 'required', status: 'unknown', message: 'What EKS offers could not be read.' }],
  },
  {
    what: 'until when EKS supports the minor is not said',
    code: 'RBK003',
    facts: { supportedVersions: [{ version: '1.32', status: 'STANDARD_SUPPORT' }] },
    is: [{ title: OFFERED, severity: 'required', status: 'unknown', message: 'What EKS offers could not be read.' }],
  },
  {
    what: 'the minor is gone',
    code: 'RBK003',
    facts: { supportedVersions: healthyFacts().supportedVersions.filter(({ version }) => version !== '1.32') },
    is: [
      {
        title: OFFERED,
        severity: 'required',
        status: 'fail',
        message: 'EKS does not offer 1.32 any more.',
        remediation: 'The cluster cannot be rolled back to it.',
      },
    ],
  },
  ...[
    { version: '1.32', endOfStandardSupport: '2025-03-23', endOfExtendedSupport: '2026-03-23' },
    { version: '1.32', endOfStandardSupport: '2025-03-23', endOfExtendedSupport: '2026-03-23', status: 'UNSUPPORTED' as const },
  ].map((over) => ({
    what: `the minor is listed, and its extended support is over (${'status' in over ? 'status' : 'date'})`,
    code: 'RBK003',
    facts: { supportedVersions: [over], controlPlane: { ...healthyFacts().controlPlane, supportType: 'EXTENDED' as const } },
    is: [
      {
        title: OFFERED,
        severity: 'required' as const,
        status: 'fail' as const,
        message: 'EKS does not offer 1.32 any more: its extended support ended on 2026-03-23.',
        remediation: 'The cluster cannot be rolled back to it.',
      },
    ],
  })),
  {
    what: 'EKS says nothing of an add-on',
    code: 'RBK007',
    facts: { addOns: [addOn('coredns', 'v1.12.2-eksbuild.4', { offered: {} })] },
    is: [
      {
        title: 'Add-on coredns supports 1.32',
        severity: 'required',
        status: 'unknown',
        message: 'EKS does not say whether coredns v1.12.2-eksbuild.4 supports 1.32.',
        resources: ['coredns'],
      },
    ],
  },
  {
    what: 'a Karpenter and an Istio of which nothing is known',
    code: 'RBK008',
    facts: {
      karpenter: { ...karpenter, version: 'latest' },
      istio: { ...istio, revisions: [{ revision: 'next', version: '1.99.0', namespace: 'istio-system', ready: true }] },
    },
    is: [
      {
        title: 'Karpenter latest supports 1.32',
        severity: 'required',
        status: 'unknown',
        message: 'Whether Karpenter latest supports 1.32 is not known to this release of Belay.',
      },
      {
        title: 'Istio 1.99.0 (revision next) supports 1.32',
        severity: 'required',
        status: 'unknown',
        message: 'Whether Istio 1.99.0 (revision next) supports 1.32 is not known to this release of Belay.',
      },
    ],
  },
  {
    what: 'EKS has insights about an upgrade alone',
    code: 'RBK009',
    seen: { insights: [{ name: 'Deprecated APIs', category: 'UPGRADE_READINESS', status: 'PASSING' }] },
    is: [
      {
        title: "EKS's rollback readiness",
        severity: 'required',
        status: 'unknown',
        message: 'EKS lists no insight about a rollback.',
      },
    ],
  },
])('$code: $what', ({ code, facts, seen, is }) => {
  const findings = backFindings({
    facts: healthyFacts(facts),
    seen: { ...OPEN, ...seen },
    backTo: parseKubernetesVersion('1.32'),
    policy: policy(),
    later: [],
  });
  expect(findings.filter((each) => each.code === code)).toEqual(
    is.map((each) => ({ code, resources: [], resourceCount: each.resources?.length ?? 0, ...each })),
  );
});
