/** `belay campaign approve`: equal gates of a campaign's runs, shown once and approved for all of them. */
import { Command } from 'commander';
import { bundleApproved } from '../../client/calls/messages.ts';
import type { Campaigns } from '../../client/campaigns/campaigns.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { type Bundle, SHOWN_VERDICTS } from '../../domain/run/campaign/bundles.ts';
import { type CommonOptions, print, readConfig, say, type Sender, withCommon, withUpgrades } from '../shared/context.ts';
import { askYes, terminalOf, withYes, type YesOptions } from '../shared/confirm.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { plain, withoutControls } from '../shared/controls.ts';
import { approveAllOf, approveNeedsYes, equalGates, noEqualGates, undoOf, votesMissing, votesSent } from '../messages/bundles.ts';

interface Options extends CommonOptions, YesOptions {
  gate?: string;
}

/** `senderIn`: who sends commands of campaigns. */
export function approveCommand(senderIn: (config: Config) => Promise<Sender>): Command {
  return withYes(withCommon(new Command('approve')))
    .argument('<campaign>', 'name under campaigns in belay.yaml')
    .description('approve identical gates of its runs with one answer; each run gets its own vote')
    .option('--gate <kind>', 'only gates whose ids begin so, such as before:node-groups')
    .action(async (campaign: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderIn(config);
      await withUpgrades(config, (_, campaigns) => approveEqualGates(campaigns, campaign, options, sender));
    });
}

/** All that are offered now, or those of one kind: shown, asked about once, and approved. Throws a CliError where a vote is not recorded. */
export async function approveEqualGates(
  campaigns: Pick<Campaigns, 'bundles' | 'approveBundle'>,
  campaign: string,
  options: Pick<Options, 'gate' | 'yes'>,
  { actor, prove }: Sender,
): Promise<void> {
  const { open } = await campaigns.bundles(campaign);
  const wanted = open.filter(({ gate }) => options.gate === undefined || gate.startsWith(options.gate));
  if (wanted.length === 0) throw new CliError(noEqualGates(campaign, options.gate), EXIT.refused);
  for (const bundle of wanted) linesOf(withoutControls(bundle, plain)).forEach(say);
  const gateCount = wanted.reduce((sum, { members }) => sum + members.length, 0);
  await confirm(gateCount, options);
  let votedCount = 0;
  for (const { id } of wanted) {
    const outcome = await campaigns.approveBundle({
      campaign,
      bundle: id,
      actor,
      ...defined({ prove }),
      onProgress: (done, of) => {
        if (done % EVERY === 0 && done < of) say(votesSent(done, of));
      },
    });
    print(withoutControls(bundleApproved(outcome)));
    votedCount += outcome.results.filter(({ result: { kind } }) => kind === 'voted' || kind === 'voted-before').length;
  }
  if (votedCount < gateCount) throw new CliError(votesMissing(votedCount, gateCount), EXIT.refused);
}

const EVERY = 50;

function linesOf({ step, ring, verdict, rules, undo, members }: Bundle): string[] {
  const clusters = members.map(({ cluster }) => cluster.name);
  return [
    equalGates({ step, ring, clusters, verdict: SHOWN_VERDICTS[verdict], rules }),
    `  ${undoOf(undo)}`,
    ...members.map(({ cluster, title }) => `  ${cluster.name}: ${title}`),
  ];
}

/** Nobody approves without having seen for which. */
async function confirm(gateCount: number, { yes }: Pick<Options, 'yes'>): Promise<void> {
  if (yes === true) return;
  const terminal = terminalOf();
  if (terminal === undefined) throw new CliError(approveNeedsYes(gateCount), EXIT.refused);
  await askYes(approveAllOf(gateCount), terminal);
}
