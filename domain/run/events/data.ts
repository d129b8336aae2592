/** Makes the data of events of what a run tells: bounded, since each goes through a history, and a webhook's receiver refuses large bodies. */
import type { Actor } from '../../gates/actor.ts';
import { actorName } from '../../gates/actor.ts';
import type { GateState } from '../../gates/gate.ts';
import { defined } from '../../core/defined.ts';
import { identityName, type People } from '../../policy/identities.ts';
import type { MessageNotification, Voters } from '../notifications.ts';
import type { StepView, UpgradeReport, UpgradeStatus } from '../record/status.ts';
import type { EventData, GateData, Person, ReportData, StepData } from './event.ts';

const LINE = 400;
const TEXT = 2_000;
const [BLOCKS, LINES, LEFT, STEPS, CHOICES, APPROVERS] = [6, 8, 20, 60, 20, 50];

/** By code points: half of a pair is no text. */
export const clip = (text: string, limit = LINE): string => {
  const clean = text.toWellFormed();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

export const personOf = (actor: Actor): Person => ({
  id: clip(actor.id, 200),
  kind: actor.kind,
  ...(actor.name === undefined && actor.unproven === undefined ? {} : { name: clip(actorName(actor), 200) }),
});

/** Of a run, by what is known of it. */
export const runData = (
  { workflowId, runId }: { workflowId: string; runId: string },
  { from, to, requestedBy, campaign }: Pick<UpgradeStatus, 'from' | 'to' | 'requestedBy' | 'campaign'>,
): NonNullable<EventData['run']> => ({ workflowId, runId, ...defined({ from, to, campaign }), requestedBy: personOf(requestedBy) });

type GateTold = Pick<Extract<MessageNotification, { kind: 'gate' }>, 'state' | 'mention' | 'voters'>;

/** What a gate's data says beside the gate. */
export interface GateWords {
  /** How it is decided by command line. */
  command: (gateId: string) => string;
  /** It can be decided in Slack as well. */
  inSlack: boolean;
  /** Whose AWS identities say what they are called. */
  people?: People;
}

export const linksOf = (temporalUrl: string | undefined): Pick<EventData, 'links'> =>
  temporalUrl === undefined ? {} : { links: { temporal: temporalUrl } };

export function gateData({ state, mention, voters }: GateTold, { command, inSlack, people = {} }: GateWords): GateData {
  const { gate } = state;
  return {
    id: gate.id,
    step: gate.step,
    title: clip(gate.title),
    next: clip(gate.next, TEXT),
    undo: clip(gate.undo, TEXT),
    evidence: gate.evidence.slice(0, BLOCKS).map(({ title, lines, verdict }) => ({
      title: clip(title),
      ...defined({ verdict }),
      lines: lines.slice(0, LINES).map((line) => clip(line)),
    })),
    choices: gate.choices
      .slice(0, CHOICES)
      .map(({ id, label, does, needsReason = false }) => ({ id, label: clip(label), does: clip(does), needsReason })),
    quorum: gate.quorum,
    ...(gate.rules === undefined ? {} : { rules: gate.rules.map(({ name, quorum }) => ({ name, quorum })) }),
    approvers: {
      users: mention.users.slice(0, APPROVERS),
      groups: mention.groups.slice(0, APPROVERS),
      names: namesOf(voters ?? { ...mention, except: [] }, people),
    },
    openedAt: gate.openedAt,
    expiresAt: gate.expiresAt,
    ...defined({ planHash: gate.planHash }),
    byItself: gate.byItself === true,
    command: command(gate.id),
    ...(inSlack ? { inSlack } : {}),
    ...defined({ decision: decisionOf(state), withdrawn: state.kind === 'withdrawn' ? clip(state.why) : undefined }),
  };
}

/** As belay.yaml has them, with what AWS calls them. Whoever asked for the run under four eyes is not among them. */
function namesOf({ users, groups, except }: Voters, people: People): string[] {
  const called = (id: string): string => {
    const names = (people[id] ?? []).map(identityName).filter((name) => name !== '*' && name !== id);
    return clip(names.length === 0 ? id : `${id} (${names.join(', ')})`, 200);
  };
  return [...users.filter((id) => !except.includes(id)).map(called), ...groups.map((id) => `members of Slack user group ${id}`)].slice(
    0,
    APPROVERS,
  );
}

function decisionOf(state: GateState): GateData['decision'] {
  if (state.kind !== 'decided') return undefined;
  const { choice, actor, at, reason } = state.decision;
  const label = state.gate.choices.find(({ id }) => id === choice)?.label ?? choice;
  return {
    choice,
    label: clip(label),
    by: personOf(actor),
    at,
    ...defined({ reason: reason === undefined ? undefined : clip(reason, TEXT) }),
  };
}

export const stepData = ({ id, title, state, startedAt, endedAt, note }: StepView): StepData => ({
  id,
  title: clip(title),
  state,
  ...defined({ startedAt, endedAt, note: note === undefined ? undefined : clip(note) }),
});

export const reportData = ({ status, outcome, leftBehind }: UpgradeReport): ReportData => ({
  outcome,
  headline: clip(status.headline),
  startedAt: status.startedAt,
  ...defined({ endedAt: status.endedAt }),
  leftBehind: leftBehind.slice(0, LEFT).map(({ what, why, kept }) => ({ what: clip(what), why: clip(why), kept })),
  steps: status.steps.slice(0, STEPS).map(({ id, state }) => ({ id, state })),
});
