/** `belay campaign`: many clusters, ring by ring. */
import { Command, InvalidArgumentError } from 'commander';
import type { Campaigns, CampaignVerb } from '../../client/campaigns/campaigns.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { campaignOf } from '../../domain/policy/config/of-cluster.ts';
import { RETRIABLE, type Retry } from '../../domain/run/campaign/commands.ts';
import {
  type CommonOptions,
  type FormatOptions,
  oneOf,
  parseReason,
  print,
  printReply,
  readConfig,
  type Sender,
  senderOf,
  show,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { defined } from '../../domain/core/defined.ts';
import { runsCommanded } from '../../client/calls/messages.ts';
import { withYes, type YesOptions } from '../shared/confirm.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { approveCommand } from './campaign-approve.ts';
import { rollbackCommand, startCommand, stopCommand } from './campaign-asked.ts';
import { campaignPlanText } from './campaign-plan-text.ts';
import { showAndAsk } from './decide.ts';
import { proposalCommands } from './campaign-proposals.ts';
import { renderCampaignStatus, renderCampaigns } from '../render/campaign.ts';
import { withoutControls } from '../shared/controls.ts';
import { withoutNeedsReason, writeClusters } from '../messages/arguments.ts';
import { campaignNothingOpen } from '../messages/outcomes.ts';

type Options = CommonOptions & FormatOptions;

export function campaignCommand(): Command {
  const command = new Command('campaign').description('upgrade many clusters, ring by ring, as declared under campaigns in belay.yaml');
  for (const each of [
    planCommand(),
    startCommand(COMMANDS),
    statusCommand(),
    promoteCommand(),
    approveCommand(senderIn),
    retryCommand(),
    besideCommand(),
    rollbackCommand(COMMANDS),
    stopCommand(COMMANDS),
  ])
    command.addCommand(each);
  for (const each of proposalCommands(senderIn)) command.addCommand(each);
  for (const verb of ['pause', 'resume'] as const) command.addCommand(controlCommand(verb));
  return command;
}

function named(name: string): Command {
  return withCommon(new Command(name)).argument('<campaign>', 'name under campaigns in belay.yaml');
}

function planCommand(): Command {
  return withFormat(named('plan'))
    .description('show rings, clusters, refusals, dates and costs; changes nothing')
    .option('--readiness', 'also check every cluster, which takes a few minutes')
    .action(async (name: string, options: Options & { readiness?: boolean }) => {
      const config = readConfig(options);
      campaignOf(config, name);
      await withCampaigns(config, async (campaigns) => {
        const plan = await campaigns.plan(name, { readiness: options.readiness === true });
        show(options, plan, await campaignPlanText(config));
        if (plan.problems.length > 0) throw new CliError(`Campaign ${name} cannot start: ${plan.problems[0]}`, EXIT.refused);
      });
    });
}

function statusCommand(): Command {
  return withFormat(withCommon(new Command('status')).argument('[campaign]', 'name under campaigns in belay.yaml'))
    .description('show a campaign with every cluster, or the open campaigns')
    .action(async (name: string | undefined, options: Options) => {
      await withCampaigns(readConfig(options), async (campaigns) => {
        if (name === undefined) return show(options, await campaigns.list(), renderCampaigns);
        show(options, await campaigns.status(name), renderCampaignStatus);
      });
    });
}

function promoteCommand(): Command {
  return withYes(named('promote'))
    .description('approve the ring whose gate is open')
    .option('-r, --reason <text>', 'why; recorded with the decision', parseReason)
    .action(async (name: string, options: CommonOptions & YesOptions & { reason?: string }) => {
      const config = readConfig(options);
      const { actor, prove } = await senderIn(config);
      await withUpgrades(config, async (upgrades, campaigns) => {
        const status = await campaigns.status(name);
        const [gate] = status.gates;
        if (gate === undefined) throw new CliError(campaignNothingOpen(name), EXIT.refused);
        await showAndAsk(gate, 'approve', options);
        printReply(
          await upgrades.decide({
            workflowId: status.workflowId,
            gateId: gate.id,
            choice: 'approve',
            actor,
            revision: gate.revision ?? 1,
            ...(gate.planHash === undefined ? {} : { planHash: gate.planHash }),
            ...(options.reason === undefined ? {} : { reason: options.reason }),
            ...(prove === undefined ? {} : { prove }),
          }),
          config,
        );
      });
    });
}

const HELP = { pause: 'start no further cluster; running upgrades continue', resume: 'continue after a pause' } as const;

function controlCommand(verb: keyof typeof HELP): Command {
  return named(verb)
    .description(HELP[verb])
    .option('-r, --reason <text>', 'why; recorded with the command', parseReason)
    .option('--runs', RUNS_HELP[verb])
    .action((name: string, options: CommonOptions & { reason?: string; runs?: true }) =>
      options.runs === true ? controlRuns(name, verb, options) : control(name, verb, options, {}),
    );
}

const RUNS_HELP = {
  pause: 'also pause the running upgrades: each finishes its step and starts no further one',
  resume: 'also resume its paused upgrades',
} as const;

async function controlRuns(campaign: string, verb: 'pause' | 'resume', options: CommonOptions & { reason?: string }): Promise<void> {
  const config = readConfig(options);
  const { actor, prove } = await senderIn(config);
  const request = { campaign, verb, actor, ...defined({ reason: options.reason, prove }) };
  await withCampaigns(config, async (campaigns) => {
    const answer = await campaigns.controlAll(request);
    if (answer.campaign !== undefined) printReply(answer.campaign, config);
    if (answer.runs !== undefined) print(withoutControls(runsCommanded(answer.runs)));
  });
}

function retryCommand(): Command {
  return named('retry')
    .description('retry the ring that stopped; its gate asks for approval again')
    .argument('[ring]', 'ring to retry (default: the current one)')
    .option('--only <kinds>', `retry only these kinds, separated by commas: ${RETRIABLE.join(', ')}`, parseKinds)
    .option('--lift <clusters>', 'also retry these clusters, which were rolled back or left out; names separated by commas', parseNames)
    .option(
      '--without <clusters>',
      'continue without these clusters, which stay as they are; names separated by commas (needs --reason)',
      parseNames,
    )
    .option('-r, --reason <text>', 'why; recorded with the command', parseReason)
    .action((name: string, ring: string | undefined, options: CommonOptions & Retry & { reason?: string }) => {
      const { only, lift, without, reason } = options;
      if (without !== undefined && reason === undefined) throw new CliError(withoutNeedsReason(without));
      const retry: Retry = defined({ ring, only, lift, without });
      return control(name, 'retry', options, { retry });
    });
}

function besideCommand(): Command {
  return named('beside')
    .description('let other clusters start although this one is stuck')
    .argument('<cluster>', 'name of the cluster, or account/region/name')
    .option('-r, --reason <text>', 'why; recorded with the command', parseReason)
    .action((name: string, cluster: string, options: CommonOptions & { reason?: string }) => control(name, 'beside', options, { cluster }));
}

/** Throws commander's error where there is no name. */
function parseNames(value: string): string[] {
  const names = value.split(',').filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError(writeClusters());
  return names;
}

function parseKinds(value: string): Retry['only'] {
  return value.split(',').map(oneOf(...RETRIABLE));
}

async function control(
  campaign: string,
  verb: CampaignVerb,
  options: CommonOptions & { reason?: string },
  more: { retry?: Retry; cluster?: string },
): Promise<void> {
  const config = readConfig(options);
  const { actor, prove } = await senderIn(config);
  const { reason } = options;
  await withCampaigns(config, async (campaigns) => {
    const answer = await campaigns.control({
      campaign,
      verb,
      actor,
      ...more,
      ...(reason === undefined ? {} : { reason }),
      ...(prove === undefined ? {} : { prove }),
    });
    printReply(answer, config);
  });
}

const COMMANDS = { named, senderIn };

const withCampaigns = (config: Config, work: (campaigns: Campaigns) => Promise<void>): Promise<void> =>
  withUpgrades(config, (_, campaigns) => work(campaigns));

/** By the first cluster of the file: people and their AWS identities are those of the whole file. */
async function senderIn(config: Config): Promise<Sender> {
  const [first] = config.clusterNames;
  if (first === undefined) throw new CliError(`${config.fileName} names no cluster`);
  return await senderOf(config, first);
}
