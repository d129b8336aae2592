/** One workload for each fault of a template, of a budget or of pods: its name says which. */
import { FAULT_ANNOTATION } from '../../kubernetes/controllers/kubelet.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';
import { addBudget } from '../parts/cluster-parts.ts';
import { addSound, type SoundWorkload } from '../parts/sound-parts.ts';

/** Where most of them are. */
export const PLANTS = 'plants';

const podOf = ({ spec }: KubeObject): KubeObject['spec'] => spec.template.spec;
const annotate = (workload: KubeObject, annotations: Record<string, string>): void =>
  void (workload.spec.template.metadata.annotations = annotations);
const setImage = (workload: KubeObject, image: string): void => void (podOf(workload).containers[0].image = image);

const FAULTS: readonly Omit<SoundWorkload, 'namespace'>[] = [
  { name: 'one-replica', change: ({ spec }) => void (spec.replicas = 1) },
  { name: 'no-budget', budget: 'none' },
  { name: 'not-spread', change: (workload) => void delete podOf(workload).topologySpreadConstraints },
  { name: 'no-probe', change: (workload) => void delete podOf(workload).containers[0].readinessProbe },
  { name: 'no-grace', kind: 'StatefulSet', change: (workload) => void (podOf(workload).terminationGracePeriodSeconds = 0) },
  { name: 'killed-at-once', change: (workload) => void (podOf(workload).terminationGracePeriodSeconds = 0) },
  { name: 'no-min-ready', change: ({ spec }) => void delete spec.minReadySeconds },
  {
    name: 'docker-socket',
    kind: 'DaemonSet',
    change: (workload) => {
      podOf(workload).volumes = [{ name: 'docker', hostPath: { path: '/var/run/docker.sock' } }];
      podOf(workload).containers[0].volumeMounts = [{ name: 'docker', mountPath: '/var/run/docker.sock' }];
    },
  },
  {
    name: 'apparmor',
    change: (workload) => annotate(workload, { 'container.apparmor.security.beta.kubernetes.io/apparmor': 'runtime/default' }),
  },
  {
    name: 'git-volume',
    change: (workload) => void (podOf(workload).volumes = [{ name: 'git', gitRepo: { repository: 'https://git.example.com/site' } }]),
  },
  { name: 'zeros-in-address', change: (workload) => void (podOf(workload).hostAliases = [{ ip: '010.0.0.9', hostnames: ['mainframe'] }]) },
  { name: 'ingress-nginx', change: (workload) => setImage(workload, 'registry.k8s.io/ingress-nginx/controller:v1.12.1') },
  { name: 'cluster-autoscaler', change: (workload) => setImage(workload, 'registry.k8s.io/autoscaling/cluster-autoscaler:v1.32.0') },
  { name: 'cert-manager', change: (workload) => setImage(workload, 'quay.io/jetstack/cert-manager-controller:v1.16.5') },
  { name: 'belay-worker', change: (workload) => setImage(workload, 'ghcr.io/example/eks-belay:0.1.0') },
  { name: 'do-not-disrupt', change: (workload) => annotate(workload, { 'karpenter.sh/do-not-disrupt': 'true' }) },
  // Its budget would let a pod go, were they healthy.
  { name: 'crash-looping', change: (workload) => annotate(workload, { [FAULT_ANNOTATION]: 'crash-loop' }) },
  { name: 'never-lets', budget: { minAvailable: '100%' } },
  { name: 'two-budgets' },
];

export function plantWorkloads(world: World): void {
  for (const fault of FAULTS) addSound(world, { namespace: PLANTS, ...fault });
  addBudget(world, { namespace: PLANTS, name: 'second-budget', labels: { app: 'two-budgets' }, spec: { minAvailable: 1 } });
  addBudget(world, { namespace: PLANTS, name: 'without-pods', labels: { app: 'renamed-long-ago' }, spec: { maxUnavailable: 1 } });
  world.store.create('pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'naked', namespace: PLANTS, labels: { app: 'naked' } },
    spec: { containers: [{ name: 'shell', image: 'registry.example.com/plants/shell:1' }] },
  });
  world.store.create('jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'long-job', namespace: PLANTS },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'import', image: 'registry.example.com/plants/import:1' }] } },
    },
    status: { active: 1, startTime: world.clock.now().toISOString() },
  });
  plantVolumes(world);
}

/** A volume in a zone without nodes, and one that a rolling update wants twice. */
function plantVolumes(world: World): void {
  addVolume(world, 'far-away', `${world.eks.cluster.region}d`);
  addVolume(world, 'shared-disk', `${world.eks.cluster.region}a`);
  addLocalVolume(world, 'scratch');
  plantLabels(world);
  addSound(world, {
    namespace: PLANTS,
    name: 'shared-disk',
    change: (workload) => void (podOf(workload).volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'shared-disk' } }]),
  });
}

/** Two workloads on one volume, of which one has an SELinux label; its driver mounts with labels. */
function plantLabels(world: World): void {
  world.store.create('csidrivers', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'ebs.csi.aws.com' },
    spec: { attachRequired: true, podInfoOnMount: false, seLinuxMount: true },
  });
  addVolume(world, 'two-labels', `${world.eks.cluster.region}a`);
  const onVolume = (name: string, label?: string): void =>
    addSound(world, {
      namespace: PLANTS,
      name,
      kind: 'StatefulSet',
      change: (workload) => {
        podOf(workload).volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'two-labels' } }];
        if (label !== undefined) podOf(workload).securityContext = { seLinuxOptions: { level: label } };
      },
    });
  onVolume('labelled', 's0:c10,c20');
  onVolume('unlabelled');
}

/** On the disk of a node, as the local static provisioner makes them of instance stores. */
function addLocalVolume(world: World, claim: string): void {
  const { name: node } = world.store.list('nodes')[0]?.metadata ?? { name: '' };
  const size = { accessModes: ['ReadWriteOnce'], storageClassName: 'fast-disks' };
  world.store.create('persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `local-${claim}` },
    spec: {
      ...size,
      capacity: { storage: '400Gi' },
      claimRef: { namespace: PLANTS, name: claim },
      local: { path: '/mnt/fast-disks/nvme1' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }] },
      },
    },
  });
}

function addVolume(world: World, claim: string, zone: string): void {
  const size = { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3' };
  world.store.create('persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pvc-${claim}` },
    spec: {
      ...size,
      capacity: { storage: '20Gi' },
      claimRef: { namespace: PLANTS, name: claim },
      csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-0aaaaaaaaaaaaaa99' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] }],
        },
      },
    },
  });
  world.store.create('persistentvolumeclaims', {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claim, namespace: PLANTS },
    spec: { ...size, volumeName: `pvc-${claim}`, resources: { requests: { storage: '20Gi' } } },
  });
}
