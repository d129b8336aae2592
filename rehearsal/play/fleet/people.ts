/** The people of a rehearsed campaign: Alex starts it, Sam presses the buttons, Rin retries what has stopped. They know what Slack shows them. */
import { startByCommand } from '../drive.ts';
import { until } from '../watch.ts';
import { campaignCommand, campaignId, isOf } from '../stage/names.ts';
import { plainText } from '../../neighbours/slack/block-kit/plain-text.ts';
import { type Persona, startPersona } from '../../neighbours/slack/persona.ts';
import type { FleetMember } from '../../scenarios/fleet.ts';
import type { Message } from '../../neighbours/slack/methods/messages.ts';
import type { FleetPlay } from './driver.ts';

const REQUESTER = 'U0ALEX';
const APPROVER = 'U0SAM';
/** Only approvers may retry a ring. */
const STEERS = 'U0RIN';
/** A persona thinks this long, in world time, and not under a quarter of a second. */
const THINK_WORLD_MS = 30_000;
const THINK_AT_LEAST_MS = 250;
/** Planning checks every cluster first. */
const START_LIMIT_MS = 5 * 60_000;
/** Boards are edited every ten seconds at most; a busy machine takes longer. */
const BOARD_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 20_000;
const ATTEMPTS = 3;

/** Sam approves what is asked, and aborts where a cluster is to go bad. */
export function startApprover({ scene: { members, stage }, speed }: FleetPlay): Persona {
  return startPersona({
    slack: stage.slack,
    user: APPROVER,
    mode: 'approve',
    thinkMs: Math.max(THINK_AT_LEAST_MS, THINK_WORLD_MS / speed),
    decide: (gate, workflowId) => decide(members, gate, workflowId),
  });
}

/** No retry of the step is of use before the cause is mended. undefined: as usual. */
function decide(members: readonly FleetMember[], gate: string, workflowId: string): string | undefined {
  const member = members.find(({ scenario }) => isOf(scenario.cluster, workflowId));
  return member?.ends[0] === 'aborted' && gate.startsWith('failed:') ? 'abort' : undefined;
}

/** Alex types the first command. Rejects with what Slack answered where it is refused. */
export async function startCampaign({ scene, progress, signal }: FleetPlay, since: Date): Promise<void> {
  const { stage, watcher, campaign } = scene;
  const command = campaignCommand('start', campaign.name);
  const { started, answers } = await startByCommand({
    slack: stage.slack,
    watcher,
    command,
    requester: REQUESTER,
    workflowId: campaignId(campaign.name),
    since,
    limitMs: START_LIMIT_MS,
    signal,
    say: (line) => progress.line(line),
  });
  if (started === undefined) throw new Error(`${command} did not start. Slack said: ${answers.join(' ') || 'nothing'}`);
}

/** Rin types another one, again where nothing came of it: `isDone` says. */
export async function typeCommand(
  { scene: { stage, campaign }, progress, signal }: FleetPlay,
  verb: 'retry' | 'stop',
  isDone: () => Promise<boolean>,
): Promise<void> {
  const command = campaignCommand(verb, campaign.name);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    progress.line(`Rin types: ${command}`);
    await stage.slack.submitCommand(STEERS, command);
    if (await until(isDone, { limitMs: ANSWER_LIMIT_MS, signal })) return;
  }
  const answers = stage.slack.messages().filter(({ ephemeralTo }) => ephemeralTo === STEERS);
  throw new Error(`Nothing came of ${command}. Slack said last: ${answers.at(-1)?.text ?? 'nothing'}`);
}

/** Resolves with the first line of the campaign's board once it has these words. */
export async function readBoard({ scene: { stage, campaign }, signal }: FleetPlay, words: string): Promise<string> {
  const id = campaignId(campaign.name);
  const isBoard = ({ metadata }: Message): boolean =>
    metadata?.event_payload['key'] === 'board' && metadata.event_payload['upgrade'] === id;
  const line = (): string => plainText(stage.slack.messages().findLast(isBoard)?.text ?? 'nothing', stage.slack.workspace);
  if (await until(() => line().includes(words), { limitMs: BOARD_LIMIT_MS, signal })) return line();
  throw new Error(`The campaign's board does not say: ${words}. It says: ${line()}`);
}
