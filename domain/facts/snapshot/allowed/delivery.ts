/** Istio's objects, who delivers charts, and custom networking. */
import { conditions, reference } from './parts.ts';
import { type AllowedGroup, type AllowedList, under } from './types.ts';

const custom = (apiVersion: string, plural: string, groups: AllowedGroup[] = []): AllowedList => ({
  apiVersion,
  plural,
  groups,
  custom: true,
});

const SOURCE = ['chart', 'targetRevision'];

export const DELIVERY: readonly AllowedList[] = [
  custom('gateway.networking.k8s.io/v1', 'gatewayclasses', [{ why: 'whose Gateways are Istio’s', paths: ['spec.controllerName'] }]),
  custom('gateway.networking.k8s.io/v1', 'gateways', [
    {
      why: 'what it is made by, and whether it has an address of its own',
      paths: ['spec.gatewayClassName', 'spec.addresses[].type', ...conditions()],
    },
  ]),
  // Of the others the name and the revision that a label binds them to.
  custom('gateway.networking.k8s.io/v1', 'httproutes'),
  custom('gateway.networking.k8s.io/v1', 'grpcroutes'),
  ...['destinationrules', 'gateways', 'serviceentries', 'sidecars', 'virtualservices', 'workloadentries', 'workloadgroups'].map((plural) =>
    custom('networking.istio.io/v1', plural),
  ),
  custom('networking.istio.io/v1alpha3', 'envoyfilters', [
    { why: 'whether it names a version of the proxy', paths: ['spec.configPatches[].match.proxy.proxyVersion'] },
  ]),
  custom('networking.istio.io/v1beta1', 'proxyconfigs'),
  custom('extensions.istio.io/v1alpha1', 'wasmplugins'),
  custom('telemetry.istio.io/v1', 'telemetries'),
  ...['authorizationpolicies', 'peerauthentications', 'requestauthentications'].map((plural) => custom('security.istio.io/v1', plural)),
  {
    ...custom('helm.toolkit.fluxcd.io/v2', 'helmreleases', [
      {
        why: 'which chart it delivers to this cluster, and whether that is at rest; those for other clusters are left out',
        paths: [
          ...under('spec', ['suspend', 'interval', 'releaseName', 'targetNamespace', 'chart.spec.chart', 'chart.spec.version']),
          ...reference('spec.chart.spec.sourceRef'),
          ...reference('spec.chartRef'),
          ...conditions(),
        ],
      },
    ]),
    writers: true,
  },
  // Of Flux before 2.3 that it is there.
  custom('helm.toolkit.fluxcd.io/v2beta2', 'helmreleases'),
  custom('helm.toolkit.fluxcd.io/v2beta1', 'helmreleases'),
  {
    ...custom('source.toolkit.fluxcd.io/v1', 'ocirepositories', [
      {
        why: 'which chart in which version',
        paths: [...under('spec', ['suspend', 'interval', 'url=chart', 'ref.tag', 'ref.semver', 'ref.digest']), ...conditions()],
      },
    ]),
    writers: true,
  },
  {
    ...custom('argoproj.io/v1alpha1', 'applications', [
      {
        why: 'which chart it delivers to this cluster, and whether it puts changes back; those for other clusters are left out',
        paths: [
          ...under('spec.source', SOURCE),
          ...under('spec.sources[]', SOURCE),
          ...under('spec', ['project', 'destination.namespace', 'syncPolicy.automated.prune', 'syncPolicy.automated.selfHeal']),
          ...under('status', ['sync.status', 'health.status', 'operationState.phase']),
        ],
      },
    ]),
    writers: true,
  },
  custom('crd.k8s.amazonaws.com/v1alpha1', 'eniconfigs', [
    { why: 'which subnet pods of a zone take addresses from', paths: ['spec.subnet', 'spec.securityGroups[]'] },
  ]),
];
