/** Several clusters behind one worker: each run has fake activities and a world of its own. */
import { ApplicationFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';

export type Run = (input: unknown) => Promise<unknown>;

/** The same activities, each changed. */
export function eachOf(activities: BelayActivities, change: (name: keyof BelayActivities, run: Run) => Run): BelayActivities {
  const changed: Record<string, unknown> = { ...activities };
  for (const [name, run] of Object.entries(activities)) changed[name] = change(name as keyof BelayActivities, run as Run);
  return changed as unknown as BelayActivities;
}

export interface OfRun {
  activities: BelayActivities;
  /** Known once it has been started. */
  run?: { workflowId: string };
}

/** An activity belongs to the run that its workflow's id begins with. */
export function together(clusters: readonly OfRun[]): BelayActivities {
  const [first] = clusters;
  if (first === undefined) throw new RangeError('There are no clusters');
  return eachOf(first.activities, (name) => async (input) => {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
    const mine = clusters.find(({ run }) => run !== undefined && workflowId.startsWith(run.workflowId));
    if (mine === undefined)
      throw ApplicationFailure.create({ message: 'this run is being started', type: 'Unavailable', nextRetryDelay: 100 });
    return await (mine.activities[name] as Run)(input);
  });
}
