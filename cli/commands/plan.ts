/** `belay plan`: the plan, nothing else. Reads AWS and the cluster; needs neither Temporal nor Slack. */
import { Command } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import type { PlanResult } from '../../domain/plan/model/types.ts';
import {
  type CommonOptions,
  type FormatOptions,
  type PlanOptions,
  readConfig,
  show,
  targetOf,
  withCommon,
  withFormat,
  withPlanOptions,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { configBeside, namedCluster, openSnapshot, type SnapshotOptions, snapshotTarget, withSnapshot } from '../shared/snapshot.ts';
import { renderPlan } from '../render/plan.ts';
import { noPlan } from '../messages/outcomes.ts';

type Options = CommonOptions & PlanOptions & FormatOptions & SnapshotOptions;

export function planCommand(): Command {
  return withSnapshot(withFormat(withPlanOptions(withCommon(new Command('plan')), '[cluster]')))
    .description('show the plan for a cluster; reads only, needs neither Temporal nor Slack')
    .action(async (cluster: string | undefined, options: Options) => {
      const result =
        options.snapshot === undefined ? await ofCluster(cluster, options) : await ofSnapshot(options.snapshot, cluster, options);
      show(options, result, renderPlan);
      if (result.kind === 'refused') throw new CliError(noPlan(), EXIT.refused);
    });
}

async function ofCluster(named: string | undefined, options: Options): Promise<PlanResult> {
  const cluster = namedCluster(named, 'belay plan CLUSTER --target 1.34');
  const config = readConfig(options);
  const { planCluster } = await import('../../worker/local/plan.ts');
  return await planCluster(config, { cluster, target: targetOf(config, cluster, options.target), strategy: options.strategy });
}

async function ofSnapshot(file: string, cluster: string | undefined, options: Options): Promise<PlanResult> {
  const config = configBeside(options);
  const snapshot = await openSnapshot(file, cluster);
  const target = await snapshotTarget(snapshot, config, options.target);
  const { planSnapshot } = await import('../../worker/local/snapshots/plan-snapshot.ts');
  return await planSnapshot(snapshot, { target, ...defined({ config, strategy: options.strategy }) });
}
