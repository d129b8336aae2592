/** Runs conformance checks one after the other, and puts back what they have changed. */
import { BELIEFS } from '../../../domain/tables/beliefs/index.ts';
import type { Belief } from '../../../domain/tables/beliefs/belief.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Tried, Verdict } from '../../../domain/tables/beliefs/verdict.ts';
import { CannotTry, type Ground, untried } from './check.ts';
import { CHANGE_CHECKS, READ_CHECKS } from './checks.ts';
import { isDenied, textAt } from './look.ts';

export interface Trials {
  /** Only these beliefs. */
  only?: readonly string[];
  /** Changes are allowed: the cluster was made for throwing away. */
  disposable: boolean;
  onTried?: (tried: Tried) => void;
}

const CHANGES_REFUSED = 'it changes something; name a cluster made for throwing away with --disposable';

/** In the order of the beliefs, those that read first. Never throws for what a check meets. */
export async function tryBeliefs(ground: Ground, { only, disposable, onTried }: Trials): Promise<Tried[]> {
  const wanted = BELIEFS.filter(({ id }) => only === undefined || only.includes(id));
  const reading = wanted.filter(({ trial }) => trial === 'reads');
  const changing = wanted.filter(({ trial }) => trial === 'changes');
  const all: Tried[] = [];
  const done = (tried: Tried): void => {
    all.push(tried);
    onTried?.(tried);
  };
  for (const belief of reading) done(await tryOne(belief, ground));
  for (const belief of changing) done(disposable ? await tryOne(belief, ground) : outcome(belief, untried(CHANGES_REFUSED, 'changes')));
  for (const belief of wanted) if (typeof belief.trial === 'object') done(outcome(belief, untried(belief.trial.untried, 'never')));
  return all;
}

const outcome = ({ id, says }: Belief, verdict: Verdict): Tried => ({ id, says, verdict, restored: [], left: [] });

async function tryOne(belief: Belief, ground: Ground): Promise<Tried> {
  const owed: { what: string; putBack: () => Promise<void> }[] = [];
  const tried = outcome(belief, untried('there is no check of it', 'never'));
  try {
    const read = READ_CHECKS[belief.id];
    const change = CHANGE_CHECKS[belief.id];
    if (read !== undefined) tried.verdict = await read(ground);
    else if (change !== undefined) tried.verdict = await change(ground, (what, putBack) => owed.push({ what, putBack }));
  } catch (error) {
    tried.verdict = whyNot(error);
  }
  for (const { what, putBack } of owed.toReversed()) {
    try {
      await putBack();
      tried.restored.push(what);
    } catch (error) {
      tried.left.push({ what, why: messageOf(error) });
    }
  }
  return tried;
}

function whyNot(error: unknown): Verdict {
  if (error instanceof CannotTry) return untried(error.message, error.because);
  if (isDenied(error)) return untried(`a right is missing: ${messageOf(error)}`, 'right');
  const missing = textAt(error, 'name') === 'UnknownOperationException';
  return untried(`${missing ? 'this endpoint does not have the operation' : 'it could not be asked'}: ${messageOf(error)}`, 'unanswered');
}
