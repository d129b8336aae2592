/** What a gate says between its question and its buttons: all of it where that fits on two screens of a phone, else the rest is behind "Details". */
import type { KnownBlock } from '@slack/types';
import { allLines, type GateDefinition, type GateEvidence, type OpenGate } from '../../domain/gates/gate.ts';
import { moreBehindDetails, moreInRecord } from '../messages/gates.ts';
import { sections } from './kit/elements.ts';
import { LIMITS, markdown, mrkdwn, mrkdwnLines } from './kit/text.ts';

/** Two screens of 390 × 844 show about 76 lines of 40 characters; title, votes, buttons and space between need some of them. */
const PHONE = { lines: 60, lineCharacters: 40 } as const;
/** Of one message, however large the screen. */
const WHOLE = { groups: 8, lines: 15, lineCharacters: 400, nextCharacters: 1_000, undoCharacters: 1_000 } as const;
const SHORT = { lineCharacters: 200, nextCharacters: 300, undoCharacters: 400 } as const;

export interface GateBody {
  blocks: KnownBlock[];
  /** There is more to read than the message shows. */
  isCut: boolean;
}

type Shown = Pick<GateDefinition, 'next' | 'evidence' | 'undo'>;
type Described = { label: string; does: string };

export function gateBody(gate: GateDefinition): GateBody {
  const [first, ...others] = gate.choices;
  // What the best choice does is what happens next.
  const listed = first?.style === 'primary' ? others : gate.choices;
  const groups = gate.evidence.map(evidenceLines);
  const whole = [nextText(gate.next, WHOLE.nextCharacters), ...groups.flat(), undoText(gate.undo), ...choiceLines(listed)];
  const isWhole = gate.evidence.length <= WHOLE.groups && gate.evidence.every(({ lines }) => lines.length <= WHOLE.lines) && fits(whole);
  const hasMore = gate.evidence.some(({ more = [] }) => more.length > 0);
  return isWhole ? { blocks: sectionsOf(gate, groups, listed), isCut: hasMore } : { blocks: shortSections(gate), isCut: true };
}

/** All that is known of an open gate, for a modal. */
export function gateDetails({ next = '', evidence = [], undo = '', offers = [] }: OpenGate): KnownBlock[] {
  const groups = evidence.map((each) => {
    const lines = allLines(each);
    return groupOf({ title: each.title, lines }, lines.length, WHOLE.lineCharacters);
  });
  return sectionsOf({ next, undo }, groups, offers).slice(0, LIMITS.modalBlocks);
}

export const undoText = (undo: string, max: number = WHOLE.undoCharacters): string => `*What can be undone*\n${mrkdwnLines(undo, max)}`;

const evidenceLines = (evidence: GateEvidence): string[] => groupOf(evidence, WHOLE.lines, WHOLE.lineCharacters);

/** The line that weighs most, and how many there are besides. */
export function evidenceInShort(evidence: GateEvidence): string[] {
  const [first, ...others] = allLines(evidence);
  if (first === undefined || others.length === 0) return evidenceLines(evidence);
  return [`${evidenceLines({ title: evidence.title, lines: [first] })[0] ?? ''} ${moreInRecord(others.length)}`];
}

const nextText = (next: string, max: number): string => `*What happens next*\n${mrkdwnLines(next, max)}`;

const choiceLines = (choices: readonly Described[]): string[] =>
  choices.map(({ label, does }) => `• *${mrkdwn(label, 75)}*: ${mrkdwn(does, 300)}`);

/** A section holds 3,000 characters. */
const SECTIONS = 10;

function sectionsOf(
  { next, undo }: Pick<Shown, 'next' | 'undo'>,
  groups: readonly string[][],
  choices: readonly Described[],
): KnownBlock[] {
  return [
    ...sections([nextText(next, WHOLE.nextCharacters)]),
    ...evidenceGroups(groups).flatMap((lines) => sections(lines, SECTIONS)),
    ...sections([undoText(undo)]),
    ...sections(choiceLines(choices)),
  ];
}

function shortSections({ next, evidence, undo }: Shown): KnownBlock[] {
  const around = [nextText(next, SHORT.nextCharacters), undoText(undo, SHORT.undoCharacters)];
  const groups = evidence.slice(0, WHOLE.groups);
  const shown = fairShares(groups, PHONE.lines - linesOf(around));
  const texts = groups.map((each, index) => groupOf(each, shown[index] ?? 0, SHORT.lineCharacters));
  const left = evidence.reduce((sum, { lines }, index) => sum + lines.length - (shown[index] ?? 0), 0);
  return [
    ...sections(around.slice(0, 1)),
    ...evidenceGroups(texts).flatMap((lines) => sections(lines)),
    ...sections(left === 0 ? [] : [moreBehindDetails(left)]),
    ...sections(around.slice(1)),
  ];
}

/** How many lines of each group there is room for: one each, then another each, since a group begins with what weighs most. */
function fairShares(groups: readonly GateEvidence[], room: number): number[] {
  const shares = groups.map(() => 0);
  let left = room - groups.length;
  for (let round = 0; round < WHOLE.lines; round += 1) {
    for (const [index, { lines }] of groups.entries()) {
      const line = lines[round];
      if (line === undefined || shares[index] !== round) continue;
      const cost = linesOf([`• ${lineOf(line, SHORT.lineCharacters)}`]);
      // Each group says something, whatever the room.
      if (round > 0 && cost > left) continue;
      left -= cost;
      shares[index] = round + 1;
    }
  }
  return shares;
}

const lineOf = (line: string, max: number): string => markdown(line.replace(/^\s*[-*•]\s+/, ''), max);

/** The first so many lines: one stands beside its title, several below it. */
function groupOf({ title, lines }: GateEvidence, shown: number, lineCharacters: number): string[] {
  const texts = lines.slice(0, shown).map((line) => lineOf(line, lineCharacters));
  const head = `*${mrkdwn(title, 150)}*`;
  return texts.length === 1 ? [`${head}: ${texts[0] ?? ''}`] : [head, ...texts.map((text) => `• ${text}`)];
}

/** Short ones stand together, long ones apart. */
function evidenceGroups(all: readonly string[][]): string[][] {
  const groups: string[][] = [];
  all.forEach((lines, index) => {
    const last = groups.at(-1);
    if (last !== undefined && lines.length === 1 && all[index - 1]?.length === 1) last.push(...lines);
    else groups.push([...lines]);
  });
  return groups;
}

const fits = (texts: readonly string[]): boolean => linesOf(texts) <= PHONE.lines;

/** On a phone. */
function linesOf(texts: readonly string[]): number {
  const lines = texts.flatMap((text) => text.split('\n'));
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / PHONE.lineCharacters)), 0);
}
