/** `belay adopt`: for a Temporal that has lost its runs: finds what they still hold in the clusters, and puts it back or says who takes it over. */
import { Command } from 'commander';
import type { ReconcileReport } from '../../domain/run/leftovers.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import {
  type CommonOptions,
  type FormatOptions,
  parseReason,
  readConfig,
  senderOf,
  show,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { yesOrDryRun } from '../messages/arguments.ts';
import { adoptRefused, adoptWith, freezeWithoutGuard } from '../messages/outcomes.ts';
import { renderReconciled } from './reconcile.ts';

interface Options extends CommonOptions, FormatOptions {
  yes?: boolean;
  dryRun?: boolean;
  reason?: string;
}

/** `problem`: why nothing is known of it. */
type Adopted = { cluster: string } & ({ report: ReconcileReport } | { problem: string });

export function adoptCommand(): Command {
  return withFormat(withCommon(new Command('adopt')))
    .description('after the loss of Temporal: find what lost runs left behind on the clusters in belay.yaml; --yes restores it')
    .argument('[cluster...]', 'clusters to check (default: all)')
    .option('-y, --yes', 'restore it; a freeze stays where nodes lag behind the control plane')
    .option('--dry-run', 'only show what would be restored (the default)')
    .option('-r, --reason <text>', 'why; recorded', parseReason)
    .action(async (named: string[], options: Options) => {
      if (options.yes === true && options.dryRun === true) throw new CliError(yesOrDryRun());
      const config = readConfig(options);
      const clusters = named.length > 0 ? named : config.clusterNames;
      const { reason, yes: apply = false } = options;
      const found: Adopted[] = [];
      await withUpgrades(config, async (upgrades) => {
        // One after the other: whoever watches sees what is done, and one cluster that does not answer keeps none from being looked at.
        for (const cluster of clusters) {
          try {
            const { actor: requestedBy, prove } = await senderOf(config, cluster);
            found.push({ cluster, report: await upgrades.reconcile({ cluster, requestedBy, prove, apply, reason }) });
          } catch (error) {
            found.push({ cluster, problem: messageOf(error) });
          }
        }
      });
      show(options, found, (all) => all.map((one) => render(one)).join('\n\n'));
      const failed = found.filter((one) => 'problem' in one || one.report.refused !== undefined);
      if (failed.length > 0) throw new CliError(adoptRefused(failed.map(({ cluster }) => cluster)), EXIT.refused);
    });
}

function render(one: Adopted): string {
  const { cluster } = one;
  if ('problem' in one) return `${cluster}: UNKNOWN: ${one.problem}`;
  const { report } = one;
  if (report.refused !== undefined) return `${cluster}: ${report.refused}`;
  const isHeld = report.items.some(({ outcome, what }) => outcome === 'left' && what.includes('frozen by'));
  const isOpen = !report.applied && report.items.some(({ outcome }) => outcome === 'to-restore');
  return [
    renderReconciled(cluster, report, isOpen ? adoptWith(cluster) : undefined),
    ...(isHeld ? [freezeWithoutGuard(cluster)] : []),
  ].join('\n');
}
