/** The shape of a belief: something about the outside that a change or a guard of Belay rests on. */
import type { SourceId } from './sources.ts';

/** certain: read in source code or in the service's model; likely: documented, or the practice of widely used tools; unsure: documents disagree or are silent. */
export type Sureness = 'certain' | 'likely' | 'unsure';

/**
 * How `belay conformance` tries it: by reading, by changing something and putting it back, or not at all and why. A check has the id of its
 * belief.
 */
export type Trial = 'reads' | 'changes' | { untried: string };

export interface Belief {
  /** OUTSIDE-WHAT, never given to another belief. */
  id: string;
  /** One sentence in the present tense. */
  says: string;
  sources: readonly SourceId[];
  sure: Sureness;
  /** What Belay does, or what notices it, where it is false. */
  ifFalse: string;
  /** The file that rests on it, from the root of the repository. */
  where: string;
  trial: Trial;
}

/** Beliefs about one outside. */
export interface Outside {
  title: string;
  /** What its ids begin with. */
  prefix: string;
  beliefs: readonly Belief[];
}
