/**
 * What a proof of identity is bound to. The command line signs an STS GetCallerIdentity request, valid for 60 s, whose signed header carries the
 * hash of these words (the method of Vault's AWS login); whoever sees it can repeat this very message to this very workflow and do nothing else.
 */
import type { DecideGateInput } from './gate.ts';

/** The signed header. */
export const BINDING_HEADER = 'x-belay-binding';
/** A proof is dead after this long. */
export const PROOF_SECONDS = 60;

/** Signs the words; resolves with the request, as a URL. */
export type Prove = (words: string) => Promise<string>;

/** A proof and what the message that carries it says: both are compared by the worker. */
export interface Claim {
  proof: string;
  words: string;
}

export function decisionWords(
  workflowId: string,
  { gateId, decisionId, choice, reason, planHash, run, breakGlass }: DecideGateInput,
): string {
  return JSON.stringify([
    breakGlass === true ? 'break-glass' : 'decide',
    workflowId,
    run ?? '',
    gateId,
    decisionId,
    choice,
    reason ?? '',
    planHash ?? '',
  ]);
}

/** `kind`: pause, pace and so on; `nonce` makes each command another one. */
export function controlWords(
  kind: string,
  workflowId: string,
  input: { reason?: string; run?: string; nonce?: string; what?: string },
): string {
  return JSON.stringify([kind, workflowId, input.run ?? '', input.nonce ?? '', input.what ?? '', input.reason ?? '']);
}

export function startWords(
  workflowId: string,
  { target, strategy, back, undo }: { target: string; strategy?: string; back?: true; undo?: string },
): string {
  return JSON.stringify([back === true ? 'rollback' : 'start', workflowId, target, undo ?? strategy ?? '']);
}
