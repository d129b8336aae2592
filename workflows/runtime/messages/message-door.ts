/**
 * What reaches a workflow from outside is looked at before any handler sees it: what was refused by the codec, was made for another message, of another
 * run, or was received before, changes nothing and is noted. Plain functions throughout: an async one would add turns (workflows/runtime/run-header). Results of
 * activities take one turn more where they are sealed.
 */
import { ActivityFailure, ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { uuid4, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInboundCallsInterceptor, WorkflowInterceptorsFactory, WorkflowOutboundCallsInterceptor } from '@temporalio/workflow';
import { SEAL_HEADER } from '../../contract/ids.ts';
import { RefusedPayload, refusal, wasEncrypted } from '../payload-converter.ts';
import { mayNoteMore, noteRefusedMessage, noteRefusedStart } from './refused-messages.ts';
import { whyNoStep } from './step-door.ts';
import { ACROSS_RUNS, failureOf, isSealed, resultOf, type Seal, sealed, startOf, WITHOUT_INPUT } from './seal.ts';
import { openFailure } from './sealed-failure.ts';

/** Clocks of the server's parts may differ by this much. */
const CLOCKS_MS = 10_000;

type Checked = { args: unknown[]; id?: string } | { why: string };

class Door {
  readonly #used = new Set<string>();
  #sentCount = 0;
  /** Its start was sealed: so is what it sends, and what it takes. */
  #seals = false;

  get inbound(): WorkflowInboundCallsInterceptor {
    return {
      execute: (input, next) => {
        const checked = this.#check(startOf(workflowInfo().workflowType), input.args);
        if ('why' in checked) return refuseStart(checked.why);
        const why = whyNoStep(workflowInfo().workflowType, checked.args);
        if (why !== undefined) return refuseStart(why);
        this.#seals = isSealed(input.args[0]);
        return next({ ...input, args: checked.args });
      },
      handleSignal: (input, next) => {
        const checked = this.#take(input.signalName, input.args);
        if (!('why' in checked)) return next({ ...input, args: checked.args });
        noteRefusedMessage(input.signalName, checked.why);
        return Promise.resolve();
      },
      validateUpdate: (input, next) => {
        const checked = this.#check(input.name, input.args);
        if (!('why' in checked)) return next({ ...input, args: checked.args });
        // Let in to be noted: what a validator refuses leaves nothing behind.
        if (!mayNoteMore(input.name)) throw refusedUpdate(checked.why);
      },
      handleUpdate: (input, next) => {
        const checked = this.#take(input.name, input.args);
        if (!('why' in checked)) return next({ ...input, args: checked.args });
        noteRefusedMessage(input.name, checked.why);
        return Promise.reject(refusedUpdate(checked.why));
      },
      handleQuery: (input, next) => {
        const refused = input.args.find((arg) => arg instanceof RefusedPayload);
        return refused === undefined ? next(input) : Promise.reject(refusal(refused.why));
      },
    };
  }

  get outbound(): WorkflowOutboundCallsInterceptor {
    return {
      // Local ones are done by this worker: nobody else can complete them.
      scheduleActivity: (input, next) => {
        if (!this.#seals) return next(input);
        // Of a run that was reset the ids are others from there on, so that what was recorded before is not taken.
        const id = uuid4();
        const headers = { ...input.headers, [SEAL_HEADER]: defaultPayloadConverter.toPayload(id) };
        const { activityType } = input;
        return next({ ...input, headers }).then(
          (result) => this.#open(resultOf(activityType), id, result),
          (error: unknown) => {
            throw believed(activityType, id, error);
          },
        );
      },
      startChildWorkflowExecution: (input, next) => {
        const args = this.#seal(startOf(input.workflowType), input.options.args);
        return next({ ...input, options: { ...input.options, args } });
      },
      // The next run of a workflow is started as a start is.
      continueAsNew: (input, next) =>
        next({ ...input, args: this.#seal(startOf(input.options.workflowType ?? workflowInfo().workflowType), input.args) }),
      signalWorkflow: (input, next) => next({ ...input, args: this.#seal(input.signalName, input.args) }),
    };
  }

  #take(as: string, args: unknown[]): Checked {
    const checked = this.#check(as, args);
    if ('id' in checked && checked.id !== undefined) this.#used.add(checked.id);
    return checked;
  }

  #check(as: string, args: unknown[]): Checked {
    const [input] = args;
    const refused = args.find((arg) => arg instanceof RefusedPayload);
    if (refused !== undefined) return { why: refused.why };
    if (args.length === 0) return WITHOUT_INPUT.includes(as) ? { args } : { why: 'it carries nothing' };
    // Without keys nothing is sealed.
    if (!isSealed(input)) return this.#seals || args.some(wasEncrypted) ? { why: 'it was not made as a message' } : { args };
    const why = this.#wrongIn(input.seal, as);
    return why === undefined ? { args: [input.body], id: input.seal.id } : { why };
  }

  #wrongIn(seal: Seal, as: string): string | undefined {
    if (seal.as !== as) return `it was sent as ${seal.as}`;
    if (this.#used.has(seal.id)) return 'it was received before';
    const { parent, root, firstExecutionRunId, startTime } = workflowInfo();
    const run = root?.runId ?? firstExecutionRunId;
    if (seal.run === undefined || seal.run === run) return undefined;
    // Temporal says whose child it is. Without a parent it is the next run of its own chain, or was recorded of another chain and sent again.
    if (as.startsWith(startOf(''))) return parent === undefined ? `it was sent in run ${seal.run}` : undefined;
    if (!ACROSS_RUNS.includes(as)) return `it was sent in run ${seal.run}`;
    return seal.at < startTime.getTime() - CLOCKS_MS ? 'it is older than this run' : undefined;
  }

  /** Whoever reaches Temporal can complete an activity by its id, with any ciphertext that was made for it: its input, too. */
  #open(as: string, id: string, result: unknown): unknown {
    if (isSealed(result) && result.seal.as === as && result.seal.id === id) return result.body;
    const why = isSealed(result) ? 'it was given for another activity' : 'it was not made as a result';
    noteRefusedMessage(as, why);
    throw refusal(`${as} was refused: ${why}`);
  }

  #seal(as: string, args: unknown[]): unknown[] {
    if (!this.#seals || WITHOUT_INPUT.includes(as)) return args;
    const { root, firstExecutionRunId, runId } = workflowInfo();
    this.#sentCount += 1;
    const id = `${runId}/${this.#sentCount}`;
    return [sealed(args[0], { as, id, at: Date.now(), run: root?.runId ?? firstExecutionRunId })];
  }
}

/** What replays was let in once: then it is this worker that lacks a key, and the task waits for one that has it. */
export async function refuseStart(why: string): Promise<never> {
  if (workflowInfo().unsafe.isReplaying) throw new Error(`reading from Temporal: ${why}`);
  await noteRefusedStart(why);
  throw refusal(`this start was refused: ${why}`);
}

/**
 * Whoever reaches Temporal can fail an activity by its id, with any type and any words: only what its worker has sealed is believed. What the codec refuses
 * rejects as it is; times that are over, and cancellations, are Temporal's own.
 */
function believed(activityType: string, id: string, error: unknown): unknown {
  if (error instanceof ApplicationFailure) {
    noteRefusedMessage(resultOf(activityType), error.message);
    return error;
  }
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return error;
  const opened = openFailure(error.cause, activityType, id);
  if (opened !== undefined) {
    const { retryState, identity, activityId } = error;
    return new ActivityFailure(error.message, activityType, activityId, retryState, identity, opened);
  }
  const as = failureOf(activityType);
  const why = 'no worker of this version has failed with it';
  noteRefusedMessage(as, why);
  return refusal(`${as} was refused: ${why}`);
}

const refusedUpdate = (why: string): ApplicationFailure => ApplicationFailure.nonRetryable(`Refused: ${why}.`, 'DecisionRefused');

export const interceptors: WorkflowInterceptorsFactory = () => {
  const door = new Door();
  return { inbound: [door.inbound], outbound: [door.outbound] };
};
