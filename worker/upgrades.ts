/** Upgrades for Slack and the CLI, with all that belay.yaml asks before a start. */
import { type Config, policyForStart, policyOf } from '../domain/config/config.ts';
import { SlackDeliveryError } from '../slack/errors.ts';
import { createGroupReader } from '../slack/groups.ts';
import { type ConnectedUpgrades, connectUpgrades, UpgradesError } from '../slack/upgrades.ts';
import { createSlackWeb } from '../slack/web.ts';

/** Connects lazily: Temporal may be down. Close it when done. */
export function openUpgrades(config: Config, env: NodeJS.ProcessEnv = process.env): ConnectedUpgrades {
  const connected = connectUpgrades({
    resolveCluster: (name) => policyOf(config, name).cluster,
    checkStart: (name) => void policyForStart(config, name),
    environmentOf: (name) => policyOf(config, name).environment,
    address: config.temporal.address,
    namespace: config.temporal.namespace,
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
  const token = env['SLACK_BOT_TOKEN'];
  if (!token || !config.clusterNames.includes(cluster)) return;
  const reader = createGroupReader({ web: createSlackWeb({ token, apiUrl: env['SLACK_API_URL'] }) });
  for (const group of policyOf(config, cluster).approvals.groups) {
    try {
      await reader.members(group);
    } catch (error) {
      if (error instanceof SlackDeliveryError && error.retryable) continue;
      const why = error instanceof Error ? error.message : String(error);
      throw new UpgradesError('invalid', `${config.fileName}: approvals.groups: ${why} Nothing was started.`, { cause: error });
    }
  }
}
