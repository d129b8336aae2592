/** What buttons and modals carry, as JSON: parsed at the edge, since it comes back from outside. */
import { z } from 'zod';
import { LONGEST_REASON } from '../../../domain/gates/gate.ts';
import { isStepName } from '../../../domain/plan/undo/undo-input.ts';
import { NODE_STRATEGIES } from '../../../domain/policy/policy.ts';

/** As belay.yaml names it. */
const cluster = z.string().min(1).max(200);

const gateValue = z.object({
  gateId: z.string().min(1).max(300),
  workflowId: z.string().min(1).max(1000),
  choice: z.string().min(1).max(100),
  revision: z.number().int().nonnegative(),
  /** Run id of the upgrade: ids of gates repeat from run to run. */
  run: z.string().max(100).optional(),
  planHash: z.string().max(100).optional(),
  /** Ask for a reason before deciding; the choice's label and what it does, for the modal. */
  ask: z.object({ label: z.string().max(80), does: z.string().max(500) }).optional(),
});

const boardValue = z.object({
  workflowId: z.string().min(1).max(1000),
  revision: z.number().int().nonnegative(),
  run: z.string().max(100).optional(),
});

const paceValue = boardValue.extend({ pace: z.string().regex(/^[a-z0-9%]{1,12}$/) });

const checkValue = z.object({
  /** As belay.yaml names it. */
  cluster: z.string().min(1).max(200),
  target: z.string().regex(/^1\.\d{1,3}$/),
  /** Run id of the check whose message has the button. */
  run: z.string().max(100),
});

const reconcileValue = z.object({
  /** As belay.yaml names it. */
  cluster: z.string().min(1).max(200),
  roll: z.boolean().optional(),
});

const proposalValue = z.object({
  target: z.string().regex(/^1\.\d{1,3}$/),
  /** First run id of the workflow that proposed it. */
  run: z.string().max(100),
  /** Of belay.yaml: the campaign whose plan is asked for. */
  campaign: z.string().min(1).max(100).optional(),
});

const undoValue = z.object({
  /** As belay.yaml names it. */
  cluster: z.string().min(1).max(200),
  step: z.string().refine(isStepName),
});

const extendValue = z.object({
  workflowId: z.string().min(1).max(1000),
  gate: z.string().min(1).max(300),
  title: z.string().max(200),
  /** ISO 8601: what the gate's message said when the button was made. */
  until: z.string().max(40),
  run: z.string().max(100).optional(),
});

/** A page of a list, from 0. */
const pageValue = z.object({ page: z.number().int().min(0).max(1_000) });

/** What a typed command does once its question is answered. Its run, or the newest one of the cluster (`since`, "" for none): of no other is it done. */
const deed = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    cluster,
    target: z.string().regex(/^1\.\d{1,3}$/),
    strategy: z.enum(NODE_STRATEGIES).optional(),
    since: z.string().max(100),
  }),
  z.object({ kind: z.literal('rollback'), cluster, step: z.string().refine(isStepName).optional(), since: z.string().max(100) }),
  z.object({ kind: z.literal('abort'), cluster, run: z.string().min(1).max(100) }),
  gateValue.pick({ gateId: true, revision: true, planHash: true }).extend({
    kind: z.literal('skip'),
    cluster,
    workflowId: z.string().min(1).max(1000).optional(),
    run: z.string().min(1).max(100),
    reason: z.string().min(1).max(LONGEST_REASON),
  }),
]);

const questionValue = z.object({
  /** Trigger id of the command: answered twice it is done once. */
  id: z.string().min(1).max(200),
  /** Slack id of who typed it. */
  by: z.string().min(1).max(30),
  deed,
});

/** Opens a modal with what a gate's message leaves out. */
export const DETAILS_ACTION = 'upgrade/details';
const detailsValue = extendValue.pick({ workflowId: true, gate: true, run: true });

/** Where to answer. */
const answerIn = { channel: z.string().max(100), thread: z.string().max(100).optional() };

const reasonMetadata = gateValue.omit({ ask: true }).extend(answerIn);
const extendMetadata = extendValue.extend(answerIn);

const handOverMetadata = z.object({
  /** By the board's button; by command the cluster, as belay.yaml names it. */
  workflowId: z.string().min(1).max(1000).optional(),
  cluster: z.string().min(1).max(200).optional(),
  run: z.string().max(100).optional(),
  channel: answerIn.channel,
});

const campaignFormMetadata = z.object({ channel: answerIn.channel });
const bundleValue = z.object({
  /** As belay.yaml names it: the workflow is found by it. */
  campaign: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** A name alone: which runs it is of, the campaign says. */
  bundle: z.string().min(1).max(500),
});

const bundleMetadata = bundleValue.extend({ ...answerIn, asks: z.boolean(), page: z.number().int().min(1).max(10_000) });

const target = z.object({
  minor: z.string().regex(/^1\.\d{1,3}$/),
  endOfStandardSupport: z.string().max(10).optional(),
  endOfExtendedSupport: z.string().max(10).optional(),
});

const formMetadata = z.object({
  /** The channel whose command opened it; absent: the App Home. */
  place: z.object({ channelId: z.string().max(100), channelName: z.string().max(100) }).optional(),
  cluster: z.string().max(200).optional(),
  /** What was read of the cluster. */
  read: z.object({ version: z.string().max(30), readAt: z.string().max(40), targets: z.array(target).max(20) }).optional(),
});

export type BundleValue = z.infer<typeof bundleValue>;
export type BundleMetadata = z.infer<typeof bundleMetadata>;
export type FormMetadata = z.infer<typeof formMetadata>;
export type CampaignFormMetadata = z.infer<typeof campaignFormMetadata>;
export type GateValue = z.infer<typeof gateValue>;
export type BoardValue = z.infer<typeof boardValue>;
export type PaceValue = z.infer<typeof paceValue>;
export type CheckValue = z.infer<typeof checkValue>;
export type ProposalValue = z.infer<typeof proposalValue>;
export type ReconcileValue = z.infer<typeof reconcileValue>;
export type QuestionValue = z.infer<typeof questionValue>;
export type UndoValue = z.infer<typeof undoValue>;
export type ExtendValue = z.infer<typeof extendValue>;
export type DetailsValue = z.infer<typeof detailsValue>;
export type ExtendMetadata = z.infer<typeof extendMetadata>;
export type HandOverMetadata = z.infer<typeof handOverMetadata>;
export type ReasonMetadata = z.infer<typeof reasonMetadata>;

/** undefined: not a value that Belay made. */
export function parseGateValue(json: string | undefined): GateValue | undefined {
  return gateValue.safeParse(fromJson(json)).data;
}

export function parseBoardValue(json: string | undefined): BoardValue | undefined {
  return boardValue.safeParse(fromJson(json)).data;
}

export function parsePaceValue(json: string | undefined): PaceValue | undefined {
  return paceValue.safeParse(fromJson(json)).data;
}

export function parseCheckValue(json: string | undefined): CheckValue | undefined {
  return checkValue.safeParse(fromJson(json)).data;
}

export function parseReconcileValue(json: string | undefined): ReconcileValue | undefined {
  return reconcileValue.safeParse(fromJson(json)).data;
}

export function parseProposalValue(json: string | undefined): ProposalValue | undefined {
  return proposalValue.safeParse(fromJson(json)).data;
}

export function parseQuestionValue(json: string | undefined): QuestionValue | undefined {
  return questionValue.safeParse(fromJson(json)).data;
}

export function parseUndoValue(json: string | undefined): UndoValue | undefined {
  return undoValue.safeParse(fromJson(json)).data;
}

export function parseExtendValue(json: string | undefined): ExtendValue | undefined {
  return extendValue.safeParse(fromJson(json)).data;
}

export function parseDetailsValue(json: string | undefined): DetailsValue | undefined {
  return detailsValue.safeParse(fromJson(json)).data;
}

export function parsePageValue(json: string | undefined): z.infer<typeof pageValue> | undefined {
  return pageValue.safeParse(fromJson(json)).data;
}

export function parseExtendMetadata(json: string | undefined): ExtendMetadata | undefined {
  return extendMetadata.safeParse(fromJson(json)).data;
}

export function parseHandOverMetadata(json: string | undefined): HandOverMetadata | undefined {
  return handOverMetadata.safeParse(fromJson(json)).data;
}

export function parseReasonMetadata(json: string | undefined): ReasonMetadata | undefined {
  return reasonMetadata.safeParse(fromJson(json)).data;
}

export function parseCampaignFormMetadata(json: string | undefined): CampaignFormMetadata | undefined {
  return campaignFormMetadata.safeParse(fromJson(json)).data;
}

/** Of a button that says everything by its id. */
export function parseEmptyValue(json: string | undefined): object | undefined {
  return z.object({}).safeParse(fromJson(json)).data;
}

export function parseFormMetadata(json: string | undefined): FormMetadata | undefined {
  return formMetadata.safeParse(fromJson(json)).data;
}

export function parseBundleValue(json: string | undefined): BundleValue | undefined {
  return bundleValue.safeParse(fromJson(json)).data;
}

export function parseBundleMetadata(json: string | undefined): BundleMetadata | undefined {
  return bundleMetadata.safeParse(fromJson(json)).data;
}

function fromJson(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
}
