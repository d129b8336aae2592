/** What a message is before it has a key: what the constructors of this room return. */
import type { GateDefinition } from '../../domain/gates/gate.ts';
import type { Notification } from '../../domain/run/notifications.ts';

type NoteNotification = Extract<Notification, { kind: 'note' }>;

/** One message in the thread of a run. `broadcast`: in the channel as well. `ask`: somebody else is to make this change. */
export type Note = Pick<NoteNotification, 'text'> & Partial<Omit<NoteNotification, 'kind' | 'text'>>;

/** What a gate says: everything but its id, its step and its times. */
export type GateText = Pick<GateDefinition, 'title' | 'next' | 'evidence' | 'undo'> & {
  choices: Omit<GateDefinition['choices'][number], 'needsQuorum'>[];
};

export const info = (text: string): Note => ({ text });

/** Something is not as planned; nobody has to act at once. */
export const warning = (text: string): Note => ({ text, level: 'warning' });

/** A warning that is shown in the channel as well. */
export const loudWarning = (text: string): Note => ({ text, level: 'warning', broadcast: true });

/** Something is not as it was promised; shown in the thread alone. */
export const quietAlarm = (text: string): Note => ({ text, level: 'alarm' });

/** Somebody has to act; shown in the channel as well. */
export const alarm = (text: string): Note => ({ text, level: 'alarm', broadcast: true });

/** A change that Belay asks somebody else for. `lasting`: no step waits for it, so it has no deadline. */
export type ChangeRequest = Note & Required<Pick<Note, 'ask'>> & { lasting?: true };
