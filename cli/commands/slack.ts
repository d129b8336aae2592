/** `belay slack`: the process that talks with Slack. */
import { Command } from 'commander';
import { changeRecordFiles } from '../shared/change-record.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Campaigns } from '../../client/campaigns/campaigns.ts';
import type { ConnectedUpgrades, Upgrades } from '../../client/upgrades-client.ts';
import { CliError } from '../shared/errors.ts';
import { type CommonOptions, readConfig, withCommon, withUpgrades } from '../shared/context.ts';
import { defaultTarget, policyOf } from '../../domain/policy/config/of-cluster.ts';
import { slackNotConnected, slackNotUsed, slackUnsigned } from '../messages/setup.ts';

export function slackCommand(): Command {
  return withCommon(new Command('slack'))
    .description('run the Slack app: socket mode with SLACK_APP_TOKEN, HTTP mode with SLACK_SIGNING_SECRET')
    .action(async (options: CommonOptions) => {
      const config = readConfig(options);
      if (!config.usesSlack) throw new CliError(slackNotUsed(config.fileName));
      const { recordsOf, withStorage } = await import('../../worker/local/read-records.ts');
      const { runSlack, slackSettings } = await import('../../slack/main.ts');
      const { slackProve } = await import('../../worker/crypto/signing/key.ts');
      const { openMetrics } = await import('../../worker/telemetry/metrics/open.ts');
      const { watchSteps } = await import('../../worker/telemetry/annotations/watch.ts');
      const { openTracing } = await import('../../worker/telemetry/tracing/open.ts');
      const { watchCredentialFiles } = await import('../../worker/temporal/credential-files.ts');
      const { createLogger } = await import('../../worker/config/log.ts');
      const log = createLogger('belay-slack');
      const tracing = await openTracing({ component: 'slack', env: process.env, log });
      const prove = slackProve(process.env);
      let connected = false;
      const metrics = await openMetrics({
        component: 'slack',
        config,
        env: process.env,
        notReady: () => (connected ? undefined : slackNotConnected()),
        log,
      });
      const stopAnnotating = watchSteps({ component: 'slack', config, env: process.env, warn: (message) => log.warn(message) });
      const play = async (upgrades: Upgrades, campaigns: Campaigns, { renew }: Pick<ConnectedUpgrades, 'renew'>): Promise<void> => {
        const settings = slackSettings(process.env);
        // After whatever ends the process: this does not.
        if (prove === undefined) log.error(slackUnsigned());
        // API keys are read at each call.
        const stopLooking = watchCredentialFiles({
          apiKey: async () => {},
          async certificates() {
            await renew();
            log.info({}, 'connected to Temporal with new certificates');
          },
          failed: (reason) => log.warn({ why: reason }, 'the changed certificates of Temporal cannot be used; trying again'),
        });
        try {
          await runSlack({
            upgrades,
            campaigns,
            clusters: {
              names: () => config.clusterNames,
              channelOf: (name) => policyOf(config, name).channel,
              defaultTargetOf: (name) => defaultTarget(config, name),
              approvalsOf: (name) => policyOf(config, name).approvals,
              campaigns: () => [...config.campaigns.values()],
              recordsOf: async (name) => {
                const { cluster } = policyOf(config, name);
                return (await withStorage(config, (storage) => recordsOf(storage, cluster))).map(({ report }) => report);
              },
              changeRecordOf: (name) => changeRecordFiles(config, name),
            },
            settings,
            log,
            onConnection: (now) => void (connected = now),
          });
        } finally {
          await stopLooking();
        }
      };
      try {
        await withUpgrades(config, play, { ...defined({ prove }), interceptors: tracing.starts });
      } finally {
        await tracing.close();
        await stopAnnotating();
        await metrics?.close();
      }
    });
}
