/** Istio's gateways, and configuration that does not move on with its pods. The last three are what `istioctl x precheck` and a canary ask for. */
import { matches } from '../../../core/label-selectors.ts';
import { count, someOf } from '../../../core/text.ts';
import { type Check, type Resource, unlessAny } from '../../model/check.ts';
import { resourceOf } from '../../model/names.ts';
import { istioCheck } from './typed-check.ts';

const GATEWAY_API = 'gateway.networking.k8s.io';
/** Kinds that istiod reads as v1beta1 or newer. */
const GATEWAY_KINDS = ['Gateway', 'GatewayClass', 'HTTPRoute', 'ReferenceGrant'];

export const gatewayChecks: readonly Check[] = [
  istioCheck({
    code: 'IST011',
    title: 'Gateways can lose a pod',
    severity: 'recommended',
    reads: ['istio', 'budgets'],
    remediation: 'Run at least two replicas with maxUnavailable 1: each proxy restart and node replacement takes one.',
    source: 'https://istio.io/latest/docs/setup/additional-setup/gateway/',
    look({ gateways = [] }, { budgets }) {
      const weak = gateways.flatMap((gateway): Resource[] => {
        const { kind, namespace, name, replicas, podLabels } = gateway;
        const holding = budgets.find(
          (each) => each.namespace === namespace && each.disruptionsAllowed === 0 && matches(each.selector, podLabels ?? {}),
        );
        if (holding !== undefined) return [{ kind, namespace, name, note: `budget ${holding.name} lets none of its pods go` }];
        return replicas === 1 ? [{ kind, namespace, name, note: 'one replica' }] : [];
      });
      return unlessAny(weak, 'Every gateway has a pod to spare.', `${count(weak.length, 'gateway')} without a pod to spare.`);
    },
  }),
  istioCheck({
    code: 'IST012',
    title: 'No configuration is bound to a revision',
    severity: 'recommended',
    reads: ['istio'],
    remediation: 'Remove the label istio.io/rev: other revisions ignore these, so moved pods lose routes and policies.',
    source: 'https://github.com/istio/istio/issues/58840',
    look: ({ bound }) =>
      unlessAny(
        bound.map(({ revision, ...each }) => ({ ...each, note: `istio.io/rev=${revision}` })),
        'Routes, rules and policies hold for every revision.',
        `${count(bound.length, 'object')} that only one revision reads: ${someOf(bound.map(({ namespace, name }) => `${namespace}/${name}`))}.`,
      ),
  }),
  istioCheck({
    code: 'IST013',
    title: 'The Gateway API is new enough for Istio',
    severity: 'required',
    reads: ['istio', 'definitions'],
    remediation: 'Install the CRDs of Gateway API 1.0 or newer: istiod ignores older objects.',
    source: 'https://istio.io/latest/docs/reference/config/analysis/ist0154/',
    look(_, { definitions }) {
      const old = definitions.filter(
        ({ group, kind, served }) =>
          group === GATEWAY_API && GATEWAY_KINDS.includes(kind) && !served.includes('v1beta1') && !served.includes('v1'),
      );
      return unlessAny(
        old.map(({ name, served }) => ({ kind: 'CustomResourceDefinition', name, note: `serves ${served.join(', ') || 'nothing'}` })),
        'The Gateway API is not there, or serves v1beta1 or v1.',
        `${count(old.length, 'definition')} of the Gateway API without v1beta1.`,
      );
    },
  }),
  istioCheck({
    code: 'IST014',
    title: 'No EnvoyFilter is bound to a proxy version',
    severity: 'recommended',
    reads: ['istio'],
    remediation: 'Before pods move, add a patch for the new version or remove proxyVersion: otherwise new proxies silently ignore it.',
    source: 'https://istio.io/latest/docs/reference/config/networking/envoy-filter/',
    look: ({ versionedFilters }) =>
      unlessAny(
        versionedFilters.map(({ proxyVersions, ...each }) => ({
          ...resourceOf('EnvoyFilter', each),
          note: `for ${proxyVersions.join(', ')}`,
        })),
        'Every EnvoyFilter applies to every version of the proxy, or there is none.',
        `${count(versionedFilters.length, 'EnvoyFilter')} for certain versions of the proxy.`,
      ),
  }),
];
