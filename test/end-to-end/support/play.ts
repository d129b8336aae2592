/** One upgrade on one world: what people do at the channel, what the twin and Temporal show of it. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { messageOf } from '../../../domain/core/unknown.ts';
import { newestRecord } from '../../../rehearsal/play/conclude.ts';
import { startByCommand } from '../../../rehearsal/play/drive.ts';
import { rollbackCommand, upgradeId } from '../../../rehearsal/play/stage/names.ts';
import type { RunRecord } from '../../../rehearsal/play/report.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { gateButtons } from '../../../rehearsal/neighbours/slack/gate-buttons.ts';
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import { type Persona, startPersona } from '../../../rehearsal/neighbours/slack/persona.ts';
import type { SlackStandIn } from '../../../rehearsal/neighbours/slack/server.ts';
import { textOf } from '../../../rehearsal/neighbours/slack/block-kit/shape.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';
import type { Mutation } from '../../../rehearsal/world/journal.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import type { EksUpdate } from '../../../rehearsal/aws/eks/state.ts';
import type { Theatre } from './theatre.ts';
import { asksForReason, hasButton } from './buttons.ts';
import { inTheMiddle } from './middle.ts';
import { eventually } from '../../support/eventually.ts';
import { within } from './waiting.ts';
import { wordsOf } from './words.ts';

export const ALEX = 'U0ALEX';
export const SAM = 'U0SAM';
export const RIN = 'U0RIN';
export const EVE = 'U0EVE';

export interface PlayOptions {
  /** How the persona answers a gate: a choice, `ignore`, or undefined for the usual way. */
  decide?: (gateId: string, workflowId: string, offered: readonly string[]) => string | undefined;
}

export class Play {
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly workflowId: string;
  readonly #theatre: Theatre;
  readonly #slack: SlackStandIn;
  readonly #persona: Persona;
  #since = new Date();
  readonly #stop = new AbortController();
  /** Messages of the channel before this play. */
  readonly #earlier: number;

  constructor(theatre: Theatre, scenario: Scenario, stage: Stage, options: PlayOptions) {
    this.#theatre = theatre;
    this.scenario = scenario;
    this.stage = stage;
    this.workflowId = upgradeId(scenario.cluster);
    this.#earlier = theatre.slack.messages().length;
    // Gates' ids repeat from play to play: a persona looks at the messages of one.
    this.#slack = { ...theatre.slack, messages: () => theatre.slack.messages().slice(this.#earlier) };
    this.#persona = startPersona({ slack: this.#slack, user: SAM, mode: 'approve', thinkMs: 50, decide: options.decide });
  }

  get cluster(): string {
    return this.scenario.cluster.name;
  }

  get world(): World {
    return this.stage.built.world;
  }

  /** Alex types the command; resolves when the upgrade runs. */
  async start(target = this.scenario.to): Promise<void> {
    this.#since = new Date();
    const told = this.told(ALEX).length;
    const { started, answers } = await startByCommand({
      slack: this.#slack,
      watcher: this.#theatre.watcher,
      command: `/eks-upgrade start ${this.cluster} ${target}`,
      requester: ALEX,
      workflowId: this.workflowId,
      since: this.#since,
      signal: this.#stop.signal,
      say: () => undefined,
    });
    if (started === undefined) throw new Error(`the upgrade did not start: ${answers.join(' ')}`);
    const isTold = (): boolean =>
      this.told(ALEX)
        .slice(told)
        .some((text) => text.startsWith(`Started: ${this.cluster} `));
    // Where Slack goes away as the first gate opens, that gate may be faster than the answer.
    await eventually('Alex is told', () => isTold() || this.world.faults.inForce('slack:down'));
  }

  /** Alex asks for the way back; resolves when that run is there. */
  async goBack(): Promise<void> {
    this.#since = new Date();
    const { started, answers } = await startByCommand({
      slack: this.#slack,
      watcher: this.#theatre.watcher,
      command: rollbackCommand(this.scenario),
      requester: ALEX,
      workflowId: this.workflowId,
      since: this.#since,
      signal: this.#stop.signal,
      say: () => undefined,
    });
    if (started === undefined) throw new Error(`the way back did not start: ${answers.join(' ')}`);
  }

  /** Acts in the middle of a phase: its first mutation is accepted and not answered; one that only reads waits for AWS. Call it before the phase begins. */
  async inTheMiddle(phase: string, act: () => void | Promise<void>): Promise<void> {
    await inTheMiddle(this, this.#theatre.aws, phase, act);
  }

  /** The message with the gate's buttons, once it is there. */
  async gate(gateId: string, limitMs?: number): Promise<Message> {
    return await eventually(`gate ${gateId} is at the channel`, () => this.openGates().get(gateId), limitMs);
  }

  /** Messages with buttons by gate. */
  openGates(): Map<string, Message> {
    const open = new Map<string, Message>();
    for (const message of this.#slack.messages()) {
      for (const { gateId } of gateButtons(message)) open.set(gateId, message);
    }
    return open;
  }

  /** Presses a gate's button; a form that opens is answered with the reason. Throws where there is no such button. */
  async press(user: string, gateId: string, choice: string, reason = 'because of the test'): Promise<void> {
    const message = await this.gate(gateId);
    if (!hasButton(message, `gate/${choice}`)) throw new Error(`gate ${gateId} has no button ${choice}: ${wordsOf(message)}`);
    await this.pressOn(message.ts, user, `gate/${choice}`, reason);
  }

  async pressOn(messageTs: string, user: string, actionId: string, reason = ''): Promise<string> {
    const asks = this.#slack.messages().some((message) => message.ts === messageTs && asksForReason(message, actionId));
    const outcome = await this.#slack.click(user, messageTs, actionId);
    if (!asks || outcome !== 'acked') return outcome;
    const view = await eventually('the form for the reason opens', () => this.#slack.openViews(user).at(-1));
    const [input] = view.blocks.filter((block) => block.type === 'input');
    await this.#slack.submitView(user, view.id, { [textOf(input?.['block_id']) ?? '']: reason });
    return outcome;
  }

  /** Presses a pace on the message of the roll, and waits until Belay has answered. */
  async pressPace(user: string, pace: string): Promise<string> {
    const told = this.told(user).length;
    const actionId = `pace/${pace}`;
    const panel = await eventually(`the roll offers ${pace}`, () => this.#mine().find((message) => hasButton(message, actionId)));
    await this.pressOn(panel.ts, user, actionId);
    return await eventually(`${user} is answered`, () => this.told(user).slice(told).at(-1));
  }

  /** Presses a button of the board and waits until Belay has answered. */
  async pressBoard(user: string, verb: 'pause' | 'resume' | 'abort'): Promise<string> {
    const told = this.told(user).length;
    const board = await eventually('the board is at the channel', () => this.#mine().find((message) => keyOf(message) === 'board'));
    const outcome = await this.#slack.click(user, board.ts, `upgrade/${verb}`);
    if (outcome !== 'acked') throw new Error(`the press of ${verb} was not heard: ${outcome}`);
    // The command's own answer may still be on its way.
    return await eventually(`${user} is answered`, () =>
      this.told(user)
        .slice(told)
        .find((text) => !/^(Reading|Started)/.test(text)),
    );
  }

  /** What the thread and the board say now, message by message. */
  thread(): string[] {
    return this.#mine().map(wordsOf);
  }

  /** What only this person was told. */
  told(user: string): string[] {
    return this.#slack
      .messages()
      .filter((message) => message.ephemeralTo === user)
      .map(({ text }) => text);
  }

  /** Waits until the thread says so. */
  async says(what: RegExp, limitMs?: number): Promise<string> {
    try {
      return await eventually(`the thread says ${what}`, () => this.thread().find((words) => what.test(words)), limitMs);
    } catch (error) {
      throw this.#withThread(error, this.thread().length);
    }
  }

  /** The id of an open gate that begins like this, and is not one that is known already. */
  async gateLike(prefix: string, { not = '', limitMs }: { not?: string; limitMs: number }): Promise<string> {
    const found = (): string | undefined => [...this.openGates().keys()].find((gate) => gate.startsWith(prefix) && gate !== not);
    try {
      return await eventually(`a gate ${prefix} is at the channel`, found, limitMs);
    } catch (error) {
      throw this.#withThread(error, 8);
    }
  }

  /** The step's workflow; undefined before it began. */
  async step(phase: string): Promise<WorkflowExecutionDescription | undefined> {
    return await this.#describe(`${this.workflowId}/${phase}@${this.scenario.to}`);
  }

  /** Waits until the run has closed: COMPLETED, FAILED, CANCELLED, TERMINATED. */
  async closed(limitMs = 90_000): Promise<string> {
    try {
      // A long poll: looking every few milliseconds would keep the server as busy as the run does.
      const handle = this.#theatre.client.workflow.getHandle(this.workflowId, undefined, { followRuns: false });
      await within(
        limitMs,
        handle.result().catch(() => undefined),
      );
      const { status } = await eventually(
        'the run has closed',
        async () => {
          const run = await this.#describe(this.workflowId);
          return run !== undefined && run.status.name !== 'RUNNING' && run;
        },
        limitMs,
      );
      return status.name;
    } catch (error) {
      throw this.#withThread(error, 5);
    }
  }

  /** What the run wrote when it ended. */
  record(): RunRecord {
    const record = newestRecord(this.#theatre.recordsDirectory, this.workflowId);
    if (record === undefined) throw new Error(`${this.workflowId} wrote no record`);
    return record;
  }

  accepted(api: Mutation['api'] = 'eks'): Mutation[] {
    return this.world.journal.mutations.filter((mutation) => mutation.api === api && mutation.accepted);
  }

  /** Updates of the control plane, the oldest first. */
  controlPlaneUpdates(): EksUpdate[] {
    return this.world.eks.updates.filter(({ resource }) => resource.kind === 'cluster');
  }

  /** World time of a wall date. */
  worldMs(at: Date): number {
    const { clock } = this.world;
    return clock.nowMs() - (Date.now() - at.getTime()) * clock.speed;
  }

  /** Closes the world; what still runs of the upgrade is terminated. */
  async end(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#theatre.aws.delayMs = 0;
    this.#persona.close();
    const { client } = this.#theatre;
    for (const id of [this.workflowId, `${this.workflowId}/freeze-drift@${this.scenario.to}`]) {
      await client.workflow
        .getHandle(id)
        .terminate('end of the play')
        .catch(() => undefined);
    }
    await this.stage.close();
  }

  /** Whoever reads a failed test needs the story. */
  #withThread(error: unknown, lines: number): Error {
    const why = messageOf(error);
    return new Error(`${why}; the thread says:\n${this.thread().slice(-lines).join('\n--\n')}`);
  }

  /** Messages of this run that all can see. */
  #mine(): Message[] {
    return this.#slack.messages().filter((message) => message.metadata?.event_payload['upgrade'] === this.workflowId);
  }

  async #describe(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
    try {
      return await this.#theatre.client.workflow.getHandle(workflowId).describe();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }
}

const keyOf = ({ metadata }: Message): unknown => metadata?.event_payload['key'];
