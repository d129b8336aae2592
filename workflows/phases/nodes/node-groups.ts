/** Managed node groups, all at once where EKS lets them: each has its own nodes and its own update. */
import { CancellationScope } from '@temporalio/workflow';
import { usualUnitMs } from '../../../domain/plan/durations/expect-plan.ts';
import type { FailureCause } from '../../../domain/run/failure-causes.ts';
import { count } from '../../../domain/core/text.ts';
import { actorName } from '../../../domain/gates/actor.ts';
import { applyNodeGroup, nodeGroupsMoved, nodeGroupsUndo } from '../../messages/nodes/nodes.ts';
import { leaveSlow, updatesLeft } from '../../messages/eks/slow-update.ts';
import { autoscalerResumesWithStep, slowGroupLines } from '../../messages/nodes/slow-update.ts';
import { Phase } from '../base/phase.ts';
import { withAutoscalerPaused } from './autoscaler-pause.ts';
import { withSpareIstiods } from './spare-istiod.ts';
import { usually, type WaveAsked, WaveWindow } from '../base/wave-window.ts';
import { adoptForeign, endedBadly, issueCauses, readEksClock } from '../eks/eks-update.ts';
import { watchSlow } from '../eks/slow-update.ts';
import { idPart } from './refresh-gate.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { asPhaseFailure, causesOf, phaseFailed } from '../../runtime/phase-failure.ts';
import type { StartedUpdate, UpdateOutcome } from '../../../activities/contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

/** At most this many groups roll at the same time: their surge nodes share subnets and quotas. */
const PARALLEL_COUNT = 5;

export async function nodeGroups(input: PhaseInput): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const { autoscaler, spareIstiod } = paramsOf(input, 'node-groups');
    return await withSpareIstiods(phase, spareIstiod, () => withAutoscalerPaused(phase, autoscaler, () => rollAll(phase)));
  });
}

async function rollAll(phase: Phase): Promise<PhaseResult> {
  const { to, groups, managedBy, back } = paramsOf(phase.input, 'node-groups');
  const notBefore = await readEksClock(phase);
  const left = groups.map((group) => group.name);
  const failures: { message: string; causes: FailureCause[] }[] = [];
  const forsaken: string[] = [];
  let done = 0;
  const window = new WaveWindow(phase);
  const lane = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      try {
        // The first ones have begun with the step.
        if (window.asks && groups.length - left.length > PARALLEL_COUNT) await window.pass(askedFor(phase, name));
        if (await rollOne(phase, name, { to, ...defined({ back }) }, managedBy === 'terraform', notBefore)) done += 1;
        else forsaken.push(name);
        if (isWorthTelling(done, groups.length))
          phase.now(nodeGroupsMoved(done, groups.length, to), {
            rolled: { doneCount: done, totalCount: groups.length, unit: 'node group' },
          });
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        const failure = asPhaseFailure(`Node group ${name}`, error);
        failures.push({ message: failure.message, causes: causesOf(failure) });
        // After a failure nothing new is started; what runs is watched to its end.
        left.length = 0;
      }
    }
  };
  // Each to its end, also when the run is aborted: the autoscaler and the spare istiod wait for the last group that rolls.
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(PARALLEL_COUNT, groups.length) }, lane));
  const cutOff = lanes.find((each) => each.status === 'rejected');
  if (cutOff !== undefined) throw cutOff.reason;
  if (failures.length > 0) {
    throw phaseFailed(
      `Rolling node groups to ${to}: ${failures[0]?.message ?? ''}`,
      [{ title: `${done} of ${groups.length} node groups are at ${to}`, lines: failures.slice(0, 5).map((f) => f.message) }],
      failures.flatMap(({ causes }) => causes),
    );
  }
  const told = forsaken.length === 0 ? [] : [updatesLeft(forsaken)];
  return {
    summary: [`${count(done, 'node group')} at ${to}`, ...told].join('; '),
    evidence: [
      { title: 'Node groups', lines: [`${count(done, 'group')} at ${to}`, ...told], ...(told.length === 0 ? { verdict: 'clear' } : {}) },
    ],
  };
}

function askedFor(phase: Phase, name: string): WaveAsked {
  const nodeMs = usualUnitMs(phase.input.step);
  const nodeCount = paramsOf(phase.input, 'node-groups').groups.find((group) => group.name === name)?.count ?? 0;
  const needMs = nodeMs === undefined ? usually(phase.timing, 'nodeGroupMs') : nodeCount * nodeMs;
  return { detail: name, title: `node group ${name}`, needMs, undo: nodeGroupsUndo() };
}

/** About ten times on the way, however many groups there are; the end is told by the result. */
function isWorthTelling(doneCount: number, totalCount: number): boolean {
  return doneCount < totalCount && doneCount % Math.ceil(totalCount / 10) === 0;
}

/** `back`: it is older than what the group runs. */
interface Goal {
  to: string;
  back?: true;
}

/** false: people go on without it. */
async function rollOne(phase: Phase, name: string, goal: Goal, terraform: boolean, notBefore: string): Promise<boolean> {
  const { to } = goal;
  const blamed = { resource: { kind: 'node-group' as const, name }, own: !terraform };
  const { updateId } = await (terraform ? foreign(phase, name, to, notBefore) : own(phase, name, goal, notBefore));
  if (updateId !== undefined) {
    const outcome = await watch(phase, name, updateId, to);
    if (outcome === 'left') return false;
    if (outcome.status !== 'Successful') throw endedBadly(`update ${updateId}`, outcome, blamed);
  }
  const { findings, issues } = await phase.activities.survey.verifyNodeGroup.executeWithOptions({ summary: `Verify node group ${name}` }, [
    { ...phase.target, nodeGroup: name, to },
  ]);
  const bad = findings.find((f) => f.severity === 'required' && f.status !== 'pass');
  if (bad !== undefined) throw phaseFailed(`${bad.title}: ${bad.message}`, [], issueCauses(issues, blamed));
  return true;
}

function watch(phase: Phase, name: string, updateId: string, to: string): Promise<UpdateOutcome | 'left'> {
  const { autoscaler } = paramsOf(phase.input, 'node-groups');
  const what = `node group ${name}`;
  return watchSlow(
    phase,
    {
      resource: { kind: 'node-group', name },
      updateId,
      to,
      timeoutMs: phase.timing.nodeGroupTimeoutMs,
      summary: `Wait for ${what}`,
    },
    {
      what,
      detail: idPart(name),
      lines: ({ roll }, at) => slowGroupLines({ name, to, at, roll }),
      other: leaveSlow(what, autoscaler === undefined ? '' : autoscalerResumesWithStep()),
      left({ actor, reason = '' }) {
        phase.skip({ what, by: actorName(actor), reason, nodeGroups: [name] });
        return 'left' as const;
      },
    },
  );
}

function own(phase: Phase, name: string, goal: Goal, notBefore: string): Promise<StartedUpdate> {
  const forced = phase.input.mode?.force?.includes(name) === true;
  return CancellationScope.nonCancellable(() =>
    phase.activities.quick.startNodeGroupUpdate.executeWithOptions({ summary: `Start or adopt node group ${name}` }, [
      {
        cluster: phase.cluster,
        nodeGroup: name,
        ...goal,
        token: phase.token('UpdateNodegroupVersion', name),
        notBefore,
        ...(forced ? { force: true } : {}),
      },
    ]),
  );
}

function foreign(phase: Phase, name: string, to: string, notBefore: string): Promise<StartedUpdate> {
  phase.ask(applyNodeGroup(name, to));
  return adoptForeign(phase, {
    resource: { kind: 'node-group', name },
    to,
    notBefore,
    summary: `Wait until EKS lists ${name} ${to}`,
    waitingFor: `the Terraform apply of ${to} on ${name}`,
  });
}
