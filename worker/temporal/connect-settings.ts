/** How this process reaches Temporal, by belay.yaml and its environment. */
import type { ConnectSettings } from '../../client/calls/connect.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { createDataConverter } from '../crypto/codec/data-converter.ts';
import { apiKeyFile, readApiKey } from './credential-files.ts';

/** Throws CodecKeysError. */
export function connectSettings(config: Config, env: NodeJS.ProcessEnv): ConnectSettings {
  const keyFile = apiKeyFile(env);
  return {
    resolveCluster: (name) => policyOf(config, name).cluster,
    dataConverter: createDataConverter(env),
    ...defined({
      address: config.temporal.address,
      namespace: config.temporal.namespace,
      apiKey: keyFile === undefined ? undefined : () => readApiKey(keyFile),
    }),
  };
}
