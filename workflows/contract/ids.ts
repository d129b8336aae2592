/** Every id in one place (ARCHITECTURE: "Ids"). Ids are domain words, never random. */
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';

export const TASK_QUEUE = 'belay';
/** Where workers of a network look for work: activities of clusters that only they reach. Workflows have one queue, `TASK_QUEUE`. */
export const networkQueue = (network: string): string => `${TASK_QUEUE}-${network}`;
/** Header of activities: the run that asks for them, by its id. */
export const RUN_HEADER = 'belay-run';
/** Header of what changes something, and of steps: what shows that a run whose requester is proved asks for it. */
export const GRANT_HEADER = 'belay-grant';
/** Header of activities: the id that the result is to be sealed with. */
export const SEAL_HEADER = 'belay-seal';

export const upgradeWorkflowId = (c: ClusterRef): string => `eks-upgrade/${c.account}/${c.region}/${c.name}`;
export const planWorkflowId = (c: ClusterRef): string => `eks-plan/${c.account}/${c.region}/${c.name}`;
export const checkWorkflowId = (c: ClusterRef): string => `eks-check/${c.account}/${c.region}/${c.name}`;
export const forecastWorkflowId = (c: ClusterRef): string => `eks-forecast/${c.account}/${c.region}/${c.name}`;
/** One that is asked for in a form and told to nobody else: it holds up no other. */
export const quietCheckWorkflowId = (c: ClusterRef, target: string): string => `${checkWorkflowId(c)}/quiet/${target}`;
/** A look at what a run has left behind; what puts it back has the upgrade's id, which is the cluster's lock. */
export const leftoversWorkflowId = (c: ClusterRef): string => `eks-leftovers/${c.account}/${c.region}/${c.name}`;
/** A look at what can be undone: asked twice at a time, it is one. */
export const undoListWorkflowId = (c: ClusterRef): string => `eks-undo-list/${c.account}/${c.region}/${c.name}`;
/** `key`: which clusters are asked about. */
export const versionsWorkflowId = (key: string): string => `eks-versions/${key}`;
/** Outlives the run: one for each cluster. */
export const rollbackWindowId = (upgradeId: string): string => upgradeId.replace(/^eks-upgrade\//, 'eks-rollback-window/');
export const stepWorkflowId = (upgradeId: string, step: string): string => `${upgradeId}/${step}`;
/** The run that a step's workflow belongs to; a run's own id stays as it is. */
export const runOf = (workflowId: string): string => workflowId.split('/').slice(0, 4).join('/');
/** The cluster in the id of a run, or of one of the run's steps; undefined for another id. */
export function clusterOf(workflowId: string): ClusterRef | undefined {
  const [kind, account = '', region = '', name = ''] = workflowId.split('/');
  return kind === 'eks-upgrade' && name !== '' ? { account, region, name } : undefined;
}
/** The cluster's name in the id of its run, or of one of the run's steps. */
export const clusterNameOf = (workflowId: string): string => workflowId.split('/')[3] ?? '';
/** Writes down what was refused before it belonged to a run. */
export const FRONT_DOOR_WORKFLOW = 'belay-front-door';
/** `key`: of one request of Slack. */
export const requestWorkflowId = (key: string): string => `belay-request/${key}`;
/** Delivers what a run could not tell; one per run, since an earlier one may still be waiting for Slack. */
export const lastWordsWorkflowId = (workflowId: string, runId: string): string => `${workflowId}/last-words/${runId}`;
/** The same for who hears of runs beside Slack. */
export const lastEventsWorkflowId = (workflowId: string, runId: string): string => `${lastWordsWorkflowId(workflowId, runId)}/elsewhere`;

/** Kinds of gates. Some belong to the parent, as does `window` before a step, the others to the step's own workflow. */
export type GateKind =
  | 'before'
  | 'failed'
  | 'force'
  | 'order'
  | 'unguarded'
  | 'window'
  | 'alerts'
  | 'health'
  | 'bake'
  | 'wave'
  | 'agents'
  | 'gateways'
  | 'change'
  | 'retire'
  | 'blocked'
  | 'kept'
  | 'amis'
  | 'promote'
  | 'pace'
  | 'unexpected-change'
  | 'restored'
  | 'ring';

export function gateId(kind: GateKind, step: string, round: number, detail?: string): string {
  return `${kind}:${step}${detail === undefined ? '' : `/${detail}`}#${round}`;
}

const GATE_ID =
  /^(before|failed|force|order|unguarded|window|alerts|health|bake|wave|agents|gateways|change|retire|blocked|kept|amis|promote|pace|unexpected-change|restored|ring):([^/#]+@[^/#]+)(?:\/([^#]+))?#(\d+)$/;

export const isGateId = (id: string): boolean => GATE_ID.test(id);

/** Kind and step of a gate id, e.g. before:control-plane@1.33#1. Throws a RangeError for anything else. */
function parseGateId(id: string): { kind: GateKind; step: string; detail?: string; round: number } {
  const match = GATE_ID.exec(id);
  if (match === null) throw new RangeError(`"${id}" is not a gate id such as before:control-plane@1.33#1`);
  return { kind: match[1] as GateKind, step: match[2] as string, detail: match[3], round: Number(match[4]) };
}

/** Throws a RangeError for what is no gate id. */
export const gateKind = (gate: string): GateKind => parseGateId(gate).kind;
/** The step that a gate is about. Throws a RangeError for what is no gate id. */
export const gateStep = (gate: string): string => parseGateId(gate).step;

const PARENTS: readonly GateKind[] = ['before', 'failed', 'force', 'order', 'unguarded', 'alerts', 'health', 'pace', 'ring'];

/** The workflow that waits for a gate. */
export function gateOwner(upgradeId: string, gate: string): string {
  const { kind, step, detail } = parseGateId(gate);
  const isParents = PARENTS.includes(kind) || (kind === 'window' && detail === undefined);
  return isParents ? upgradeId : stepWorkflowId(upgradeId, step);
}

/** A decision's id, which is also its update id: the same person's same press, and no other. */
export const decisionId = (gate: string, actor: string, choice: string, revision: number): string =>
  `${gate}:${actor}:${choice}:${revision}`;
