/** Looks at Temporal: server, namespace, search attributes, workers on the queue. */
import type { Config } from '../../domain/policy/config/config.ts';
import { codecKeys } from '../crypto/codec/keys.ts';
import { plainAllowedUntilMs } from '../crypto/codec/plain-until.ts';
import { howToAdd, missingSearchAttributes } from '../temporal/search-attributes.ts';
import { connectTemporal, temporalSettings, TemporalUnreachableError } from '../temporal/connection.ts';
import { examineNetworks } from './networks.ts';
import { examineReleases } from './releases.ts';
import { examineRetention } from './retention.ts';
import { type Diagnosis, said } from './types.ts';

/** Never throws. `clusterNames`: what the namespace has to serve. */
export async function examineTemporal(config: Config, clusterNames: readonly string[], env: NodeJS.ProcessEnv): Promise<Diagnosis[]> {
  const settings = temporalSettings(config.temporal);
  const { namespace, address } = settings;
  const diagnoses = examineKeys(env);
  const area = 'Temporal';
  try {
    const connection = await connectTemporal(settings);
    try {
      diagnoses.push({ area, status: 'ok', message: `the server at ${address} answers` });
      const { config: kept } = await connection.workflowService.describeNamespace({ namespace });
      diagnoses.push({ area, status: 'ok', message: `namespace "${namespace}" is there` });
      const seconds = kept?.workflowExecutionRetentionTtl?.seconds;
      diagnoses.push(examineRetention(config, clusterNames, namespace, seconds == null ? undefined : Number(seconds)));
      const missing = await missingSearchAttributes(connection, namespace);
      if (missing.length === 0) diagnoses.push({ area, status: 'ok', message: 'all search attributes are registered' });
      else {
        const fix = `start "belay worker", which registers them; where it may not: ${howToAdd(missing, namespace, address)}`;
        const message = `search attributes are missing, so upgrades are harder to find: ${missing.join(', ')}`;
        diagnoses.push({ area, status: 'warning', message, fix });
      }
      diagnoses.push(...(await examineReleases(connection, namespace, env)), ...(await examineNetworks(connection, namespace, config)));
    } finally {
      await connection.close();
    }
  } catch (error) {
    const trouble = error instanceof TemporalUnreachableError ? error.trouble : undefined;
    if (trouble !== undefined) {
      const message = `the server at ${address} cannot be used: ${trouble.what}`;
      return [...diagnoses, { area, status: 'failed', message, fix: trouble.fix }];
    }
    const message = said(error);
    const fix = /not found/i.test(message)
      ? `create it: temporal operator namespace create --namespace ${namespace}`
      : 'start it ("docker compose up"), or set TEMPORAL_ADDRESS';
    diagnoses.push({ area, status: 'failed', message, fix });
  }
  return diagnoses;
}

/** Nothing to say where nothing is to be encrypted. */
function examineKeys(env: NodeJS.ProcessEnv): Diagnosis[] {
  const area = 'Temporal';
  try {
    const [first, ...others] = codecKeys(env).map(({ id }) => `"${id}"`);
    const plainUntilMs = plainAllowedUntilMs(env, Date.now());
    if (first === undefined) return [];
    const older = others.length === 0 ? '' : `; older ones: ${others.join(', ')}`;
    const found: Diagnosis[] = [{ area, status: 'ok', message: `what it stores is encrypted with key ${first}${older}` }];
    if (plainUntilMs > 0) {
      const message = `until ${new Date(plainUntilMs).toISOString().slice(0, 16)}Z whoever reaches it is believed without a key (BELAY_CODEC_ALLOW_PLAIN)`;
      found.push({ area, status: 'warning', message, fix: 'remove the variable when every run that began without keys has ended' });
    }
    return found;
  } catch (error) {
    return [{ area, status: 'failed', message: said(error), fix: 'correct the variable: worker, Slack app and CLI do not start with it' }];
  }
}
