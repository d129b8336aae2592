/** What events say to people: one line each, for a mail's subject and for receivers that show a text. */
import { count } from '../../domain/core/text.ts';
import type { EventType } from '../../domain/policy/deliveries.ts';
import type { EventData, Person, RunEvent } from '../../domain/run/events/event.ts';

/** One line without control characters: nothing in it can begin another header or line. */
export const oneLine = (text: string, limit = 200): string => {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

export const summaryOf = ({ type, data }: RunEvent): string => oneLine(`${aboutOf(data)}: ${said(type, data)}`);

function aboutOf({ cluster, campaign }: EventData): string {
  if (campaign !== undefined) return `campaign ${campaign.name}`;
  return cluster?.name ?? 'campaigns';
}

/** `1.33 → 1.34`, or `1.34` for many clusters. */
function wayOf({ run, campaign }: EventData): string {
  if (campaign !== undefined) return `to ${campaign.target}`;
  return run?.to === undefined ? 'upgrade' : `${run.from === undefined ? '' : `${run.from} `}→ ${run.to}`;
}

const nameOf = (person: Person | undefined): string => person?.name ?? person?.id ?? 'nobody known';

function said(type: EventType, data: EventData): string {
  const { run, gate, step, report, note, change, campaign, proposal, rollback, unread } = data;
  const way = wayOf(data);
  switch (type) {
    case 'upgrade.started':
    case 'campaign.started':
      return `${way} started, requested by ${nameOf((campaign ?? run)?.requestedBy)}`;
    case 'upgrade.paused':
      return `${way} is paused`;
    case 'upgrade.resumed':
      return `${way} continues`;
    case 'upgrade.finished':
      return `${way} ${report?.outcome ?? 'ended'}: ${report?.headline ?? ''}`;
    case 'campaign.finished':
      return `${way} ${campaign?.phase ?? 'ended'}, ${campaign?.arrivedCount ?? 0} of ${count(campaign?.clusterCount ?? 0, 'cluster')} done: ${campaign?.headline ?? ''}`;
    case 'gate.opened':
    case 'campaign.gate.opened':
      return gate?.byItself === true ? `continues by itself: ${gate.title}` : `decision needed: ${gate?.title ?? ''}`;
    case 'gate.reminder':
    case 'campaign.gate.reminder':
      return `still waiting for a decision: ${gate?.title ?? ''}`;
    case 'gate.extended':
    case 'campaign.gate.extended':
      return `more time for a decision: ${gate?.title ?? ''}`;
    case 'gate.decided':
    case 'campaign.gate.decided':
      return `${gate?.decision?.label ?? 'decided'} by ${nameOf(gate?.decision?.by)}: ${gate?.title ?? ''}`;
    case 'gate.expired':
    case 'campaign.gate.expired':
      return `nobody decided in time: ${gate?.title ?? ''}`;
    case 'gate.withdrawn':
    case 'campaign.gate.withdrawn':
      return `no decision needed any more: ${gate?.title ?? ''}`;
    case 'change.requested':
      return `change requested: ${change?.name ?? ''} to ${change?.version ?? ''} (${change?.managedBy ?? ''})`;
    case 'rollback.opened':
      return `the control plane has moved to ${rollback?.at ?? ''} after its run had ended`;
    case 'rollback.closing':
      return `${rollback?.left ?? 'little time'} to roll the control plane back from ${rollback?.at ?? ''} to ${rollback?.backTo ?? ''}`;
    case 'rollback.closed':
      return `the control plane stays at ${rollback?.at ?? ''}: it cannot be rolled back any more`;
    case 'rollback.unrequested':
      return `the control plane is rolled back to ${rollback?.backTo ?? ''}, and no run of Belay requested it`;
    case 'proposal.made':
      return `proposed to ${proposal?.target ?? ''} for ${count(proposal?.clusterCount ?? 0, 'cluster')} at ${proposal?.from ?? ''}`;
    case 'proposal.dismissed':
      return `the one to ${proposal?.target ?? ''} was dismissed by ${nameOf(proposal?.dismissed?.by)}`;
    case 'proposal.unread':
      return unread?.why ?? '';
    case 'note.info':
    case 'note.warning':
    case 'note.alarm':
    case 'campaign.note.info':
    case 'campaign.note.warning':
    case 'campaign.note.alarm':
      return note?.text ?? '';
    default:
      return `${step?.title ?? step?.id ?? 'step'}: ${type.slice('step.'.length)}`;
  }
}
