/** Addresses of the stand-ins for any other client, and a kubeconfig for kubectl. */
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

export interface Endpoints {
  eks: string;
  /** Path of a file. */
  kubeconfig: string;
  slack: string;
  prometheus: string;
  temporal: string;
}

export function writeEndpoints(file: string, endpoints: Endpoints): void {
  writeFileSync(file, `${JSON.stringify(endpoints, null, 2)}\n`);
}

/** With a static token that the stand-in knows; readable by the owner only, as kubectl wants it. */
export function writeKubeconfig(file: string, input: { cluster: string; url: string; caData: string; token: string }): void {
  const { cluster, url, caData, token } = input;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': cluster,
    clusters: [{ name: cluster, cluster: { server: url, 'certificate-authority-data': caData } }],
    users: [{ name: 'rehearsal', user: { token } }],
    contexts: [{ name: cluster, context: { cluster, user: 'rehearsal' } }],
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
}
