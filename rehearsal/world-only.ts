/** `--world-only`: the stand-ins' addresses for any other client, until interrupted. */
import { join, resolve } from 'node:path';
import { type Endpoints, writeEndpoints, writeKubeconfig } from './endpoints.ts';
import type { RehearsalResult, RehearseOptions } from './options.ts';
import type { Scenario } from './scenarios/scenario.ts';
import type { Stage } from './stage.ts';

export interface WorldOnlyInput {
  options: Pick<RehearseOptions, 'endpoints'>;
  scenario: Scenario;
  stage: Stage;
  temporalAddress: string;
  /** For the kubeconfig. */
  directory: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

export async function worldOnly(input: WorldOnlyInput): Promise<RehearsalResult> {
  const { options, scenario, stage, say, signal } = input;
  const kubeconfig = join(input.directory, 'kubeconfig');
  const { url, caData } = stage.kubernetes;
  writeKubeconfig(kubeconfig, { cluster: scenario.cluster.name, url, caData, token: stage.kubernetesToken });
  const endpoints: Endpoints = {
    eks: stage.aws.url,
    kubeconfig,
    slack: stage.slack.apiUrl,
    prometheus: stage.prometheusUrl,
    temporal: input.temporalAddress,
  };
  if (options.endpoints === undefined) say(JSON.stringify(endpoints, null, 2));
  else writeEndpoints(resolve(options.endpoints), endpoints);
  say(`The world of ${scenario.name} is up (page: ${stage.slack.pageUrl}); end it with Ctrl-C.`);
  await aborted(signal);
  return { ok: true, why: '' };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
