/** `/eks-upgrade approve` and `reject`: typing decides nothing, since nobody has seen about what. The gate is shown, and its buttons decide. */
import { gateIn, onlyGateIn } from '../../client/reading/open-gate.ts';
import { openGateBlocks } from '../blocks/open-gate.ts';
import type { Steering } from './commands/parse-steering.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { type Listener, says, tell } from '../interaction/reply.ts';
import { gateUnseen } from '../messages/refusals.ts';

/** Throws UpgradesError where no gate fits, several do, or it has no such choice. */
export async function showGate(
  { upgrades }: SlackDeps,
  { cluster, choice, gate: wanted }: Extract<Steering, { kind: 'decide' }>,
  listener: Listener,
): Promise<void> {
  const answer = await upgrades.status(cluster);
  if (answer.source !== 'workflow') return await tell(listener, says(gateUnseen(cluster, answer.why)));
  const meant = wanted ?? onlyGateIn(answer).gateId;
  const { gateId } = gateIn(answer, meant, choice);
  const gate = answer.status.gates.find(({ id }) => id === gateId);
  if (gate !== undefined) await tell(listener, openGateBlocks(gate, answer.status.runId));
}
