/** Upgrades for Slack and the CLI, with all that belay.yaml asks before a start. */
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Config } from '../../domain/policy/config/config.ts';
import type { Prove } from '../../domain/gates/identity-proof.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { type ConnectedUpgrades, connectUpgrades, UpgradesError } from '../../client/upgrades-client.ts';
import { sealingInterceptors } from '../crypto/codec/seal-messages.ts';
import { policyForStart, policyOf } from '../../domain/policy/config/of-cluster.ts';
import { defined } from '../../domain/core/defined.ts';
import { connectSettings } from '../temporal/connect-settings.ts';

export interface UpgradesOptions {
  env?: NodeJS.ProcessEnv;
  /** Signs as the Slack process; without it only what the command line proves is believed. */
  prove?: Prove;
  /** Before those that seal. */
  interceptors?: WorkflowClientInterceptor[];
  /** How long a worker has to answer. Default 2 s. */
  withinMs?: number;
}

/** Connects lazily: Temporal may be down. Close it when done. Throws CodecKeysError. */
export function openUpgrades(config: Config, options: UpgradesOptions = {}): ConnectedUpgrades {
  const { env = process.env, prove, interceptors = [], withinMs } = options;
  const connected = connectUpgrades({
    ...connectSettings(config, env),
    checkStart: (name) => void policyForStart(config, name),
    environmentOf: (name) => policyOf(config, name).environment,
    interceptors: [...interceptors, ...sealingInterceptors(env)],
    ...defined({ prove, withinMs }),
  });
  const { upgrades } = connected;
  return {
    ...connected,
    upgrades: {
      ...upgrades,
      async start(request) {
        await refuseUnknownGroups(config, request.cluster, env);
        return await upgrades.start(request);
      },
    },
  };
}

/**
 * A group that Slack does not know or that is empty would let no gate pass. Slack out of reach is no reason to refuse: the groups are read
 * again at each decision, and fail closed there.
 */
async function refuseUnknownGroups(config: Config, cluster: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (!config.clusterNames.includes(cluster)) return;
  const { groups } = policyOf(config, cluster).approvals;
  if (groups.length === 0) return;
  // Loaded only here: Slack's client is as large as Temporal's.
  const [{ slackWebOf }, { createGroupReader }, { SlackDeliveryError }] = await Promise.all([
    import('../config/slack-web.ts'),
    import('../../slack/api/groups.ts'),
    import('../../slack/api/errors.ts'),
  ]);
  const web = slackWebOf(env);
  if (web === undefined) return;
  const reader = createGroupReader({ web });
  for (const group of groups) {
    try {
      await reader.members(group);
    } catch (error) {
      if (error instanceof SlackDeliveryError && error.retryable) continue;
      throw new UpgradesError('invalid', `${config.fileName}: approvals.groups: ${messageOf(error)} Nothing was started.`, {
        cause: error,
      });
    }
  }
}
