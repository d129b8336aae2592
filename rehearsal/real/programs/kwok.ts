/** KWOK: the kubelets of all nodes, by its own stages. A node keeps the kubelet version that its image gave it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type KubeletPace, kubeletStages } from './kubelets.ts';
import type { Role } from '../troupe.ts';

export interface KwokOptions {
  directory: string;
  kubeconfig: string;
  /** Absent: nodes and pods are Ready at once. */
  pace?: KubeletPace;
}

export function kwokRole(command: string, { directory, kubeconfig, pace }: KwokOptions): Role {
  return {
    name: 'kwok',
    command,
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=40',
      ...(pace === undefined ? [] : [`--config=${configFile(directory, pace)}`]),
    ],
  };
}

function configFile(directory: string, pace: KubeletPace): string {
  const file = join(directory, 'kwok.yaml');
  writeFileSync(
    file,
    kubeletStages(pace)
      .map((stage) => stringify(stage))
      .join('---\n'),
  );
  return file;
}
