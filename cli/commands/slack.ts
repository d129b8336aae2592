/** `belay slack`: the process that talks with Slack. */
import { Command } from 'commander';
import { defaultTarget, policyOf } from '../../domain/config/config.ts';
import { changeRecordFiles } from '../change-record.ts';
import { type CommonOptions, readConfig, withCommon, withUpgrades } from '../context.ts';

export function slackCommand(): Command {
  return withCommon(new Command('slack'))
    .description('run the Slack app: socket mode with SLACK_APP_TOKEN, HTTP mode with SLACK_SIGNING_SECRET')
    .action(async (options: CommonOptions) => {
      const config = readConfig(options);
      const { recordsOf } = await import('../../worker/records.ts');
      const { runSlack, slackSettings } = await import('../../slack/main.ts');
      await withUpgrades(config, async (upgrades) => {
        await runSlack({
          upgrades,
          clusters: {
            names: () => config.clusterNames,
            channelOf: (name) => policyOf(config, name).channel,
            defaultTargetOf: (name) => defaultTarget(config, name),
            approvalsOf: (name) => policyOf(config, name).approvals,
            recordsOf: (name) => recordsOf(config, policyOf(config, name).cluster).map(({ report }) => report),
            changeRecordOf: (name) => changeRecordFiles(config, name),
          },
          settings: slackSettings(process.env),
        });
      });
    });
}
