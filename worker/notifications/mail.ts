/**
 * An event as a mail: plain text and simple HTML, in one thread for each run. Its Message-ID is the same over attempts and workers, so that mail servers
 * and readers that drop repeats can do so. What comes from a run is text alone: one line in headers, escaped in HTML.
 */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { DeliverInput, EventData, GateData, ProposalData, RunEvent } from '../../domain/run/events/event.ts';
import { madeKey } from '../../domain/run/events/proposal-events.ts';
import type { MailAccess } from '../../domain/policy/deliveries.ts';
import { utcMinute } from '../../domain/core/text.ts';
import { eventId } from './cloud-event.ts';
import { usd } from '../../domain/run/fleet-view/money.ts';
import { oneLine, summaryOf } from './texts.ts';

export interface Mail {
  envelope: { from: string; to: string[] };
  message: Buffer;
}

type Block = { title: string; lines: string[] };

export async function mailOf(
  event: RunEvent,
  upgrade: DeliverInput['upgrade'],
  { from, to }: Pick<MailAccess, 'from' | 'to'>,
): Promise<Mail> {
  const sender = addressIn(from);
  const idOf = (key: string): string => `<${eventId(upgrade, key)}@${sender.split('@')[1] ?? 'belay'}>`;
  const [own, before] = [idOf(event.key), parents(event).map(idOf)];
  const subject = summaryOf(event);
  const blocks = blocksOf(event);
  const message = await new MailComposer({
    from,
    to,
    subject,
    date: new Date(event.at),
    messageId: own,
    ...(before.length === 0 ? {} : { inReplyTo: before.at(-1) ?? '', references: before }),
    // RFC 3834: nobody's absence is announced to a machine.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text: textOf(subject, blocks),
    html: htmlOf(subject, blocks),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
  return { envelope: { from: sender, to: [...to] }, message };
}

/** "Belay <belay@example.com>" has its address between the brackets. */
const addressIn = (from: string): string => /<([^<>]+)>$/.exec(from)?.[1] ?? from;

/** What a mail answers, the first of the thread first. A thread holds together where its first mail was not sent, too: references name it all the same. */
function parents({ key, data }: RunEvent): string[] {
  const { proposal, campaign } = data;
  const root = proposal === undefined ? (campaign === undefined ? 'upgrade/started' : 'campaign/started') : madeKey(proposal);
  if (key === root || data.unread !== undefined) return [];
  const opened = data.gate === undefined ? undefined : `gate/${data.gate.id}/opened`;
  return [root, ...(opened === undefined || opened === key ? [] : [opened])];
}

function blocksOf({ data }: RunEvent): Block[] {
  const { gate, report, step, note, change, rollback, links } = data;
  return [
    ...(gate === undefined ? [] : gateBlocks(gate, links)),
    ...(step?.note === undefined ? [] : [{ title: 'Step', lines: [step.note] }]),
    ...(note === undefined ? [] : [{ title: 'Note', lines: note.text.split('\n') }]),
    ...(change === undefined ? [] : [{ title: 'Change', lines: change.text.split('\n') }]),
    ...(rollback === undefined ? [] : [{ title: 'Rollback', lines: rollback.text.split('\n') }]),
    ...(report === undefined
      ? []
      : [
          { title: 'Outcome', lines: [report.headline] },
          { title: 'Steps', lines: report.steps.map(({ id, state }) => `${id}: ${state}`) },
          ...(report.leftBehind.length === 0
            ? []
            : [
                {
                  title: 'Left behind',
                  lines: report.leftBehind.map(({ what, why, kept }) => `${what}: ${why}${kept ? ' (kept on purpose)' : ''}`),
                },
              ]),
        ]),
    ...aboutBlocks(data),
  ];
}

/** What it is about, last: of a campaign with its rings. */
function aboutBlocks({ cluster, run, campaign, proposal, links }: EventData): Block[] {
  const link = links === undefined ? [] : [links.temporal];
  if (proposal !== undefined) return proposalBlocks(proposal);
  if (campaign !== undefined)
    return [
      { title: 'Rings', lines: campaign.rings.map(({ name, state, line }) => `${name} (${state}): ${line}`) },
      { title: 'Campaign', lines: [`${campaign.name} to ${campaign.target}, ${campaign.workflowId}`, ...link] },
    ];
  if (cluster === undefined) return [];
  return [{ title: 'Run', lines: [`Cluster ${cluster.name} (${cluster.environment}), ${run?.workflowId ?? ''}`, ...link] }];
}

function proposalBlocks({
  target,
  from,
  environments,
  endOfStandardSupport,
  withinDays,
  usdWithin,
  campaigns,
  dismissed,
}: ProposalData): Block[] {
  const [first] = campaigns;
  return [
    ...(dismissed?.reason === undefined ? [] : [{ title: 'Dismissed', lines: [dismissed.reason] }]),
    { title: `Clusters at ${from}`, lines: environments.map(({ name, clusterCount }) => `${name}: ${clusterCount}`) },
    {
      title: 'Why now',
      lines: [
        ...(endOfStandardSupport === undefined ? [] : [`Standard support of ${from} ends on ${endOfStandardSupport}`]),
        `Waiting ${withinDays} days costs ${usd(usdWithin)}`,
      ],
    },
    ...(dismissed !== undefined
      ? []
      : first !== undefined
        ? [{ title: 'To start it', lines: campaigns.map((name) => `belay campaign start ${name}`) }]
        : [
            {
              title: `No campaign in belay.yaml has target ${target}`,
              lines: ['"belay campaign proposals" shows one that could be added'],
            },
          ]),
  ];
}

function gateBlocks(gate: GateData, links: EventData['links']): Block[] {
  if (gate.decision !== undefined) {
    const { label, by, reason } = gate.decision;
    return [{ title: 'Decision', lines: [`${label}, by ${by.name ?? by.id}`, ...(reason === undefined ? [] : [`Reason: ${reason}`])] }];
  }
  if (gate.withdrawn !== undefined) return [{ title: 'Withdrawn', lines: [gate.withdrawn] }];
  return [
    { title: 'Next', lines: [gate.next] },
    ...gate.evidence.map(({ title, lines }) => ({ title, lines })),
    { title: 'Can be undone afterwards', lines: [gate.undo] },
    ...(gate.byItself
      ? []
      : [
          { title: 'Who may decide', lines: whoOf(gate) },
          {
            title: `Decide by ${utcMinute(gate.expiresAt)}`,
            lines: gate.choices.map(({ id, label, does }) => `${label} (${id}): ${does}`),
          },
          {
            title: gate.inSlack === true ? 'In Slack, or by command line' : 'By command line',
            lines: [gate.command, ...(links === undefined ? [] : [`Temporal UI shows it: ${links.temporal}`])],
          },
        ]),
  ];
}

/** As belay.yaml names them. Events of an earlier release have ids alone. */
function whoOf({ approvers: { users, groups, names = [...users, ...groups] }, quorum, rules = [] }: GateData): string[] {
  const needed = rules.length > 1 ? rules.map(({ name, quorum: of }) => `${of} as ${name}`).join(', ') : String(quorum);
  return [
    ...(names.length === 0 ? ['Nobody who is named in belay.yaml'] : [names.join(', ')]),
    ...(quorum > 1 || rules.length > 1 ? [`Approvals needed: ${needed}`] : []),
  ];
}

const textOf = (subject: string, blocks: readonly Block[]): string =>
  [subject, ...blocks.map(({ title, lines }) => [title, ...lines.map((line) => `  ${oneLine(line, 2_000)}`)].join('\n'))].join('\n\n');

function htmlOf(subject: string, blocks: readonly Block[]): string {
  const parts = blocks.map(
    ({ title, lines }) => `<h3>${escape(title)}</h3>\n<ul>${lines.map((line) => `<li>${escape(oneLine(line, 2_000))}</li>`).join('')}</ul>`,
  );
  return `<!doctype html>\n<html><body><h2>${escape(subject)}</h2>\n${parts.join('\n')}\n</body></html>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
