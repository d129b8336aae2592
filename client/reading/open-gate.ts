/** Finds the gate that somebody means, by the beginning of its id or by what has failed, in what is known of the upgrade. */
import { type OpenGate, WITHDRAW_VOTE } from '../../domain/gates/gate.ts';
import { isGateId } from '../../workflows/contract/ids.ts';
import { type DecideRequest, type StatusAnswer, UpgradesError } from '../calls/contract.ts';
import {
  choiceNotOffered,
  gateUnnamed,
  noSuchChoice,
  noGateOpen,
  noSuchGate,
  nothingFailed,
  nothingFailedAsFarAsKnown,
  severalFailed,
  severalGates,
  whichOpenGate,
  wholeGateNeeded,
} from '../calls/messages.ts';

/** All that a decision says of its gate. */
export type FoundGate = Pick<DecideRequest, 'workflowId' | 'gateId' | 'revision' | 'planHash' | 'run'>;

/** A gate is at its first revision until the status says otherwise. */
const FIRST_REVISION = 1;

/** Throws UpgradesError where none or several fit, or the gate has no such choice. Without a worker only the id of one gate at most is known. */
export function gateIn(answer: StatusAnswer, wanted: string, choice?: string): FoundGate {
  // Every id begins so: a variable that a script has not set would decide whatever is open.
  if (wanted.trim() === '') throw new UpgradesError('refused', gateUnnamed(clusterOf(answer)));
  if (answer.source === 'visibility') {
    const { waitingFor, runId } = answer.status;
    const gateId = waitingFor?.startsWith(wanted) === true ? waitingFor : wanted;
    // What is no whole id would reach no gate, and nobody could say so.
    if (!isGateId(gateId)) throw new UpgradesError('refused', wholeGateNeeded(wanted));
    return { gateId, revision: FIRST_REVISION, run: runId };
  }
  const { gates } = answer.status;
  const exact = gates.filter(({ id }) => id === wanted);
  const candidates = exact.length > 0 ? exact : gates.filter(({ id }) => id.startsWith(wanted));
  const [gate] = candidates;
  if (gate === undefined || candidates.length > 1) {
    const problem = gate === undefined ? noSuchGate : severalGates;
    throw new UpgradesError('refused', problem(wanted, idsOf(gates)));
  }
  if (choice !== undefined && !gate.choices.includes(choice) && choice !== WITHDRAW_VOTE)
    throw new UpgradesError('refused', noSuchChoice(gate.id, choice, gate.choices));
  return found(gate, answer.status.runId);
}

/** The only gate that is open. Throws UpgradesError where there is none, or several. */
export function onlyGateIn(answer: StatusAnswer): FoundGate {
  const { runId } = answer.status;
  const name = clusterOf(answer);
  if (answer.source === 'visibility') {
    const gateId = answer.status.waitingFor;
    if (gateId === undefined || gateId === '') throw new UpgradesError('refused', noGateOpen(name));
    return { gateId, revision: FIRST_REVISION, run: runId };
  }
  const { gates } = answer.status;
  const [gate, other] = gates;
  if (gate === undefined) throw new UpgradesError('refused', noGateOpen(name));
  if (other !== undefined) throw new UpgradesError('refused', whichOpenGate(name, idsOf(gates)));
  return found(gate, runId);
}

/** The gate where a step has failed, for `retry` and `skip`. Throws UpgradesError where none is open, or several are. */
export function failedGateIn(answer: StatusAnswer, choice: 'retry' | 'skip'): FoundGate {
  const { runId } = answer.status;
  const name = clusterOf(answer);
  if (answer.source === 'visibility') {
    const gateId = answer.status.waitingFor;
    if (gateId?.startsWith('failed:') === true) return { gateId, revision: FIRST_REVISION, run: runId };
    throw new UpgradesError('refused', nothingFailedAsFarAsKnown(name, choice));
  }
  const { gates } = answer.status;
  const failed = gates.filter(({ id }) => id.startsWith('failed:'));
  const [gate, other] = failed;
  if (gate === undefined) throw new UpgradesError('refused', nothingFailed(name, choice, idsOf(gates)));
  if (other !== undefined) throw new UpgradesError('refused', severalFailed(name, idsOf(failed)));
  if (!gate.choices.includes(choice)) throw new UpgradesError('refused', choiceNotOffered(gate.id, choice, gate.choices));
  return found(gate, runId);
}

const clusterOf = ({ status: { cluster } }: StatusAnswer): string => (typeof cluster === 'string' ? cluster : cluster.name);

const idsOf = (gates: readonly OpenGate[]): string[] => gates.map(({ id }) => id);

function found({ id, workflowId, revision, planHash }: OpenGate & { workflowId: string }, run: string): FoundGate {
  return { workflowId, gateId: id, revision: revision ?? FIRST_REVISION, planHash, run };
}
