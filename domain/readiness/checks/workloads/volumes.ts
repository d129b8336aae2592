/** Volumes that a pod may not find again on its next node. */
import { agree, count } from '../../../core/text.ts';
import { type Check, check, type Resource, unlessAny } from '../../model/check.ts';
import type { NodeSeen } from '../../model/evidence.ts';
import { hasOwnTemplate, nameOf, replicasOf, resourceOf } from '../../model/names.ts';
import type { WorkloadSeen } from '../../model/evidence-workloads.ts';

const single = (modes: readonly string[]): boolean =>
  modes.length > 0 && modes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');

export const volumeChecks: readonly Check[] = [
  check({
    code: 'K8S028',
    area: 'Kubernetes',
    title: 'Volume zones have more than one node',
    severity: 'recommended',
    reads: ['volumes', 'nodes'],
    remediation: 'Add capacity in that zone before its only node is replaced.',
    source: 'https://kubernetes.io/docs/setup/best-practices/multiple-zones/#storage-access-for-zones',
    look({ volumes, nodes }) {
      const nodesIn = countBy(nodes);
      const tied = volumes.flatMap(({ name, claim, zones }): Resource[] => {
        const [zone] = zones;
        if (claim === undefined || zone === undefined || zones.length > 1 || (nodesIn.get(zone) ?? 0) > 1) return [];
        return [
          {
            ...resourceOf('PersistentVolumeClaim', claim),
            note: `${name} is in ${zone}, which has ${count(nodesIn.get(zone) ?? 0, 'node')}`,
          },
        ];
      });
      if (tied.length === 0) return { pass: 'Every zone with volumes has more than one node.' };
      return {
        fail: `${count(tied.length, 'claim')} tied to a zone with one node or none: a pod with it waits until a node is there.`,
        resources: tied,
      };
    },
  }),
  check({
    code: 'K8S046',
    area: 'Kubernetes',
    title: 'No volume is lost with its node',
    severity: 'required',
    reads: ['volumes', 'nodes'],
    remediation:
      'Copy the data elsewhere first; where the workload replicates it, delete each claim before its pod moves, or the pod waits for a node that is gone. Waive the finding if that is meant.',
    source: 'https://kubernetes.io/docs/concepts/storage/volumes/#local',
    look({ volumes, nodes }) {
      const stays = new Set(nodes.flatMap(({ name, owner }) => (owner === 'hybrid' ? [name] : [])));
      const lost = volumes.flatMap(({ name, claim, onNode }): Resource[] => {
        if (claim === undefined || onNode === undefined || stays.has(onNode)) return [];
        const where = onNode === '' ? 'a node' : `node ${onNode}`;
        return [{ ...resourceOf('PersistentVolumeClaim', claim), note: `${name} is on the disk of ${where}` }];
      });
      return unlessAny(
        lost,
        'No volume is on the disk of a node.',
        `${count(lost.length, 'volume')} on the disk of a node that is replaced: ${agree(lost.length, 'its', 'their')} data ends with it.`,
      );
    },
  }),
  check({
    code: 'K8S029',
    area: 'Kubernetes',
    title: 'No Deployment shares a single-node volume',
    severity: 'recommended',
    reads: ['volumes', 'workloads'],
    remediation: 'Set strategy.type to Recreate, or make it a StatefulSet with volumeClaimTemplates.',
    source: 'https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes',
    look({ volumes, workloads }) {
      const claims = new Map(
        volumes.flatMap(({ claim, accessModes }) =>
          claim === undefined ? [] : [[`${claim.namespace}/${claim.name}`, accessModes] as const],
        ),
      );
      const meeting = workloads.flatMap((workload): Resource[] => {
        const shared =
          workload.kind === 'Deployment' && surges(workload)
            ? workload.claims.filter((name) => single(claims.get(`${workload.namespace}/${name}`) ?? []))
            : [];
        return shared.length === 0 ? [] : [{ ...resourceOf('Deployment', workload), note: shared.join(', ') }];
      });
      if (meeting.length === 0) return { pass: 'No Deployment may meet Multi-Attach.' };
      return {
        fail: `${count(meeting.length, 'Deployment')} with a ReadWriteOnce volume and rolling updates: the new pod waits for a volume that the old one holds (Multi-Attach).`,
        resources: meeting,
      };
    },
  }),
  check({
    code: 'K8S051',
    area: 'Kubernetes',
    title: 'Pods that share a volume have one SELinux label',
    // Kubelets of 1.37 mount every volume of such drivers with a label (feature gate SELinuxMount); Amazon's notes announce it for 1.36.
    severity: [{ from: '1.36', severity: 'recommended' }],
    reads: ['volumes', 'workloads', 'csiDrivers'],
    remediation:
      'Give the pods the same seLinuxOptions, or set securityContext.seLinuxChangePolicy: Recursive in all of them; privileged pods have no label.',
    source: 'https://kubernetes.io/blog/2026/04/22/breaking-changes-in-selinux-volume-labeling/',
    look({ volumes, workloads, csiDrivers }) {
      const labelling = new Set(csiDrivers.flatMap(({ name, seLinuxMount }) => (seLinuxMount ? [name] : [])));
      const users = Map.groupBy(
        workloads.filter((workload) => hasOwnTemplate(workload) && replicasOf(workload) > 0).flatMap(usesOf),
        ({ claim }) => claim,
      );
      const mixed = volumes.flatMap(({ claim, driver = '' }): Resource[] => {
        const sharing = claim === undefined || !labelling.has(driver) ? [] : (users.get(nameOf(claim)) ?? []);
        if (claim === undefined || new Set(sharing.map(({ label }) => label)).size < 2) return [];
        const note = sharing.map(({ by, label }) => `${by}: ${label ?? 'no label'}`).join(', ');
        return [{ ...resourceOf('PersistentVolumeClaim', claim), note }];
      });
      return unlessAny(
        mixed,
        'No volume that is mounted with an SELinux label is shared by pods with different ones.',
        `${count(mixed.length, 'volume')} shared by pods with different SELinux labels: with kubelets of 1.37 only pods with the same label start on a node.`,
      );
    },
  }),
];

/** Each claim of a workload, and the label that kubelets mount it with. */
const usesOf = (workload: WorkloadSeen): { claim: string; by: string; label: string | undefined }[] =>
  workload.claims.map((name) => ({
    claim: nameOf({ namespace: workload.namespace, name }),
    by: `${workload.kind} ${workload.name}`,
    label: workload.seLinux,
  }));

/** A new pod comes before the old one is gone; so it does for each of several replicas. */
function surges(workload: WorkloadSeen): boolean {
  return replicasOf(workload) > 0 && workload.strategy !== 'Recreate';
}

function countBy(nodes: readonly NodeSeen[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { zone } of nodes) if (zone !== undefined) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  return counts;
}
