/** `belay reconcile`: what runs have left behind on a cluster, and with --yes puts it back. */
import { Command } from 'commander';
import { RECONCILED_WORDS, type ReconcileReport } from '../../domain/run/leftovers.ts';
import {
  type CommonOptions,
  type FormatOptions,
  readConfig,
  senderOf,
  show,
  withCommon,
  withFormat,
  withUpgrades,
  parseReason,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { MERGED_WORDS } from '../../domain/run/record/merge-finding.ts';
import { yesOrDryRun } from '../messages/arguments.ts';
import { changesInCode, leftBehind, nothingLeftBehind, restoreWith } from '../messages/outcomes.ts';

interface Options extends CommonOptions, FormatOptions {
  yes?: boolean;
  dryRun?: boolean;
  roll?: boolean;
  reason?: string;
}

export function reconcileCommand(): Command {
  return withFormat(withCommon(new Command('reconcile')))
    .description('find what a terminated run left behind on a cluster; --yes restores it')
    .argument('<cluster>', 'name in belay.yaml')
    .option('-y, --yes', 'restore it')
    .option('--dry-run', 'only show what would be restored (the default)')
    .option('--roll', 'also let Karpenter replace nodes that lag behind the control plane')
    .option('-r, --reason <text>', 'why; recorded', parseReason)
    .action(async (cluster: string, options: Options) => {
      if (options.yes === true && options.dryRun === true) throw new CliError(yesOrDryRun());
      const config = readConfig(options);
      const { actor: requestedBy, prove } = await senderOf(config, cluster);
      const { roll, reason, yes: apply = false } = options;
      await withUpgrades(config, async (upgrades) => {
        const report = await upgrades.reconcile({ cluster, requestedBy, prove, apply, roll, reason });
        if (report.refused !== undefined) throw new CliError(report.refused, EXIT.refused);
        show(options, report, (found) => renderReconciled(cluster, found));
      });
    });
}

/** What was found on one cluster, and what became of it. `next`: the command that restores it. */
export function renderReconciled(cluster: string, report: ReconcileReport, next = restoreWith(cluster)): string {
  const merges = report.merges ?? [];
  const inCode = merges.map(({ object, state, why }) => `- ${MERGED_WORDS[state]}: ${object}\n    ${why}`);
  const lines = inCode.length === 0 ? [] : ['', changesInCode(), ...inCode];
  return [renderLeft(cluster, report, next), ...lines].join('\n');
}

function renderLeft(cluster: string, { applied, items, unseen }: ReconcileReport, command: string): string {
  const lines = [
    ...items.map(({ what, outcome, why }) => `- ${RECONCILED_WORDS[outcome]}: ${what}${why === undefined ? '' : `\n    ${why}`}`),
    ...unseen.map(({ what, why }) => `- UNKNOWN: ${what} cannot be seen\n    ${why}`),
  ];
  if (lines.length === 0) return nothingLeftBehind(cluster);
  const undone = items.some(({ outcome }) => outcome === 'to-restore');
  const next = !applied && undone ? [command] : [];
  return [leftBehind(cluster), ...lines, ...next].join('\n');
}
