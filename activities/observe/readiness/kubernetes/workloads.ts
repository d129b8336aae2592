/** Workloads of all kinds, slim: what of their templates checks ask for. */
import { controllerOf } from '../../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort, ListQuery } from '../../../contract/ports.ts';
import { given } from '../../../runtime/given.ts';
import { addressFaultsIn } from '../../../../domain/tables/strict-addresses.ts';
import type { ContainerSeen, WorkloadSeen } from '../../../../domain/readiness/model/evidence-workloads.ts';

interface Probe {
  httpGet?: unknown;
}

interface TemplateContainer {
  name: string;
  image?: string;
  readinessProbe?: Probe;
  securityContext?: { privileged?: boolean; seLinuxOptions?: SeLinuxOptions };
}

type SeLinuxOptions = Partial<Record<'user' | 'role' | 'type' | 'level', string>>;

export interface PodSpec {
  containers?: TemplateContainer[];
  initContainers?: (TemplateContainer & { restartPolicy?: string })[];
  volumes?: { hostPath?: { path?: string }; gitRepo?: unknown; persistentVolumeClaim?: { claimName?: string } }[];
  securityContext?: { seLinuxOptions?: SeLinuxOptions; seLinuxChangePolicy?: string };
  hostAliases?: { ip?: string }[];
  dnsConfig?: { nameservers?: string[] };
  terminationGracePeriodSeconds?: number;
  affinity?: { podAntiAffinity?: Record<string, AntiAffinityTerm[] | undefined> };
  topologySpreadConstraints?: { topologyKey?: string }[];
}

type AntiAffinityTerm = { topologyKey?: string; podAffinityTerm?: { topologyKey?: string } };

interface Template {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: PodSpec;
}

type Listed = KubeObject<
  {
    replicas?: number;
    minReadySeconds?: number;
    strategy?: { type?: string };
    template?: Template;
    jobTemplate?: { spec?: { template?: Template } };
    activeDeadlineSeconds?: number;
  },
  { active?: number | unknown[]; startTime?: string }
>;

const ZONE = 'topology.kubernetes.io/zone';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

const KINDS: { kind: WorkloadSeen['kind']; apiVersion: string; plural: string }[] = [
  { kind: 'Deployment', apiVersion: 'apps/v1', plural: 'deployments' },
  { kind: 'StatefulSet', apiVersion: 'apps/v1', plural: 'statefulsets' },
  { kind: 'DaemonSet', apiVersion: 'apps/v1', plural: 'daemonsets' },
  { kind: 'ReplicaSet', apiVersion: 'apps/v1', plural: 'replicasets' },
  { kind: 'ReplicationController', apiVersion: 'v1', plural: 'replicationcontrollers' },
  { kind: 'Job', apiVersion: 'batch/v1', plural: 'jobs' },
  { kind: 'CronJob', apiVersion: 'batch/v1', plural: 'cronjobs' },
];

/** All at the same time; ReplicaSets of Deployments and Jobs that are over are dropped page by page. What operators make is kept. */
export async function readWorkloads(port: KubernetesPort): Promise<WorkloadSeen[]> {
  const lists = KINDS.map(async ({ kind, apiVersion, plural }) => {
    const seen: WorkloadSeen[] = [];
    if (kind === 'ReplicaSet' && !(await someTelling(port, kind, { apiVersion, plural }))) return seen;
    await port.list<Listed>({ apiVersion, plural }, (object) => {
      if (isTelling(kind, object)) seen.push(workloadSeen(kind, object));
      return undefined;
    });
    return seen;
  });
  return (await Promise.all(lists)).flat();
}

/** By metadata alone: old ReplicaSets of Deployments are many, each with a template, and others are rare. */
async function someTelling(port: KubernetesPort, kind: WorkloadSeen['kind'], query: ListQuery): Promise<boolean> {
  let some = false;
  await port.list<Listed>({ ...query, metadataOnly: true }, (object) => {
    some ||= isTelling(kind, object);
    return undefined;
  });
  return some;
}

function isTelling(kind: WorkloadSeen['kind'], object: Listed): boolean {
  if (kind === 'Job') return isActive(object);
  return kind !== 'ReplicaSet' || controllerOf(object) === undefined;
}

const isActive = ({ status }: Listed): boolean => typeof status?.active === 'number' && status.active > 0;

function workloadSeen(kind: WorkloadSeen['kind'], object: Listed): WorkloadSeen {
  const { metadata, spec = {}, status } = object;
  const template = spec.template ?? spec.jobTemplate?.spec?.template ?? {};
  const pod = template.spec ?? {};
  const annotations = template.metadata?.annotations ?? {};
  const controller = controllerOf(object);
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    podLabels: template.metadata?.labels ?? {},
    spread: spreadOf(pod),
    containers: containersOf(pod),
    hostPaths: (pod.volumes ?? []).flatMap(({ hostPath }) => hostPath?.path ?? []),
    gitRepo: (pod.volumes ?? []).some(({ gitRepo }) => gitRepo !== undefined),
    appArmorAnnotations: Object.keys(annotations).some((key) => key.startsWith(APP_ARMOR)),
    claims: claimsOf(pod),
    ...given('addressFaults', addressFaultsOf(pod)),
    ...given('seLinux', seLinuxOf(pod)),
    ...given('controller', controller),
    ...given('replicas', spec.replicas),
    ...given('strategy', spec.strategy?.type),
    ...given('minReadySeconds', spec.minReadySeconds),
    ...given('terminationGracePeriodSeconds', pod.terminationGracePeriodSeconds),
    ...given('doNotDisrupt', annotations[DO_NOT_DISRUPT]),
    ...(kind === 'Job'
      ? { active: { ...given('since', status?.startTime), ...given('deadlineSeconds', spec.activeDeadlineSeconds) } }
      : {}),
  };
}

/** Sidecars (init containers that go on) are ready or not as containers are. */
function containersOf({ containers = [], initContainers = [] }: PodSpec): ContainerSeen[] {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...containers, ...sidecars].map(({ name, image = '', readinessProbe }) => ({
    name,
    image,
    readinessProbe: readinessProbe !== undefined,
  }));
}

const addressFaultsOf = ({ hostAliases = [], dnsConfig }: PodSpec): string[] | undefined =>
  addressFaultsIn({ hostAliases: hostAliases.map(({ ip }) => ip), 'dnsConfig.nameservers': dnsConfig?.nameservers ?? [] });

/**
 * Of pods whose containers all have one label with a level, none of them privileged, and that do not ask for the old way.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1710-selinux-relabeling
 */
function seLinuxOf({ containers = [], initContainers = [], securityContext = {} }: PodSpec): string | undefined {
  const { seLinuxOptions: own, seLinuxChangePolicy: policy } = securityContext;
  const all = [...containers, ...initContainers];
  if (policy === 'Recursive' || all.some((container) => container.securityContext?.privileged === true)) return undefined;
  const labels = all.map((container): SeLinuxOptions => ({ ...own, ...container.securityContext?.seLinuxOptions }));
  const [label, ...others] = new Set(labels.map(({ user, role, type, level }) => [user, role, type, level].filter(Boolean).join(':')));
  return others.length === 0 && labels.every(({ level }) => level !== undefined) ? label : undefined;
}

export function claimsOf({ volumes = [] }: Pick<PodSpec, 'volumes'>): string[] {
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

function spreadOf({ affinity, topologySpreadConstraints = [] }: PodSpec): WorkloadSeen['spread'] {
  const terms = Object.values(affinity?.podAntiAffinity ?? {}).flatMap((each) => each ?? []);
  const keys = [
    ...topologySpreadConstraints.map(({ topologyKey }) => topologyKey),
    ...terms.map((term) => term.topologyKey ?? term.podAffinityTerm?.topologyKey),
  ];
  if (keys.includes(ZONE)) return 'over-zones';
  return keys.length === 0 ? 'no' : 'yes';
}
