/** `belay plan`: the plan, nothing else. Reads AWS and the cluster; needs neither Temporal nor Slack. */
import { Command } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import type { PlanResult } from '../../domain/plan/model/types.ts';
import {
  type CommonOptions,
  type FormatOptions,
  type PlanOptions,
  show,
  withCommon,
  withFormat,
  withPlanOptions,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { chosenCluster, type ClusterOptions, withCluster } from '../shared/cluster.ts';
import { type SnapshotOptions, snapshotSubject, snapshotTarget, withSnapshot } from '../shared/snapshot.ts';
import { renderPlan } from '../render/plan.ts';
import { noPlan } from '../messages/outcomes.ts';

type Options = CommonOptions & PlanOptions & FormatOptions & SnapshotOptions & ClusterOptions;

export function planCommand(): Command {
  return withSnapshot(withCluster(withFormat(withPlanOptions(withCommon(new Command('plan')), '[cluster]'))))
    .description('show the plan for a cluster; reads only, needs neither Temporal nor Slack')
    .action(async (cluster: string | undefined, options: Options) => {
      const { result, end } =
        options.snapshot === undefined ? await ofCluster(cluster, options) : await ofSnapshot(options.snapshot, cluster, options);
      show(options, result, renderPlan);
      end?.();
      if (result.kind === 'refused') throw new CliError(noPlan(), EXIT.refused);
    });
}

interface Planned {
  result: PlanResult;
  /** Says what is to be said at the end. */
  end?: () => void;
}

async function ofCluster(named: string | undefined, options: Options): Promise<Planned> {
  const chosen = await chosenCluster(named, options, { usage: 'belay plan CLUSTER --target 1.34', quiet: options.format === 'json' });
  const { config, cluster, end } = chosen;
  const target = await chosen.target(options.target);
  const { planCluster } = await import('../../worker/local/plan.ts');
  return { result: await planCluster(config, { cluster, target, strategy: options.strategy }), end };
}

async function ofSnapshot(file: string, cluster: string | undefined, options: Options): Promise<Planned> {
  const { snapshot, config } = await snapshotSubject(file, cluster, options);
  const target = await snapshotTarget(snapshot, config, options.target);
  const { planSnapshot } = await import('../../worker/local/snapshots/plan-snapshot.ts');
  return { result: await planSnapshot(snapshot, { target, ...defined({ config, strategy: options.strategy }) }) };
}
