/** Add-ons that somebody else changes. */
import type { ManagedBy } from '../../../domain/facts/facts.ts';
import type { AddOnChange } from '../../../domain/plan/model/changes.ts';
import type { ChangeRequest } from '../note.ts';

export const changeAddOn = ({ name, from, to, managed }: AddOnChange, managedBy: ManagedBy): ChangeRequest => ({
  ask: { component: 'add-on', name, version: to, managedBy },
  text: `Please change add-on ${name} from ${from} to ${to}. ${
    managed ? `It is managed by ${managedBy}.` : 'EKS does not manage it: change its image or manifest.'
  } Belay continues by itself once it runs.`,
});
