/** Workloads that a replaced node makes felt, by their own template. */
import { agree, count } from '../../../core/text.ts';
import { type Area, type Check, check, type Resource, type Severity } from '../../model/check.ts';
import { hasOwnTemplate, moves, replicasOf, resourceOf } from '../../model/names.ts';
import type { WorkloadSeen } from '../../model/evidence-workloads.ts';

const AREA: Area = 'Kubernetes';
const EKSUP = 'https://clowdhaus.github.io/eksup/info/checks/';
const RUNTIME_SOCKETS = ['/var/run/docker.sock', '/run/docker.sock', '/var/run/dockershim.sock', '/run/dockershim.sock'];
/** EKS gives a node fifteen minutes to drain, then the update fails with PodEvictionFailure. */
const DRAIN_LIMIT_S = 15 * 60;

/** A fault of templates: each workload for itself. */
interface TemplateCheck {
  code: string;
  title: string;
  severity: Severity | readonly { from: string; severity: Severity }[];
  remediation: string;
  source: string;
  pass: string;
  /** After "N workloads". */
  fail: string;
  /** A note on what is wrong; `true` where the name alone says it. */
  wrong: (workload: WorkloadSeen) => string | boolean;
}

function templateCheck({ code, title, severity, remediation, source, pass, fail, wrong }: TemplateCheck): Check {
  return check({
    code,
    area: AREA,
    title,
    severity,
    remediation,
    source,
    reads: ['workloads'],
    look({ workloads }) {
      const bad = workloads.filter(hasOwnTemplate).flatMap((workload): Resource[] => {
        const note = wrong(workload);
        if (note === false) return [];
        return [{ ...resourceOf(workload.kind, workload), ...(note === true ? {} : { note }) }];
      });
      return bad.length === 0 ? { pass } : { fail: `${count(bad.length, 'workload')} ${fail}`, resources: bad };
    },
  });
}

const runs = (workload: WorkloadSeen): boolean => moves(workload) && replicasOf(workload) > 0;
const imagesOf = ({ containers }: WorkloadSeen): string[] => containers.map(({ image }) => image);
/** Image without registry, tag and digest: "ingress-nginx/controller". */
const hasImage = (workload: WorkloadSeen, pattern: RegExp): boolean => imagesOf(workload).some((image) => pattern.test(image));

export const workloadChecks: readonly Check[] = [
  templateCheck({
    code: 'K8S012',
    title: 'Workloads have more than one replica',
    severity: 'recommended',
    remediation: 'Scale to two before nodes move, or warn their users.',
    source: EKSUP,
    pass: 'Every workload has more than one replica.',
    fail: 'with one replica, which is away for about a minute when its node is replaced.',
    wrong: (workload) => runs(workload) && replicasOf(workload) === 1,
  }),
  templateCheck({
    code: 'K8S020',
    title: 'Replicas are spread',
    severity: 'recommended',
    remediation: 'Add topologySpreadConstraints over topology.kubernetes.io/zone and kubernetes.io/hostname.',
    source: 'https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/',
    pass: 'Every workload with several replicas is spread over zones.',
    fail: 'whose replicas are not spread over zones.',
    wrong: (workload) => {
      if (!runs(workload) || replicasOf(workload) === 1 || workload.spread === 'over-zones') return false;
      return workload.spread === 'no' ? 'may all run on one node' : 'may all run in one zone';
    },
  }),
  templateCheck({
    code: 'K8S021',
    title: 'Containers say when they are ready',
    severity: 'recommended',
    remediation: 'Add a readinessProbe: otherwise pods count as ready once started, and the next one goes.',
    source: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/',
    pass: 'Every container has a readiness probe.',
    fail: 'with containers that have no readiness probe.',
    wrong: (workload) => {
      const bare = moves(workload) ? workload.containers.filter(({ readinessProbe }) => !readinessProbe) : [];
      return bare.length === 0 ? false : bare.map(({ name }) => name).join(', ');
    },
  }),
  templateCheck({
    code: 'K8S022',
    title: 'StatefulSet pods get time to end',
    severity: 'required',
    remediation: 'Set terminationGracePeriodSeconds above 0: with 0 two pods of one name may run at once.',
    source: 'https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees',
    pass: 'Every StatefulSet gives its pods time to end.',
    fail: 'with terminationGracePeriodSeconds: 0.',
    wrong: ({ kind, terminationGracePeriodSeconds }) => kind === 'StatefulSet' && terminationGracePeriodSeconds === 0,
  }),
  templateCheck({
    code: 'K8S044',
    title: 'Pods get time to end',
    severity: 'recommended',
    remediation: 'Set terminationGracePeriodSeconds above 0: with 0 a drain kills pods amid requests.',
    source: 'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination',
    pass: 'Every workload gives its pods time to end.',
    fail: 'with terminationGracePeriodSeconds: 0.',
    wrong: (workload) => moves(workload) && workload.kind !== 'StatefulSet' && workload.terminationGracePeriodSeconds === 0,
  }),
  templateCheck({
    code: 'K8S023',
    title: 'New pods must stay ready before the next goes',
    severity: 'recommended',
    remediation: 'Set minReadySeconds above 0: a pod failing soon after its start then stops the rollout.',
    source: EKSUP,
    pass: 'Every workload has minReadySeconds.',
    fail: 'without minReadySeconds.',
    wrong: (workload) => moves(workload) && (workload.minReadySeconds ?? 0) === 0,
  }),
  templateCheck({
    code: 'K8S024',
    title: 'Nothing mounts the Docker socket',
    // Security agents mount it beside containerd's, wherever they run; no upgrade from here changes what is behind it.
    severity: 'recommended',
    remediation: 'Stop mounting it: nodes have had no Docker since 1.24, so nothing answers there.',
    source: 'https://kubernetes.io/docs/tasks/administer-cluster/migrating-from-dockershim/find-out-runtime-you-use/',
    pass: 'Nothing mounts the socket of Docker.',
    fail: 'with the socket of Docker.',
    wrong: ({ hostPaths }) => hostPaths.find((path) => RUNTIME_SOCKETS.includes(path)) ?? false,
  }),
  templateCheck({
    code: 'K8S033',
    title: 'AppArmor profiles are fields, not annotations',
    severity: [{ from: '1.30', severity: 'recommended' }],
    remediation: 'Replace the annotation container.apparmor.security.beta.kubernetes.io with securityContext.appArmorProfile.',
    source: 'https://kubernetes.io/docs/tutorials/security/apparmor/',
    pass: 'Nobody uses AppArmor’s annotations.',
    fail: 'with AppArmor’s annotations, which are deprecated.',
    wrong: ({ appArmorAnnotations }) => appArmorAnnotations,
  }),
  templateCheck({
    code: 'K8S035',
    title: 'Nothing depends on ingress-nginx',
    severity: 'recommended',
    remediation: 'Move to another ingress controller or the Gateway API: ingress-nginx has had no fixes since March 2026.',
    source: 'https://kubernetes.io/blog/2025/11/11/ingress-nginx-retirement/',
    pass: 'ingress-nginx does not run.',
    fail: 'of ingress-nginx, which has ended.',
    wrong: (workload) => hasImage(workload, /(?:^|\/)ingress-nginx\/controller(?:-chroot)?(?:[:@]|$)/),
  }),
  templateCheck({
    code: 'K8S039',
    title: 'No volume comes from a Git repository',
    severity: [
      { from: '1.30', severity: 'recommended' },
      { from: '1.33', severity: 'required' },
    ],
    remediation: 'Clone in an init container into an emptyDir.',
    source: 'https://kubernetes.io/docs/concepts/storage/volumes/#gitrepo',
    pass: 'No workload has a gitRepo volume.',
    fail: 'with a gitRepo volume, which kubelets of 1.33 and newer refuse by default.',
    wrong: ({ gitRepo }) => gitRepo,
  }),
  check({
    code: 'K8S027',
    area: AREA,
    title: 'Nothing outlasts a drain',
    severity: 'recommended',
    reads: ['workloads'],
    remediation: 'Start when they are done; suspend their CronJobs if needed.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html',
    look({ workloads }, { now }) {
      const slow = workloads.filter(hasOwnTemplate).flatMap((workload): Resource[] => {
        const { kind, terminationGracePeriodSeconds: graceS = 0 } = workload;
        if (!runs(workload) || graceS <= DRAIN_LIMIT_S) return [];
        return [{ ...resourceOf(kind, workload), note: `may take ${Math.round(graceS / 60)} min to end` }];
      });
      const long = workloads.flatMap((workload): Resource[] => {
        const { kind, active } = workload;
        if (kind !== 'Job' || active?.since === undefined) return [];
        const ranS = (Date.parse(now) - Date.parse(active.since)) / 1000;
        const leftS = (active.deadlineSeconds ?? Number.POSITIVE_INFINITY) - ranS;
        if (ranS < DRAIN_LIMIT_S || leftS <= 0) return [];
        return [{ ...resourceOf(kind, workload), note: `has run for ${Math.round(ranS / 60)} min` }];
      });
      const looks = [
        {
          fail: `${count(long.length, 'job')} running for more than 15 minutes: a drain ends ${agree(long.length, 'it, or waits for it', 'them, or waits for them')}.`,
          resources: long,
        },
        {
          fail: `${count(slow.length, 'workload')} whose pods may take more than 15 minutes to end: the update of ${agree(slow.length, 'its', 'their')} node group then fails (PodEvictionFailure).`,
          remediation: 'Lower terminationGracePeriodSeconds to 15 minutes, or move the pods off node groups before they are updated.',
          resources: slow,
        },
      ].filter(({ resources }) => resources.length > 0);
      return looks.length > 0 ? looks : { pass: 'Nothing takes longer to end than a node may take to drain.' };
    },
  }),
];
