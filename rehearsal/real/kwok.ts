/** KWOK: the kubelets of all nodes, by its own stages. A node keeps the kubelet version that its image gave it. */
import type { Role } from './troupe.ts';

export function kwokRole(command: string, kubeconfig: string): Role {
  return {
    name: 'kwok',
    command,
    args: [`--kubeconfig=${kubeconfig}`, '--manage-all-nodes=true', '--node-lease-duration-seconds=40'],
  };
}
