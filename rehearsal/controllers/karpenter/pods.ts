/** Karpenter's own pods: which version runs, and when it cannot. */
import { serviceFault } from '../../kubernetes/http/requests/conversion.ts';
import { imageVersion, isReady, isTerminating, kubeTime, setCondition } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { isSince } from './migration/versions.ts';
import { fillConversion } from './webhooks.ts';

const CRASHED = 'ContainersNotReady';
const GROUPED = ['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws'];
const ALPHA = ['provisioners.karpenter.sh'];

const ownPods = (world: World): KubeObject[] =>
  world.store.list('pods', { labels: { 'app.kubernetes.io/name': 'karpenter' } }).filter((pod) => !isTerminating(pod));

function versionIn(pod: KubeObject): string {
  const controller = pod.spec?.containers?.find((c: { name: string }) => c.name === 'controller');
  return imageVersion(controller?.image) ?? '1.0.0';
}

/** Version of a Karpenter pod that runs; undefined when none does. */
export function runningVersion(world: World): string | undefined {
  const pod = ownPods(world).find(isReady);
  return pod === undefined ? undefined : versionIn(pod);
}

/** Pods that cannot read their kinds crash until they can; those that can answer webhooks say so in the definitions. */
export function keepPods(world: World): void {
  for (const pod of ownPods(world)) {
    if (pod.status?.phase !== 'Running') continue;
    const version = versionIn(pod);
    fillConversion(world, pod, version);
    const why = obstacle(world, version);
    const crashed = (pod.status.conditions ?? []).some(
      (c: { type: string; reason?: string }) => c.type === 'Ready' && c.reason === CRASHED,
    );
    if (why !== undefined && isReady(pod)) crash(world, pod, why);
    else if (why === undefined && crashed) recover(world, pod);
  }
}

/** Why this version cannot list what it works on: a kind that is not served, or a conversion that nobody answers. */
function obstacle(world: World, version: string): string | undefined {
  const api = isSince(version, '1.0') ? 'v1' : isSince(version, '0.32') ? 'v1beta1' : 'v1alpha5';
  for (const name of api === 'v1alpha5' ? ALPHA : GROUPED) {
    const definition = world.store.get('customresourcedefinitions', name);
    const served = (definition?.spec.versions ?? []).some((each: { name: string; served?: boolean }) => each.name === api && each.served);
    if (definition === undefined || !served) return `no matches for kind "${definition?.spec.names.kind ?? name}" in version "${api}"`;
    const { service } = definition.spec.conversion?.webhook?.clientConfig ?? {};
    const others = world.store.list(name).some(({ apiVersion }) => !apiVersion.endsWith(`/${api}`));
    const broken = service === undefined || !others ? undefined : serviceFault(world.store, { port: 443, ...service });
    if (broken !== undefined) return `failed to list ${definition.spec.names.kind}: conversion webhook failed: ${broken}`;
  }
  return undefined;
}

function crash(world: World, pod: KubeObject, why: string): void {
  const { name, namespace } = pod.metadata;
  world.journal.tell(`Karpenter's pod ${name} crashes: ${why}`);
  world.store.update('pods', name, namespace, (copy) => {
    const unready = { status: 'False', reason: CRASHED, message: 'containers with unready status: [controller]' };
    for (const type of ['Ready', 'ContainersReady']) setCondition(copy, { type, ...unready }, kubeTime(world.clock.nowMs()));
    for (const status of copy.status.containerStatuses ?? [])
      Object.assign(status, { ready: false, state: { waiting: { reason: 'CrashLoopBackOff', message: why } } });
  });
}

function recover(world: World, { metadata: { name, namespace } }: KubeObject): void {
  const at = kubeTime(world.clock.nowMs());
  world.store.update('pods', name, namespace, (copy) => {
    for (const type of ['Ready', 'ContainersReady']) setCondition(copy, { type, status: 'True', reason: '' }, at);
    for (const status of copy.status.containerStatuses ?? []) Object.assign(status, { ready: true, state: { running: { startedAt: at } } });
  });
}
