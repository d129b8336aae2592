/** Looks at what decisions need: people who may, a channel, and a signature that workers believe. */
import type { Config } from '../../domain/policy/config/config.ts';
import { signingKey } from '../crypto/signing/key.ts';
import { publicKeyOf } from '../crypto/signing/make.ts';
import { type Diagnosis, said } from './types.ts';
import { policyForStart } from '../../domain/policy/config/of-cluster.ts';

const area = 'Decisions';
const FIX = 'run "belay signing-key": one line is for the environment of "belay slack", the other for belay.yaml';

/** Never throws. */
export function examineDecisions(config: Config, clusterNames: readonly string[], env: NodeJS.ProcessEnv): Diagnosis[] {
  return [...clusterNames.flatMap((name) => startable(config, name)), ...examineSigning(config, env)];
}

/** Approvers, and a channel where Slack is used: a file that `belay init` has just written has neither. */
function startable(config: Config, name: string): Diagnosis[] {
  try {
    policyForStart(config, name);
    const message = config.usesSlack ? 'approvers and a channel are named' : 'approvers are named, and known on the command line';
    return [{ area, status: 'ok', message: `${name}: ${message}` }];
  } catch (error) {
    const message = `${name} cannot be upgraded yet: ${said(error)}`;
    return [
      {
        area,
        status: 'failed',
        message,
        fix: `name approvers and slack.channel in ${config.fileName}, or without Slack approvers and people`,
      },
    ];
  }
}

function examineSigning(config: Config, env: NodeJS.ProcessEnv): Diagnosis[] {
  const listed = Object.keys(config.publicKeys);
  // Nothing else signs but a worker, what a campaign starts.
  if (!config.usesSlack && config.campaigns.size === 0) return [];
  if (listed.length === 0)
    return [{ area, status: 'failed', message: 'signing.publicKeys lists no key, so nothing that comes from Slack is believed', fix: FIX }];
  let key: ReturnType<typeof signingKey>;
  try {
    key = signingKey(env);
  } catch (error) {
    return [{ area, status: 'failed', message: said(error), fix: FIX }];
  }
  if (key === undefined) {
    // The worker does not have it, on purpose.
    const fix = 'nothing, if this is the worker; the Slack process needs it';
    return [{ area, status: 'warning', message: 'BELAY_SIGNING_KEY is not set here', fix }];
  }
  if (!listed.includes(key.id)) {
    const message = `BELAY_SIGNING_KEY has the id "${key.id}", and signing.publicKeys lists ${listed.join(', ')}`;
    return [{ area, status: 'failed', message, fix: 'add what "belay signing-key --public" prints to belay.yaml' }];
  }
  if (config.publicKeys[key.id] !== publicKeyOf(key)) {
    const message = `the public key "${key.id}" in ${config.fileName} is not that of BELAY_SIGNING_KEY`;
    return [{ area, status: 'failed', message, fix: 'write what "belay signing-key --public" prints' }];
  }
  return [{ area, status: 'ok', message: `messages from Slack are signed with key "${key.id}", which belay.yaml lists` }];
}
