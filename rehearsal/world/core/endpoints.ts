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

/** The same of several clusters, with what another client needs to tell them apart. */
export interface FleetEndpoints extends Omit<Endpoints, 'prometheus'> {
  /** belay.yaml of the fleet, and the variables of Belay's processes, for a shell. */
  config: string;
  environment: string;
  /** AWS_ACCESS_KEY_ID by account; any secret goes with it. */
  accessKeys: Record<string, string>;
  clusters: Record<string, { account: string; region: string; prometheus: string }>;
}

export function writeEndpoints(file: string, endpoints: Endpoints | FleetEndpoints): void {
  writeFileSync(file, `${JSON.stringify(endpoints, null, 2)}\n`);
}

export interface KubeconfigEntry {
  cluster: string;
  url: string;
  caData: string;
  token: string;
}

/** With static tokens that the stand-ins know; readable by the owner only, as kubectl wants it. The first one is the current context. */
export function writeKubeconfig(file: string, ...entries: readonly [KubeconfigEntry, ...KubeconfigEntry[]]): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entries[0].cluster,
    clusters: entries.map(({ cluster, url, caData }) => ({
      name: cluster,
      cluster: { server: url, 'certificate-authority-data': caData },
    })),
    users: entries.map(({ cluster, token }) => ({ name: cluster, user: { token } })),
    contexts: entries.map(({ cluster }) => ({ name: cluster, context: { cluster, user: cluster } })),
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
}
