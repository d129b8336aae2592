/** Istio: versions on every hop, proxies, labels and webhooks that must agree. */
import { compareMinors, formatMinor, tryComponentVersion } from '../../../core/component-version.ts';
import { AGENT_AHEAD, istioEndOfLife, istioPastEndOfLife, istioSupport } from '../../../tables/istio.ts';
import { formatKubernetesVersion } from '../../../core/version.ts';
import { count, someOf } from '../../../core/text.ts';
import { type Check, type Context, type Look, type Resource, unlessAny } from '../../model/check.ts';
import type { IstioSeen } from '../../model/evidence.ts';
import { revisionsInUse } from '../../../facts/facts.ts';
import { nameOf, resourceOf } from '../../model/names.ts';
import { istioCheck } from './typed-check.ts';
import { gatewayChecks } from './gateways.ts';
import { imageCheck } from './images.ts';
import { choiceResource, ownChoiceCheck } from './own-choice.ts';
import type { PodSeen } from '../../model/evidence-workloads.ts';
import { defined } from '../../../core/defined.ts';

const SUPPORTED = 'https://istio.io/latest/docs/releases/supported-releases/';
const CANARY = 'https://istio.io/latest/docs/setup/upgrade/canary/';
const INJECTION = 'https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/';

const namespace = (name: string, note?: string): Resource => ({ kind: 'Namespace', name, ...defined({ note }) });

function versionLook(istio: IstioSeen, { from, hops }: Context): Look {
  const minors = [from, ...hops];
  const judged = revisionsInUse(istio).map((each) => {
    const version = tryComponentVersion(each.version);
    const said = (wanted: 'unsupported' | 'unknown'): string[] =>
      minors.filter((minor) => (version === undefined ? 'unknown' : istioSupport(version, minor)) === wanted).map(formatKubernetesVersion);
    return { ...each, bad: said('unsupported'), blind: said('unknown') };
  });
  const bad = judged.filter((each) => each.bad.length > 0);
  if (bad.length > 0) {
    return {
      fail: bad
        .map(({ revision, version, bad: those }) => `Istio ${version} (revision ${revision}) does not support ${those.join(', ')}`)
        .join('; ')
        .concat('.'),
      resources: bad.map((each) => ({ kind: 'Revision', namespace: each.namespace, name: each.revision, note: each.version })),
    };
  }
  const blind = judged.filter((each) => each.blind.length > 0);
  if (blind.length > 0)
    return {
      unknown: `Whether Istio ${someOf(blind.map(({ version }) => version))} supports ${someOf(blind.flatMap((each) => each.blind))} is not known to this release of Belay.`,
    };
  return { pass: `Istio supports ${minors.map(formatKubernetesVersion).join(', ')}.` };
}

/** Proxies that are older than the istiod of their revision: their pods were not restarted since. */
function laggingProxies(istio: IstioSeen, pods: readonly PodSeen[]): Resource[] {
  const versions = new Map(istio.revisions.map(({ revision, version }) => [revision, tryComponentVersion(version)]));
  return pods.flatMap((pod): Resource[] => {
    const proxy = pod.proxy === undefined ? undefined : tryComponentVersion(pod.proxy.version);
    const istiod = pod.proxy === undefined ? undefined : versions.get(pod.proxy.revision);
    if (pod.proxy === undefined || proxy === undefined) return [];
    if (istiod === undefined) return [{ ...resourceOf('Pod', pod), note: `its revision ${pod.proxy.revision} is gone` }];
    return compareMinors(proxy, istiod) === 0
      ? []
      : [{ ...resourceOf('Pod', pod), note: `proxy ${pod.proxy.version}, istiod ${formatMinor(istiod)}` }];
  });
}

/** A month alone is an estimate. */
function endInWords(end: string | undefined): string {
  if (end === undefined) return 'ended long ago';
  return end.length === 7 ? `expected to end in ${end}` : `ended ${end}`;
}

/** One minor behind at most, and no further ahead than AGENT_AHEAD. */
function skewOf(what: string, text: string | undefined, istio: IstioSeen, aheadAtMost: number): Resource[] {
  const version = text === undefined ? undefined : tryComponentVersion(text);
  if (version === undefined) return [];
  return revisionsInUse(istio).flatMap((each): Resource[] => {
    const istiod = tryComponentVersion(each.version);
    const behind = istiod === undefined ? 0 : istiod.minor - version.minor;
    return behind <= 1 && -behind <= aheadAtMost ? [] : [{ kind: 'DaemonSet', name: what, note: `${text}, istiod is ${each.version}` }];
  });
}

export const istioChecks: readonly Check[] = [
  istioCheck({
    code: 'IST001',
    title: 'Istio supports every minor on the way',
    severity: 'required',
    reads: ['istio'],
    remediation: 'First move the namespaces to a revision that supports both minors; the plan does that.',
    source: SUPPORTED,
    look: (istio, _, context) => versionLook(istio, context),
  }),
  istioCheck({
    code: 'IST002',
    title: 'Istio control planes are ready',
    severity: 'required',
    reads: ['istio'],
    remediation: 'Repair istiod: while its webhook fails, no pod can be created in its namespaces.',
    source: CANARY,
    look: ({ revisions }) =>
      unlessAny(
        revisions.filter(({ ready }) => !ready).map((each) => ({ kind: 'Revision', namespace: each.namespace, name: each.revision })),
        'All istiod revisions are rolled out.',
        'istiod is not fully available.',
      ),
  }),
  istioCheck({
    code: 'IST004',
    title: 'Istio still gets fixes',
    severity: 'recommended',
    reads: ['istio'],
    remediation: 'Move to a newer release.',
    source: SUPPORTED,
    look(istio, _, { now }) {
      const judged = revisionsInUse(istio).map((each) => {
        const version = tryComponentVersion(each.version);
        return { ...each, end: version && istioEndOfLife(version), past: version && istioPastEndOfLife(version, now) };
      });
      const over = judged
        .filter(({ past }) => past === true)
        .map(({ revision, version, end }): Resource => ({ kind: 'Revision', name: revision, note: `${version}, ${endInWords(end)}` }));
      if (over.length > 0) return { fail: `${count(over.length, 'revision')} past the end of life.`, resources: over };
      const blind = judged.filter(({ past }) => past === undefined).map(({ version }) => version);
      if (blind.length === 0) return { pass: 'Every revision in use gets fixes.' };
      return {
        unknown: `Until when Istio ${someOf([...new Set(blind)])} gets fixes is not known to this release of Belay.`,
        remediation: 'Look it up at istio.io, "Supported Releases".',
      };
    },
  }),
  istioCheck({
    code: 'IST005',
    title: 'Proxies match their revision’s version',
    severity: 'recommended',
    reads: ['istio', 'pods'],
    remediation: 'Restart the workloads: proxies keep the version they started with.',
    source: CANARY,
    look(istio, { pods }) {
      const old = laggingProxies(istio, pods);
      return unlessAny(
        old,
        'Every proxy has the version of its istiod.',
        `${count(old.length, 'pod')} whose proxy is of another version than its istiod.`,
      );
    },
  }),
  istioCheck({
    code: 'IST006',
    title: 'No namespace has both injection labels',
    severity: 'required',
    reads: ['istio'],
    remediation: 'Remove istio-injection: it overrides istio.io/rev.',
    source: INJECTION,
    look: ({ doubled }) =>
      unlessAny(
        doubled.map((name) => namespace(name)),
        'No namespace has both istio-injection and istio.io/rev.',
        `${count(doubled.length, 'namespace')} with istio-injection and istio.io/rev at once.`,
      ),
  }),
  istioCheck({
    code: 'IST007',
    title: 'Every injection label selects a webhook',
    severity: 'required',
    reads: ['istio'],
    remediation: 'Correct the label or restore the tag: new pods silently start without a proxy.',
    source: INJECTION,
    look({ unanswered, lostGateways = [], ownChoice = [] }) {
      const workloads = ownChoice.filter(({ revision }) => revision === undefined);
      const counts = [
        ...(unanswered.length === 0 ? [] : [count(unanswered.length, 'namespace')]),
        ...(lostGateways.length === 0 ? [] : [count(lostGateways.length, 'gateway')]),
        ...(workloads.length === 0 ? [] : [count(workloads.length, 'workload')]),
      ];
      return unlessAny(
        [...unanswered.map((each) => namespace(each.namespace, each.selector)), ...[...lostGateways, ...workloads].map(choiceResource)],
        'Every label of a namespace, gateway or workload selects a webhook.',
        `${counts.join(', ')} whose label selects no webhook.`,
      );
    },
  }),
  istioCheck({
    code: 'IST008',
    title: 'No injection webhook points at a missing revision',
    severity: 'required',
    reads: ['istio'],
    remediation: 'Delete the configuration or move its tag: with failurePolicy Fail, matching pods cannot be created.',
    source: CANARY,
    look: ({ deadWebhooks }) =>
      unlessAny(
        deadWebhooks.map(({ configuration, service }) => ({
          kind: 'MutatingWebhookConfiguration',
          name: configuration,
          note: `Service ${service} is gone`,
        })),
        'Every injection webhook has its istiod.',
        `${count(deadWebhooks.length, 'webhook configuration')} of revisions that are gone.`,
      ),
  }),
  istioCheck({
    code: 'IST009',
    title: 'istiod can be evicted',
    severity: 'recommended',
    reads: ['istio', 'budgets'],
    remediation: 'Run two replicas: with one, the chart’s minAvailable 1 blocks its node’s drain.',
    source: 'https://istio.io/latest/docs/ops/best-practices/deployment/',
    look({ istiods }, { budgets }) {
      const stuck = istiods.filter(
        ({ replicas, namespace: own, name }) =>
          replicas === 1 && budgets.some((each) => each.namespace === own && each.name === name && (each.disruptionsAllowed ?? 0) === 0),
      );
      return unlessAny(
        stuck.map((each) => resourceOf('Deployment', each)),
        'Every istiod can be evicted.',
        `One replica under a budget: ${someOf(stuck.map(nameOf))}.`,
      );
    },
  }),
  istioCheck({
    code: 'IST010',
    title: 'istio-cni and ztunnel fit istiod',
    severity: 'required',
    reads: ['istio'],
    remediation: 'Move them to istiod’s minor, or one behind; istio-cni may be one ahead.',
    source: 'https://istio.io/latest/docs/ambient/upgrade/helm/',
    look(istio) {
      const { cniVersion, ztunnelVersion } = istio;
      if (istio.hasCniOrZtunnel && cniVersion === undefined && ztunnelVersion === undefined)
        return { unknown: 'Neither the version of istio-cni nor that of ztunnel can be read from its image.' };
      const off = [
        ...skewOf('istio-cni-node', cniVersion, istio, AGENT_AHEAD['istio-cni']),
        ...skewOf('ztunnel', ztunnelVersion, istio, AGENT_AHEAD.ztunnel),
      ];
      return unlessAny(off, 'istio-cni and ztunnel fit, or are not there.', `${count(off.length, 'DaemonSet')} too far from istiod.`);
    },
  }),
  ...gatewayChecks,
  ownChoiceCheck,
  imageCheck,
];
