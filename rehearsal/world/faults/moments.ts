/** Moments at which a fault can begin: phases, operations, the first gate. Each is seen from outside, by what arrives at a stand-in. */
import { BACK_MOMENTS } from '../../processes/back-observer.ts';
import { isPhase, OBSERVABLE_PHASES, PhaseObserver } from '../../processes/phase-observer.ts';
import type { Mutation } from '../journal.ts';

/** A request as it arrives, before it is served. */
export interface Arrival {
  api: 'eks' | 'kubernetes' | 'slack' | 'prometheus';
  /** UpdateClusterVersion; `patch nodepools`; chat.postMessage; query. */
  operation: string;
  /** Path or object, e.g. nodepools/default. */
  resource: string;
  /** Does it change something? */
  mutates: boolean;
  /** A message with a gate's buttons. */
  gate?: boolean;
}

export const GATE = 'GATE';
/** The first request that changes something in AWS. */
export const ANY_CHANGE = 'any-change';

/** Those that an operation and its object tell: which way the control plane moves stands in the request's body. */
export const FAULT_PHASES: readonly string[] = OBSERVABLE_PHASES.filter((phase) => !BACK_MOMENTS.some((moment) => moment === phase));

const EKS_OPERATION = /^(Describe|List|Start|Update|Create|Delete)[A-Z][A-Za-z]+$/;
const KUBERNETES_OPERATION = /^(get|list|watch|create|update|patch|delete)-[a-z0-9]+$/;
const SLACK_METHOD = /^(chat|views|reactions|users|usergroups|conversations|auth|apps)\.[a-zA-Z.]+$/;

/** Is it a request to Kubernetes that changes nothing? */
export const readsOnly = (at: string): boolean => /^(get|list|watch)-/.test(at);

/** What is wrong with the text of a moment; undefined: nothing. */
export function wrongMoment(at: string): string | undefined {
  if (at === GATE || at === ANY_CHANGE || FAULT_PHASES.includes(at)) return undefined;
  if (EKS_OPERATION.test(at) || KUBERNETES_OPERATION.test(at) || SLACK_METHOD.test(at)) return undefined;
  if (isPhase(at)) return `${at} changes nothing that the twin could see; a fault can begin at ${FAULT_PHASES.join(', ')}`;
  return `"${at}" is no moment; write ${GATE}, a phase (${FAULT_PHASES.join(', ')}) or an operation such as UpdateClusterVersion, patch-nodepools or chat.postMessage`;
}

export class Moments {
  readonly #phases = new PhaseObserver();

  /** Moments that an arriving request marks. */
  of({ api, operation, resource, mutates, gate }: Arrival): string[] {
    const moments = [operation.replace(' ', '-')];
    if (gate === true) moments.push(GATE);
    if (!mutates) return moments;
    if (api === 'eks') moments.push(ANY_CHANGE);
    const asMutation: Mutation | undefined = api === 'prometheus' ? undefined : { api, operation, resource, accepted: true, at: '' };
    const phase = asMutation === undefined ? undefined : this.#phases.observe(asMutation);
    return phase === undefined ? moments : [...moments, phase];
  }
}
