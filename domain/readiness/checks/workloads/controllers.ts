/** Controllers that many clusters run, by what their makers say of the target. */
import { type ComponentVersion, imageVersion, tryComponentVersion } from '../../../core/component-version.ts';
import { defined } from '../../../core/defined.ts';
import { agree, count, someOf } from '../../../core/text.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../../core/version.ts';
import { type Controller, CONTROLLERS, controllerSupport, newestMinorOf } from '../../../tables/controller-support.ts';
import { type Check, check, type Look, type Resource } from '../../model/check.ts';
import type { WorkloadSeen } from '../../model/evidence-workloads.ts';
import { nameOf, resourceOf } from '../../model/names.ts';

interface Found {
  controller: Controller;
  workload: WorkloadSeen;
  /** "1.17.2" */
  text?: string;
  version?: ComponentVersion;
}

/** One for each version in a namespace: a controller may be several workloads of one image. */
function controllersIn(workloads: readonly WorkloadSeen[]): Found[] {
  const found = new Map<string, Found>();
  for (const workload of workloads) {
    for (const controller of CONTROLLERS) {
      const image = workload.containers.find((each) => controller.image.test(each.image))?.image;
      if (image === undefined) continue;
      const text = imageVersion(image);
      const version = text === undefined ? undefined : tryComponentVersion(text);
      const key = `${controller.name} ${workload.namespace} ${text}`;
      if (!found.has(key)) found.set(key, { controller, workload, ...defined({ text, version }) });
    }
  }
  return [...found.values()];
}

function lookAt(workloads: readonly WorkloadSeen[], target: KubernetesVersion): Look | Look[] {
  const to = formatKubernetesVersion(target);
  const found = controllersIn(workloads);
  const old: Resource[] = [];
  const unknown: string[] = [];
  for (const { controller, workload, text, version } of found) {
    if (version === undefined) {
      unknown.push(`${controller.name} (${nameOf(workload)}), whose image does not say which version it is,`);
      continue;
    }
    const support = controllerSupport(controller, version, target);
    if (support === 'unknown') unknown.push(`${controller.name} ${text}`);
    if (support !== 'unsupported') continue;
    const upTo = newestMinorOf(controller, version);
    const limit = upTo === undefined ? 'older than all that its makers list' : `up to ${upTo}`;
    old.push({ ...resourceOf(workload.kind, workload), note: `${controller.name} ${text}, ${limit}` });
  }
  const looks: Look[] = [
    ...(old.length === 0
      ? []
      : [{ fail: `${count(old.length, 'controller')} of versions that their makers do not support or test with ${to}.`, resources: old }]),
    ...(unknown.length === 0 ? [] : [{ unknown: unknownWords(unknown, to) }]),
  ];
  if (looks.length > 0) return looks;
  const names = [...new Set(found.map(({ controller }) => controller.name))];
  return {
    pass:
      names.length === 0
        ? 'None of these controllers runs.'
        : `${names.join(', ')}: of versions that their makers support or test with ${to}.`,
  };
}

const unknownWords = (named: readonly string[], to: string): string =>
  `This release of Belay does not know whether ${someOf(named)} ${agree(named.length, 'is', 'are')} supported or tested with ${to}.`;

export const controllerChecks: readonly Check[] = [
  check({
    code: 'K8S052',
    area: 'Kubernetes',
    title: 'cert-manager, KEDA, Kyverno and Argo CD are of versions for the target',
    severity: 'recommended',
    reads: ['workloads'],
    remediation: 'Upgrade them before the control plane, to a version whose own list of Kubernetes versions has the target.',
    source: 'https://cert-manager.io/docs/releases/',
    look: ({ workloads }, { target }) => lookAt(workloads, target),
  }),
];
