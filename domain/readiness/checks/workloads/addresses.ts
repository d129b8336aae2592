/** IP addresses and CIDRs that API servers of 1.36 reject in new objects. */
import { agree, count } from '../../../core/text.ts';
import { type Check, check, type Look, type Resource } from '../../model/check.ts';
import { hasOwnTemplate, resourceOf } from '../../model/names.ts';

interface WithAddresses {
  namespace: string;
  name: string;
  addressFaults?: string[];
}

const refused = (kind: string, each: WithAddresses): Resource[] =>
  each.addressFaults === undefined ? [] : [{ ...resourceOf(kind, each), note: each.addressFaults.join(', ') }];

export const addressChecks: readonly Check[] = [
  check({
    code: 'K8S048',
    area: 'Kubernetes',
    title: 'IP addresses and CIDRs are valid in 1.36',
    severity: [{ from: '1.36', severity: 'required' }],
    reads: ['workloads', 'services', 'networkPolicies'],
    remediation:
      'Before the control plane moves, remove leading zeros (10.0.0.5, not 010.0.0.5), write IPv4-mapped IPv6 as IPv4, and start each CIDR at its network address (10.0.0.0/8, not 10.0.0.5/8).',
    source: 'https://github.com/kubernetes/enhancements/tree/master/keps/sig-network/4858-ip-cidr-validation',
    look({ workloads, services, networkPolicies }) {
      const templates = workloads.filter(hasOwnTemplate).flatMap((each) => refused(each.kind, each));
      const others = [
        ...services.flatMap((each) => refused('Service', each)),
        ...networkPolicies.flatMap((each) => refused('NetworkPolicy', each)),
      ];
      const looks: Look[] = [];
      if (templates.length > 0) {
        looks.push({
          fail: `${count(templates.length, 'workload')} with an address that API servers of 1.36 reject: ${agree(templates.length, 'its', 'their')} pods cannot be created again, such as when a node is replaced.`,
          resources: templates,
        });
      }
      if (others.length > 0) {
        looks.push({
          fail: `${count(others.length, 'object')} with an address that API servers of 1.36 reject: ${agree(others.length, 'it stays, but cannot', 'they stay, but cannot')} be created again.`,
          severity: 'recommended',
          remediation: 'Correct the manifests at their source before they are applied to a new cluster or restored.',
          resources: others,
        });
      }
      return looks.length > 0 ? looks : { pass: 'No template, Service or NetworkPolicy has an address that API servers of 1.36 reject.' };
    },
  }),
];
