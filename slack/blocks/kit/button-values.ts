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

/** As belay.yaml names it. */
const campaign = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);
/** Also what takes back a ring of one. */
const stopped = z.string().min(1).max(100);

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
  z.object({ kind: z.literal('campaign start'), campaign, since: z.string().max(100) }),
  z.object({ kind: z.literal('campaign rollback'), campaign, ring: z.string().min(1).max(100), since: z.string().max(100) }),
  z.object({ kind: z.literal('campaign stop'), campaign: stopped, run: z.string().min(1).max(100) }),
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

/** Opens a modal with a gate and its choices. */
const reviewValue = detailsValue.extend({
  /** Of the list that has the button. */
  page: pageValue.shape.page.optional(),
});

/** What a gate's modal knows of itself. */
const reviewMetadata = z.object({ title: z.string().max(200), page: pageValue.shape.page.optional() });

const viewId = z.string().min(1).max(100);

/** Where a gate's modal is: over the list of what waits, where it was opened there. */
const reviewPlace = z.object({
  view: viewId,
  title: z.string().max(200),
  list: z.object({ view: viewId, page: pageValue.shape.page }).optional(),
});

/** Where to answer. */
const answerIn = { channel: z.string().max(100), thread: z.string().max(100).optional() };

const reasonMetadata = gateValue.omit({ ask: true }).extend(answerIn);
const reviewReason = gateValue.omit({ ask: true }).extend({ place: reviewPlace });
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
export type ReviewValue = z.infer<typeof reviewValue>;
export type ReviewMetadata = z.infer<typeof reviewMetadata>;
export type ReviewPlace = z.infer<typeof reviewPlace>;
export type ReviewReason = z.infer<typeof reviewReason>;
export type ReasonMetadata = z.infer<typeof reasonMetadata>;

/** Of what came back from outside; undefined: not a value that Belay made. */
const parserOf =
  <S extends z.ZodType>(schema: S) =>
  (json: string | undefined): z.infer<S> | undefined =>
    schema.safeParse(fromJson(json)).data;

export const parseGateValue = parserOf(gateValue);
export const parseBoardValue = parserOf(boardValue);
export const parsePaceValue = parserOf(paceValue);
export const parseCheckValue = parserOf(checkValue);
export const parseReconcileValue = parserOf(reconcileValue);
export const parseProposalValue = parserOf(proposalValue);
export const parseQuestionValue = parserOf(questionValue);
export const parseUndoValue = parserOf(undoValue);
export const parseExtendValue = parserOf(extendValue);
export const parseDetailsValue = parserOf(detailsValue);
export const parseReviewValue = parserOf(reviewValue);
export const parseReviewMetadata = parserOf(reviewMetadata);
export const parseReviewReason = parserOf(reviewReason);
export const parsePageValue = parserOf(pageValue);
export const parseExtendMetadata = parserOf(extendMetadata);
export const parseHandOverMetadata = parserOf(handOverMetadata);
export const parseReasonMetadata = parserOf(reasonMetadata);
export const parseCampaignFormMetadata = parserOf(campaignFormMetadata);
/** Of a button that says everything by its id. */
export const parseEmptyValue = parserOf(z.object({}));
export const parseFormMetadata = parserOf(formMetadata);
export const parseBundleValue = parserOf(bundleValue);
export const parseBundleMetadata = parserOf(bundleMetadata);

function fromJson(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
}
