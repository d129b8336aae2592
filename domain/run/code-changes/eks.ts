/** What Belay has changed through EKS's API. Nothing in the cluster says whether code declares it, too; where it does, its next apply takes the change back. */
import type { PlannedStep } from '../../plan/model/types.ts';
import type { KeyedNote } from './note.ts';

/** A plan that lowers `version` of a cluster starts a rollback within seven days, and fails later. */
const WHEN = 'where Terraform or another tool declares it';

export function eksNotes({ params }: PlannedStep): KeyedNote[] {
  switch (params.phase) {
    case 'control-plane':
    case 'control-plane-back':
      return params.managedBy === 'terraform' ? [] : [clusterNote(params)];
    case 'add-ons-bridge':
    case 'add-ons-target':
    case 'add-ons-back':
      return params.managedBy === 'eks' ? params.changes.filter(({ managed }) => managed).map(addOnNote) : [];
    case 'node-groups':
      return params.managedBy === 'terraform' ? [] : params.groups.map((group) => groupNote(group, params.to));
    default:
      return [];
  }
}

function clusterNote({ from, to }: { from: string; to: string }): KeyedNote {
  const lines = `# aws_eks_cluster; in the module terraform-aws-modules/eks it is kubernetes_version, before its version 21 cluster_version\nversion = "${to}"`;
  return { key: 'cluster', object: 'The control plane', says: `version ${from}`, lines, language: 'hcl', when: WHEN };
}

function addOnNote({ name, from, to }: { name: string; from: string; to: string }): KeyedNote {
  const lines = `# aws_eks_addon ${name}\naddon_version = "${to}"`;
  return { key: `add-on ${name}`, object: `Add-on ${name}`, says: `addon_version ${from}`, lines, language: 'hcl', when: WHEN };
}

function groupNote({ name, from }: { name: string; from: string }, to: string): KeyedNote {
  const lines = `# aws_eks_node_group ${name}; a release_version, where one is written: as "aws eks describe-nodegroup" now tells it\nversion = "${to}"`;
  return { key: `node group ${name}`, object: `Node group ${name}`, says: `version ${from}`, lines, language: 'hcl', when: WHEN };
}
