/** Node classes to the AMIs that they chose before the last run: their nodes follow by drift, frozen first and paced, as on the way up. */
import type { KarpenterFact, NodeClassFact } from '../../facts/facts.ts';
import { agree, someOf } from '../../core/text.ts';
import { classesInUse, selectionWords } from '../karpenter/ami-changes.ts';
import type { AmiMove } from '../model/changes.ts';
import type { RuleViolation } from '../model/types.ts';
import { changedClasses, type ClassChange, termsBefore, termsInPoint, termsWords } from './selector-terms.ts';
import { minorBefore } from './images.ts';
import { type ClassesBack, nodeClassSteps, nodeWords } from './node-class-steps.ts';
import { asFinding, none, refusal, runWords, type UndoInput, type UndoWay } from './undo-input.ts';
import { defined } from '../../core/defined.ts';

type Judged = { kind: 'goes'; move: AmiMove; minor: string } | { kind: 'there' } | { kind: 'refused'; violation: RuleViolation };

export function undoNodeClasses(input: UndoInput): UndoWay {
  const { run, facts } = input;
  const changes = changedClasses(run);
  if (changes.length === 0)
    return none(
      refusal(
        'RBK102',
        `The AMI terms of no EC2NodeClass were changed by ${runWords(run)}.`,
        `An alias follows the control plane, and its nodes go back with that alone: belay rollback ${facts.cluster.name}.`,
      ),
    );
  const { karpenter } = facts;
  if (karpenter === undefined)
    return none(refusal('RBK104', 'Karpenter is not there any more, or could not be read.', 'Look at its Deployment, then ask again.'));
  const judged = changes.map((change) => judge(input, karpenter, change));
  const refused = judged.flatMap((each) => (each.kind === 'refused' ? [each.violation] : []));
  const goes = judged.flatMap((each) => (each.kind === 'goes' ? [each] : []));
  const [first] = goes;
  if (first === undefined) {
    if (refused.length > 0) return none(...refused);
    return none(
      refusal('RBK103', `Every EC2NodeClass that ${runWords(run)} changed chooses the AMIs of before.`, 'There is nothing to do.'),
    );
  }
  const together = goes.filter(({ minor }) => minor === first.minor);
  const back: ClassesBack = { moves: together.map(({ move }) => move), minor: first.minor, karpenter };
  const held = heldElsewhere(input, back);
  if (held !== undefined) return none(held);
  const later = goes.filter(({ minor }) => minor !== first.minor).map(({ move, minor }) => afterwards(move, minor, first.minor));
  return {
    kind: 'way',
    steps: nodeClassSteps(input, back),
    findings: [...refused, ...later].map(asFinding),
    until: 'these images are withdrawn, or the control plane moves on',
    cost: `${nodeWords(back)} replaced once more`,
  };
}

function judge(input: UndoInput, karpenter: KarpenterFact, change: ClassChange): Judged {
  const { name, before } = change;
  const nodeClass = karpenter.nodeClasses.find((each) => each.name === name);
  const refused = (violation: RuleViolation): Judged => ({ kind: 'refused', violation });
  if (nodeClass === undefined)
    return refused(
      refusal('RBK104', `EC2NodeClass ${name} is not there any more, or could not be read.`, `It chose ${before} before that run.`),
    );
  const now = nodeClass.terms === undefined ? undefined : termsWords(nodeClass.terms);
  const terms = termsBefore(change);
  // Terms that were not read are nowhere, least of all where nobody knows what they were.
  if (now !== undefined && (now === before || (terms === undefined && now === inPoint(input, name)))) return { kind: 'there' };
  const changed = changedSince(input, nodeClass, now, change);
  if (changed !== undefined) return refused(changed);
  if (terms === undefined) return refused(byHand(input, change));
  const minor = minorBefore(input, name, terms);
  if (typeof minor !== 'string') return refused(minor);
  const family = familyBefore(input, nodeClass, terms);
  const owner = nodeClass.deliveredBy;
  return {
    kind: 'goes',
    minor,
    move: {
      nodeClass: name,
      nodePools: classesInUse(input.facts).find((use) => use.nodeClass.name === name)?.nodePools ?? [],
      before: now ?? '',
      terms,
      ...defined({ amiFamily: family }),
      why: `that is what ${runWords(input.run)} found`,
      ...defined({ owner }),
    },
  };
}

/** What has no short words is held against the terms themselves. */
function inPoint(input: UndoInput, name: string): string | undefined {
  const terms = termsInPoint(input, name);
  return terms === undefined ? undefined : termsWords(terms);
}

function changedSince(
  { facts: { cluster }, run }: UndoInput,
  { name, heldAlias }: NodeClassFact,
  now: string | undefined,
  { before, reached }: ClassChange,
): RuleViolation | undefined {
  if (heldAlias !== undefined)
    return refusal(
      'RBK104',
      `EC2NodeClass ${name} is pinned to the images in use by a run of Belay, instead of ${heldAlias}.`,
      `Have that settled first: belay reconcile ${cluster.name}; then request this again.`,
    );
  if (now === undefined)
    return refusal(
      'RBK104',
      `The amiSelectorTerms of EC2NodeClass ${name} could not be read.`,
      'Allow list on ec2nodeclasses.karpenter.k8s.aws, then ask again.',
    );
  if (reached.includes(now)) return undefined;
  return refusal(
    'RBK104',
    reached.length === 0
      ? `EC2NodeClass ${name} chooses ${now}, and chose ${before} before ${runWords(run)}, whose plan does not say which release people promoted.`
      : `EC2NodeClass ${name} chooses ${now}, to which the run has not brought it (${reached.join('; ')}): somebody has changed it since.`,
    `Set its amiSelectorTerms to ${before} by hand if that is still wanted.`,
  );
}

function byHand(input: UndoInput, { name, before }: ClassChange): RuleViolation {
  const terms = termsInPoint(input, name);
  return refusal(
    'RBK110',
    `EC2NodeClass ${name} chose images by ${before}: which they are today, and for which minor, cannot be told.`,
    terms === undefined
      ? 'Look up what it chose where you keep it as code, and set that by hand under a budget of nodes: "0".'
      : `Set its amiSelectorTerms to ${JSON.stringify(terms)} by hand if these are images of a minor that may run here; a budget of nodes: "0" in its NodePools keeps its nodes meanwhile.`,
  );
}

/** undefined: it stays. null: there was none. Karpenter refuses a family that is not the alias's (EC2NodeClass API). */
function familyBefore({ point }: UndoInput, { name, amiFamily }: NodeClassFact, terms: AmiMove['terms']): string | null | undefined {
  const known = point?.nodeClasses.find((each) => each.name === name);
  // Beside ids a family is needed, and there was one.
  const before = known === undefined ? amiFamily : (known.amiFamily ?? null);
  if (before === null && terms.some(({ id }) => id !== undefined)) return undefined;
  return before === (amiFamily ?? null) || before === undefined ? undefined : before;
}

/** The freeze of an earlier run holds nodes that would roll as well once it is let go. */
function heldElsewhere({ facts: { cluster } }: UndoInput, { karpenter, moves }: ClassesBack): RuleViolation | undefined {
  const going = new Set(moves.flatMap(({ nodePools }) => nodePools));
  const held = karpenter.nodePools.filter(({ name, frozenBy, nodeCount }) => frozenBy !== undefined && nodeCount > 0 && !going.has(name));
  if (held.length === 0) return undefined;
  return refusal(
    'RBK111',
    `${agree(held.length, 'NodePool', 'NodePools')} ${someOf(held.map(({ name }) => name))} ${agree(held.length, 'is', 'are')} still frozen by an earlier run, and ${agree(held.length, 'its', 'their')} nodes would also be replaced when this run unfreezes drift.`,
    `Decide about that freeze first: belay reconcile ${cluster.name}; then request this again.`,
  );
}

function afterwards({ nodeClass, terms }: AmiMove, minor: string, first: string): RuleViolation {
  return refusal(
    'RBK112',
    `EC2NodeClass ${nodeClass} goes back to ${selectionWords(terms)}, whose nodes come to ${minor} and not to ${first}.`,
    'Ask again when this run has ended: it goes by a plan of its own.',
  );
}
