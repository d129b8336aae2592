/** `belay rollback`: what /eks-upgrade rollback does; with --dry-run it needs neither Temporal nor Slack. */
import { Command } from 'commander';
import { UNDO_STEPS_TEXT } from '../../domain/plan/undo/names.ts';
import {
  type CommonOptions,
  type FormatOptions,
  readConfig,
  readConfigToStart,
  senderOf,
  show,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { endedRun } from '../../client/starting/running-upgrade.ts';
import { rollbackQuestion } from '../render/questions.ts';
import { confirmFirst, withQuestion, type YesOptions } from '../shared/confirm.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { renderPlan } from '../render/plan.ts';
import { renderUndoOptions } from '../render/undo.ts';
import { showStarted } from './start.ts';
import { cannotGoBack } from '../messages/outcomes.ts';

interface Options extends CommonOptions, FormatOptions, YesOptions {
  dryRun?: true;
  step?: string;
  list?: true;
}

export function rollbackCommand(): Command {
  return withQuestion(withFormat(withCommon(new Command('rollback'))))
    .description(
      'roll a control plane back to its previous minor, or undo one step of the last run: plans, opens a thread, and waits at the first gate',
    )
    .argument('<cluster>', 'name in belay.yaml')
    .option('--step <name>', `undo one step of the last run instead, ${UNDO_STEPS_TEXT}; the control plane stays`)
    .option('--list', 'show which steps of the last run can be undone, until when, how long it takes and what it costs; start nothing')
    .option('--dry-run', 'show the plan and start nothing')
    .action(async (cluster: string, options: Options) => {
      const config = options.list === true || options.dryRun === true ? readConfig(options) : readConfigToStart(options);
      const { step } = options;
      if (options.list === true) {
        const { listUndo } = await import('../../worker/local/plan.ts');
        show(options, await listUndo(config, cluster), renderUndoOptions);
        return;
      }
      if (options.dryRun === true) {
        const { planClusterBack } = await import('../../worker/local/plan.ts');
        const result = await planClusterBack(config, cluster, step);
        show(options, result, renderPlan);
        if (result.kind === 'refused') throw new CliError(cannotGoBack(cluster), EXIT.refused);
        return;
      }
      const { actor: requestedBy, prove } = await senderOf(config, cluster);
      await withUpgrades(config, async (upgrades) => {
        await confirmFirst(options, async () => {
          await endedRun(upgrades, cluster);
          return rollbackQuestion(cluster, step);
        });
        await showStarted(options, () => upgrades.startBack({ cluster, requestedBy, prove, undo: step }));
      });
    });
}
