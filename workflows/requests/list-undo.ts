/** Which steps of the last run can be undone, for `/eks-upgrade rollback CLUSTER list`. Changes nothing. */
import type { UndoOption } from '../../domain/plan/undo/plan-undo.ts';
import { configActivities, phaseActivities } from '../runtime/activity-proxies.ts';
import type { UndoListInput } from '../contract/messages.ts';

export async function listUndo({ cluster }: UndoListInput): Promise<UndoOption[]> {
  const policy = await configActivities.loadPolicy({ cluster });
  const { survey } = phaseActivities(policy.timing);
  const { options } = await survey.listUndo.executeWithOptions({ summary: 'What of the last run can be undone?' }, [{ cluster, policy }]);
  return options;
}
