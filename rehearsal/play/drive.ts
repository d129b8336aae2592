/** Types the command that starts an upgrade, as soon as Belay is there to hear it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE } from './stage/names.ts';
import { pressables } from '../neighbours/slack/payloads.ts';
import type { Message } from '../neighbours/slack/methods/messages.ts';
import { plainText } from '../neighbours/slack/block-kit/plain-text.ts';
import type { SlackStandIn } from '../neighbours/slack/server.ts';
import { fieldsOf, textOf } from '../neighbours/slack/block-kit/shape.ts';
import { WORKSPACE } from '../neighbours/slack/workspace.ts';
import { until, type Watcher, type WorkflowSight } from './watch.ts';

const READY_LIMIT_MS = 90_000;
const START_LIMIT_MS = 60_000;
const ATTEMPTS = 3;
const ASK_AGAIN_MS = 1_000;

export interface DriveOptions {
  slack: SlackStandIn;
  watcher: Watcher;
  command: string;
  requester: string;
  /** Where others are answered at the same time: a word that answers to this command have in them, such as the cluster's name. */
  about?: string;
  workflowId: string;
  since: Date;
  /** How long it may take to start. */
  limitMs?: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Waits for both processes, types the command, and waits until the run is there. undefined: it was refused; `answers` has what Slack said. */
export async function startByCommand(options: DriveOptions): Promise<{ started: WorkflowSight | undefined; answers: string[] }> {
  const { slack, watcher, signal, say, requester } = options;
  if (!(await untilReady(slack, watcher, signal)))
    throw new Error(`Belay was not ready within ${READY_LIMIT_MS / 1000} s; worker.log and slack.log say why.`);
  const answers: string[] = [];
  const questions = new Map<string, string>();
  const unwatch = slack.onChange(({ kind, message }) => {
    const { ts, text, ephemeralTo } = message;
    if (kind === 'deleted' || ephemeralTo !== requester) return;
    const answer = [text, ...sectionsOf(message)].join('\n');
    if (!questions.has(ts) && !mentions(answer, options.about)) return;
    const button = confirmingButton(message);
    if (button === undefined) answers.push(answer);
    else questions.set(ts, button);
  });
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      say(`Alex types: ${options.command}`);
      const outcome = await slack.submitCommand(requester, options.command);
      if (outcome !== 'acked') {
        await sleep(ASK_AGAIN_MS, undefined, { signal });
        continue;
      }
      let started: WorkflowSight | undefined;
      await until(
        async () => {
          await confirmAll(slack, requester, questions);
          started = await watcher.look(options.workflowId, options.since);
          return started !== undefined || answers.some(isFinal);
        },
        { limitMs: options.limitMs ?? START_LIMIT_MS, signal },
      );
      if (started !== undefined) return { started, answers };
      if (!answers.some(isTransient)) return { started: undefined, answers };
      answers.length = 0;
    }
    return { started: undefined, answers };
  } finally {
    unwatch();
  }
}

/** A question is answered by its button, pressed again where Slack shows that nothing came of it. */
async function confirmAll(slack: Pick<SlackStandIn, 'click'>, user: string, questions: Map<string, string>): Promise<void> {
  for (const [ts, button] of questions) {
    const outcome = await slack.click(user, ts, button);
    if (outcome === 'acked' || outcome === 'no-such-button') questions.delete(ts);
  }
}

/** Of a message that can be cancelled: the other button. */
function confirmingButton(message: Pick<Message, 'blocks'>): string | undefined {
  const buttons = pressables(message).map(({ element }) => ({
    id: textOf(element['action_id']) ?? '',
    label: textOf(fieldsOf(element['text'])['text']),
  }));
  return buttons.some(({ label }) => label === 'Cancel') ? buttons.find(({ label }) => label !== 'Cancel')?.id : undefined;
}

/** Waits until both of Belay's processes are there; false when they do not come. */
export async function untilReady(slack: Pick<SlackStandIn, 'connected'>, watcher: Watcher, signal: AbortSignal): Promise<boolean> {
  return await until(async () => slack.connected() > 0 && (await watcher.hasWorker(TASK_QUEUE)), { limitMs: READY_LIMIT_MS, signal });
}

const mentions = (answer: string, word?: string): boolean => word === undefined || answer.split(/[^\w-]+/).includes(word);

/** What stands under the first line: why a plan is refused, for one. */
function sectionsOf({ blocks }: { blocks: readonly unknown[] }): string[] {
  return blocks.flatMap((block) => textOf(fieldsOf(fieldsOf(block)['text'])['text']) ?? []).map((text) => plainText(text, WORKSPACE));
}

/** "Planning …" is followed by another answer. */
const isFinal = (answer: string): boolean => !/…$|^(planning|reading|looking|starting)\b/i.test(answer.trim());
const isTransient = (answer: string): boolean => /no worker|does not answer|try again/i.test(answer);
