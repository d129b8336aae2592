/** `belay upgrade-self check`: would the runs that are open now go on with the release that runs this? */
import type { Config } from '../../domain/policy/config/config.ts';
import { createDataConverter } from '../crypto/codec/data-converter.ts';
import { codecKeys } from '../crypto/codec/keys.ts';
import { createLogger, installRuntime } from '../config/log.ts';
import { openClient } from '../temporal/client.ts';
import { bundleId, workflowBundle } from '../temporal/workflow-bundle.ts';
import { buildIdOf, thisRelease } from './build-id.ts';
import { deploymentVersion } from './deployment.ts';
import { type ReplayedRun, replayOpenRuns } from './replay-runs.ts';

export interface OpenRunsCheck {
  /** "0.2.0" */
  release: string;
  /** Under which a worker of it polls. */
  buildId: string;
  namespace: string;
  runs: ReplayedRun[];
}

/** With the bundle that a worker with this environment runs. Throws where Temporal cannot be reached or open runs cannot be listed. */
export async function checkOpenRuns(config: Config, env: NodeJS.ProcessEnv = process.env): Promise<OpenRunsCheck> {
  const version = deploymentVersion(env);
  const keys = codecKeys(env);
  const dataConverter = createDataConverter(env, 'worker');
  // The SDK logs each replay that fails: the result says it.
  installRuntime(createLogger('belay', { BELAY_LOG_LEVEL: 'silent' }));
  const options = { failureConverterPath: dataConverter.failureConverterPath, versioned: version !== undefined };
  const opened = await openClient(config, env);
  try {
    if ('why' in opened) throw new Error(opened.why);
    const bundle = await workflowBundle(options);
    const runs = await replayOpenRuns({ client: opened.client, workflowBundle: bundle, dataConverter, keys, version });
    const release = thisRelease();
    return {
      release,
      buildId: version?.buildId ?? buildIdOf(release, bundleId(options)),
      namespace: opened.client.options.namespace,
      runs,
    };
  } finally {
    await opened.close();
  }
}
