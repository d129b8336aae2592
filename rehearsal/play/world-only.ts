/** `--world-only`: the stand-ins' addresses for any other client, until interrupted. */
import { join, resolve } from 'node:path';
import { type Endpoints, writeEndpoints, writeKubeconfig } from '../world/core/endpoints.ts';
import type { Addresses } from '../world/faults/apis/network.ts';
import type { RehearsalResult, RehearseOptions } from './options.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Stage } from './stage/stage.ts';

export interface WorldOnlyInput {
  options: Pick<RehearseOptions, 'endpoints'>;
  scenario: Scenario;
  stage: Stage;
  /** Ways to the stand-ins and Temporal: through a proxy where the network is to fail. */
  addresses: Addresses;
  /** For the kubeconfig. */
  directory: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

export async function worldOnly(input: WorldOnlyInput): Promise<RehearsalResult> {
  const { options, scenario, stage, addresses, say, signal } = input;
  const kubeconfig = join(input.directory, 'kubeconfig');
  const { caData } = stage.kubernetes;
  writeKubeconfig(kubeconfig, { cluster: scenario.cluster.name, url: addresses.kubernetesUrl, caData, token: stage.kubernetesToken });
  const endpoints: Endpoints = {
    eks: addresses.awsUrl,
    kubeconfig,
    slack: addresses.slackApiUrl,
    prometheus: addresses.prometheusUrl,
    temporal: addresses.temporalAddress,
  };
  if (options.endpoints === undefined) say(JSON.stringify(endpoints, null, 2));
  else writeEndpoints(resolve(options.endpoints), endpoints);
  say(`The world of ${scenario.name} is up (page: ${stage.slack.pageUrl}); end it with Ctrl-C.`);
  await aborted(signal);
  return { ok: true, why: '' };
}

/** Resolves when people end the rehearsal. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
