/** Services by what of their API goes: Endpoints that are written by hand, external IPs. */
import { count } from '../../../core/text.ts';
import { type Check, check, unlessAny } from '../../model/check.ts';
import { resourceOf } from '../../model/names.ts';

export const serviceChecks: readonly Check[] = [
  check({
    code: 'K8S032',
    area: 'Kubernetes',
    title: 'Nobody writes Endpoints by hand',
    severity: [{ from: '1.33', severity: 'recommended' }],
    reads: ['services'],
    remediation: 'Write an EndpointSlice with the label kubernetes.io/service-name: Endpoints are deprecated.',
    source: 'https://kubernetes.io/blog/2025/04/24/endpoints-deprecation/',
    look({ services }) {
      const written = services.filter(({ handWritten }) => handWritten);
      return unlessAny(
        written.map((each) => resourceOf('Endpoints', each)),
        'All endpoints come from the selectors of Services, or are EndpointSlices.',
        `${count(written.length, 'Service')} with Endpoints that somebody writes by hand.`,
      );
    },
  }),
  check({
    code: 'K8S040',
    area: 'Kubernetes',
    title: 'No Service has external IPs',
    severity: [{ from: '1.36', severity: 'recommended' }],
    reads: ['services'],
    remediation: 'Use type LoadBalancer or a Gateway: spec.externalIPs is deprecated from 1.36 and lets anyone claim any address.',
    source: 'https://kubernetes.io/blog/2026/05/14/kubernetes-v1-36-deprecation-and-removal-of-service-externalips/',
    look({ services }) {
      const external = services.filter(({ externalIps }) => externalIps);
      return unlessAny(
        external.map((each) => resourceOf('Service', each)),
        'No Service has external IPs.',
        `${count(external.length, 'Service')} with external IPs.`,
      );
    },
  }),
];
