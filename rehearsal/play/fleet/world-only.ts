/** `--fleet N --world-only`: the stand-ins of all clusters for any other client, Belay among them, until interrupted. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type FleetEndpoints, type KubeconfigEntry, writeEndpoints, writeKubeconfig } from '../../world/core/endpoints.ts';
import { accessKeyOf } from '../../aws/eks/identities.ts';
import { belayEnvironment } from '../../processes/belay.ts';
import type { FleetGiven, FleetScene } from './backstage.ts';

/** As a POSIX shell reads it. */
const quoted = (value = ''): string => `'${value.replaceAll("'", "'\\''")}'`;

/** Writes the files, and says where they are. */
export function offerWorlds({ options, directory, say }: FleetGiven, { members, stage, belay }: FleetScene): void {
  const [kubeconfig, environment] = [join(directory, 'kubeconfig'), join(directory, 'belay.env')];
  const named = stage.clusters.map(({ built, kubernetes, kubernetesToken, prometheusUrl }) => ({
    cluster: built.scenario.cluster,
    entry: { cluster: built.scenario.cluster.name, url: kubernetes.url, caData: kubernetes.caData, token: kubernetesToken },
    prometheus: prometheusUrl,
  }));
  const [first, ...others] = named.map(({ entry }): KubeconfigEntry => entry);
  if (first !== undefined) writeKubeconfig(kubeconfig, first, ...others);
  const variables = { ...belayEnvironment(belay, {}), BELAY_SIGNING_KEY: belay.signingKey };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}\n`);
  writeFileSync(environment, lines.join(''), { mode: 0o600 });
  const accounts = [...new Set(members.map(({ scenario }) => scenario.cluster.account))];
  const endpoints: FleetEndpoints = {
    eks: belay.awsUrl,
    kubeconfig,
    slack: belay.slackApiUrl,
    temporal: belay.temporal.address,
    config: belay.configFile,
    environment,
    accessKeys: Object.fromEntries(accounts.map((account) => [account, accessKeyOf(account)])),
    clusters: Object.fromEntries(
      named.map(({ cluster: { name, account, region }, prometheus }) => [name, { account, region, prometheus }]),
    ),
  };
  if (options.endpoints === undefined) say(JSON.stringify(endpoints, null, 2));
  else writeEndpoints(resolve(options.endpoints), endpoints);
  say(`The worlds of ${members.length} clusters are up (page: ${stage.slack.pageUrl}); end them with Ctrl-C.`);
}
