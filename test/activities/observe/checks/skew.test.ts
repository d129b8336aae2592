/** What may stand beside a control plane at 1.34: kubelets, kube-proxy, Karpenter and Istio, each in its range, out of it, or not to be told. */
import { expect, test } from 'vitest';
import { checkIstioVersions, checkKarpenterVersion, checkKubelets, checkKubeProxy } from '../../../../activities/observe/checks/skew.ts';
import type { Finding } from '../../../../domain/core/findings.ts';
import type { ClusterFacts, GatewayFact, IstioFact } from '../../../../domain/facts/facts.ts';
import { addOn, healthyFacts } from '../../../support/facts.ts';
import { unread } from '../../../support/unread.ts';

interface Case {
  check: (facts: ClusterFacts, to: string) => Finding | Finding[];
  what: string;
  change: Partial<ClusterFacts>;
  are: Partial<Finding>[];
}

const TO = '1.34';
const { controlPlane, karpenter, istio } = healthyFacts();
const AUTO_MODE: Partial<ClusterFacts> = { controlPlane: { ...controlPlane, autoMode: true } };
const unseen = (what: string): Partial<ClusterFacts> => ({ unknowns: [unread(what)] });
const kubelets = (...minors: string[]): Partial<ClusterFacts> => ({
  kubelets: minors.map((minor) => ({ minor, count: 2, owner: 'self-managed' })),
});
const proxy = (version: string): Partial<ClusterFacts> => ({ addOns: [addOn('kube-proxy', version)] });
const karpenterAt = (version: string): Partial<ClusterFacts> => ({ ...(karpenter && { karpenter: { ...karpenter, version } }) });
const mesh = (...revisions: Partial<IstioFact['revisions'][number]>[]): Partial<ClusterFacts> => ({
  ...(istio && {
    istio: {
      ...istio,
      revisions: revisions.map((change) => ({ revision: '1-30', version: '1.30.1', namespace: 'istio-system', ready: true, ...change })),
    },
  }),
});
const OLD_ISTIOD = { revision: '1-26', version: '1.26.2', namespace: 'istio-system', ready: true };
const GATEWAY: GatewayFact = {
  kind: 'Deployment',
  namespace: 'edge',
  name: 'ingress',
  by: 'own-label',
  selector: '1-26',
  revision: '1-26',
  replicas: 2,
};

test.each<Case>([
  { check: checkKubelets, what: 'three minors behind', change: kubelets('1.34', '1.31'), are: [{ status: 'pass' }] },
  {
    check: checkKubelets,
    what: 'four behind, one ahead, one that is no version',
    change: { ...kubelets('1.33', '1.30', '1.35', 'unknown'), ...unseen('the nodes') },
    are: [
      {
        code: 'K8S001',
        status: 'fail',
        message:
          'With the control plane at 1.34 these kubelets are out of range: 2 self-managed at 1.30, 2 self-managed at 1.35, 2 self-managed at unknown.',
        resources: ['2 self-managed at 1.30', '2 self-managed at 1.35', '2 self-managed at unknown'],
        remediation: 'Replace these nodes before this hop.',
      },
    ],
  },
  ...['the nodes', 'the kubelet version of node a'].map((what) => ({
    check: checkKubelets,
    what: `${what} cannot be seen`,
    change: unseen(what),
    are: [{ status: 'unknown' as const, message: 'Kubelet versions cannot be seen: access denied.' }],
  })),
  { check: checkKubeProxy, what: 'three minors behind', change: proxy('v1.31.2-eksbuild.3'), are: [{ status: 'pass' }] },
  {
    check: checkKubeProxy,
    what: 'four behind',
    change: proxy('v1.30.6-eksbuild.3'),
    are: [
      {
        code: 'K8S002',
        status: 'fail',
        message: 'kube-proxy v1.30.6-eksbuild.3 is more than 3 minors behind 1.34.',
        resources: ['kube-proxy'],
        remediation: 'Bring kube-proxy to a version for 1.34.',
      },
    ],
  },
  {
    check: checkKubeProxy,
    what: 'one ahead',
    change: proxy('v1.35.0-eksbuild.2'),
    are: [
      {
        status: 'fail',
        message: 'kube-proxy v1.35.0-eksbuild.2 is newer than the control plane at 1.34.',
        resources: ['kube-proxy'],
        remediation: 'Bring kube-proxy to a version for 1.34 or older.',
      },
    ],
  },
  {
    check: checkKubeProxy,
    what: 'a version that says nothing',
    change: proxy('latest'),
    are: [{ status: 'unknown', message: 'kube-proxy\'s version "latest" cannot be read.', resources: ['kube-proxy'] }],
  },
  {
    check: checkKubeProxy,
    what: 'none on Auto Mode',
    change: { ...AUTO_MODE, addOns: [] },
    are: [{ status: 'pass', message: 'Auto Mode runs kube-proxy itself.' }],
  },
  {
    check: checkKubeProxy,
    what: 'none, and no Auto Mode',
    change: { addOns: [] },
    are: [{ status: 'unknown', message: 'kube-proxy was found neither as an add-on nor in kube-system.' }],
  },
  ...['the add-ons', 'add-on kube-proxy', 'kube-proxy in kube-system'].map((what) => ({
    check: checkKubeProxy,
    what: `on Auto Mode ${what} cannot be seen`,
    change: { ...AUTO_MODE, addOns: [], ...unseen(what) },
    are: [{ status: 'unknown' as const, message: `${what} cannot be seen: access denied.` }],
  })),
  {
    check: checkKarpenterVersion,
    what: 'supports it',
    change: {},
    are: [{ code: 'KAR001', status: 'pass', message: 'Karpenter 1.8.2 supports 1.34.' }],
  },
  {
    check: checkKarpenterVersion,
    what: 'does not',
    change: karpenterAt('1.5.3'),
    are: [
      {
        status: 'fail',
        message: 'Karpenter 1.5.3 does not support Kubernetes 1.34.',
        resources: ['Karpenter 1.5.3'],
        remediation: 'Change to a version that supports 1.34.',
      },
    ],
  },
  {
    check: checkKarpenterVersion,
    what: 'a version that says nothing',
    change: karpenterAt('unknown'),
    are: [
      {
        status: 'unknown',
        message: 'Whether Karpenter unknown supports Kubernetes 1.34 is not known to this release of Belay.',
        remediation: 'Look at its compatibility table and decide.',
      },
    ],
  },
  { check: checkKarpenterVersion, what: 'there is none', change: { karpenter: undefined, ...unseen('the nodes') }, are: [] },
  {
    check: checkKarpenterVersion,
    what: 'it cannot be seen',
    change: { karpenter: undefined, ...unseen('the Karpenter Deployment') },
    are: [{ code: 'KAR001', status: 'unknown', message: "Karpenter's version cannot be seen: access denied." }],
  },
  {
    check: checkIstioVersions,
    what: 'one that serves fits; one that serves none may be out of range, but not down',
    change: mesh({}, { revision: '1-26', version: '1.26.2', ready: false }),
    are: [
      { code: 'IST001', status: 'pass', message: 'Istio 1.30.1 (revision 1-30) supports 1.34.' },
      {
        code: 'IST002',
        status: 'fail',
        message: 'istiod of revision 1-26 is not fully available.',
        remediation: 'Repair istiod first: while its webhook fails, no pod can be created in its namespaces.',
      },
    ],
  },
  {
    check: checkIstioVersions,
    what: 'one that serves is of a version that says nothing',
    change: mesh({ version: 'unknown' }),
    are: [
      {
        code: 'IST001',
        status: 'unknown',
        message: 'Whether Istio unknown (revision 1-30) supports Kubernetes 1.34 is not known to this release of Belay.',
      },
      { code: 'IST002', status: 'pass' },
    ],
  },
  {
    check: checkIstioVersions,
    what: 'no namespace has sidecars, as in an ambient mesh: every revision counts',
    change: { ...(istio && { istio: { ...istio, namespaces: [], revisions: [{ ...OLD_ISTIOD, revision: 'default' }] } }) },
    are: [
      {
        code: 'IST001',
        status: 'fail',
        message: 'Istio 1.26.2 (revision default) does not support Kubernetes 1.34.',
        remediation: 'Change to a version that supports 1.34.',
      },
      { code: 'IST002', status: 'pass' },
    ],
  },
  {
    check: checkIstioVersions,
    what: 'a gateway alone is served by the one that does not fit',
    change: { ...(istio && { istio: { ...istio, gateways: [GATEWAY], revisions: [...istio.revisions, OLD_ISTIOD] } }) },
    are: [
      { code: 'IST001', status: 'pass', message: 'Istio 1.30.1 (revision 1-30) supports 1.34.' },
      { code: 'IST001', status: 'fail', message: 'Istio 1.26.2 (revision 1-26) does not support Kubernetes 1.34.' },
      { code: 'IST002', status: 'pass' },
    ],
  },
  { check: checkIstioVersions, what: 'there is none', change: { istio: undefined }, are: [] },
  {
    check: checkIstioVersions,
    what: 'istiods cannot be seen',
    change: { istio: undefined, ...unseen('the istiod Deployments') },
    are: [{ code: 'IST001', status: 'unknown', message: 'the istiod Deployments cannot be seen: access denied.' }],
  },
  {
    check: checkIstioVersions,
    what: 'whom they serve cannot be seen',
    change: { ...mesh({}), ...unseen('the namespaces') },
    are: [
      { code: 'IST001', status: 'pass' },
      { code: 'IST001', status: 'unknown', message: 'the namespaces cannot be seen: access denied.' },
      { code: 'IST002', status: 'pass' },
    ],
  },
])('$check.name: $what', ({ check, change, are }) => {
  expect([check(healthyFacts(change), TO)].flat()).toMatchObject(are);
});
