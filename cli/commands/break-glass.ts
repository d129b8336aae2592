/** `belay break-glass`: passes a gate despite its rules, by two people whom AWS knows. */
import { Command } from 'commander';
import { gateIn } from '../../client/reading/open-gate.ts';
import { type CommonOptions, printReply, readConfig, senderOf, withCommon, withUpgrades, parseReason } from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { breakGlassNeedsAws, breakGlassNeedsWorker } from '../messages/outcomes.ts';

interface Options extends CommonOptions {
  reason: string;
}

export function breakGlassCommand(): Command {
  return withCommon(new Command('break-glass'))
    .description('answer a gate despite its rules: two of the "people" in belay.yaml must send the same; announced in the channel')
    .argument('<cluster>', 'name in belay.yaml')
    .argument('<gate>', "the gate's id, or a unique beginning of it")
    .argument('<choice>', 'one of its choices, such as approve')
    .requiredOption('-r, --reason <text>', 'why; shown in the channel and recorded', parseReason)
    .action(async (cluster: string, gate: string, choice: string, options: Options) => {
      const config = readConfig(options);
      const sender = await senderOf(config, cluster);
      if (sender.prove === undefined) {
        throw new CliError(breakGlassNeedsAws(config.fileName), EXIT.refused);
      }
      await withUpgrades(config, async (upgrades) => {
        const answer = await upgrades.status(cluster);
        if (answer.source === 'visibility') throw new CliError(breakGlassNeedsWorker(cluster), EXIT.refused);
        const found = gateIn(answer, gate, choice);
        printReply(await upgrades.decide({ cluster, ...found, choice, ...sender, reason: options.reason, breakGlass: true }), config);
      });
    });
}
