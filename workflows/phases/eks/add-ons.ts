/** Add-ons one after the other, in the plan's order: the bridge before the control plane, the target's defaults (kube-proxy last) after the nodes. */
import { CancellationScope } from '@temporalio/workflow';
import { changeAddOn } from '../../messages/eks/add-ons.ts';
import { leaveSlow, slowUpdateLines, updatesLeft } from '../../messages/eks/slow-update.ts';
import type { ManagedBy } from '../../../domain/facts/facts.ts';
import { actorName } from '../../../domain/gates/actor.ts';
import type { AddOnChange } from '../../../domain/plan/model/changes.ts';
import { addOnWords } from '../../reporting/first-note.ts';
import { Phase } from '../base/phase.ts';
import { adoptForeign, type Blamed, endedBadly, issueCauses, readEksClock } from './eks-update.ts';
import { watchSlow } from './slow-update.ts';
import { paramsOf, type PhaseInput, type PhaseResult } from '../../contract/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { StartedUpdate } from '../../../activities/contract/eks.ts';

export function addOnsBridge(input: PhaseInput): Promise<PhaseResult> {
  const { changes, managedBy } = paramsOf(input, 'add-ons-bridge');
  return changeAddOns(input, { changes, managedBy, towards: { newerOn: input.step.hop } });
}

export function addOnsBack(input: PhaseInput): Promise<PhaseResult> {
  const { changes, managedBy } = paramsOf(input, 'add-ons-back');
  return changeAddOns(input, { changes, managedBy, towards: { back: true } });
}

export function addOnsTarget(input: PhaseInput): Promise<PhaseResult> {
  const { changes, managedBy } = paramsOf(input, 'add-ons-target');
  return changeAddOns(input, { changes, managedBy, towards: { newerOn: input.step.hop } });
}

interface Changing {
  changes: AddOnChange[];
  managedBy: ManagedBy;
  /** Up: what somebody has brought further meanwhile stays there, if EKS offers it on this minor of Kubernetes. */
  towards: { newerOn: string } | { back: true };
}

function changeAddOns(input: PhaseInput, { changes, managedBy, towards }: Changing): Promise<PhaseResult> {
  const phase = new Phase(input);
  return phase.run(async () => {
    const notBefore = await readEksClock(phase);
    const left: string[] = [];
    for (const [index, change] of changes.entries()) {
      phase.now(addOnWords(changes, index) ?? change.name);
      if ((await changeOne(phase, change, { managedBy, towards, notBefore })) === 'left') left.push(change.name);
    }
    const done = changes.filter(({ name }) => !left.includes(name)).map(({ name, to }) => `${name} ${to}`);
    if (left.length === 0) return { summary: done.join(', ') };
    const told = [...done, updatesLeft(left)];
    return { summary: told.join(', '), evidence: [{ title: input.step.title, lines: told, verdict: 'attention' }] };
  });
}

type How = Omit<Changing, 'changes'> & { notBefore: string };

/** `left`: people go on without it. */
async function changeOne(phase: Phase, change: AddOnChange, how: How): Promise<'done' | 'left'> {
  const { name, to } = change;
  const { managedBy, towards } = how;
  const byOthers = !change.managed || managedBy !== 'eks';
  const blamed = { resource: { kind: 'add-on' as const, name }, own: !byOthers };
  if (byOthers) phase.ask(changeAddOn(change, managedBy));
  if (change.managed) {
    const started = await (byOthers ? foreign(phase, change, how) : own(phase, change, how));
    if (started.updateId !== undefined && (await finish(phase, change, started.updateId, blamed)) === 'left') return 'left';
  }
  const health = await phase.activities.watch.awaitAddOnHealthy.executeWithOptions({ summary: `${name} healthy at ${to}` }, [
    { ...phase.target, addOn: name, to, ...newerOf(towards), ...(change.managed ? {} : { asked: true }) },
  ]);
  if (!health.healthy) throw phaseFailed(`Updating add-on ${name} to ${to}: ${health.message}`, [], issueCauses(health.issues, blamed));
  return 'done';
}

const newerOf = (towards: How['towards']): { newerOn?: string } => ('newerOn' in towards ? towards : {});

function own(phase: Phase, { name, to }: AddOnChange, { notBefore, towards }: How): Promise<StartedUpdate> {
  return CancellationScope.nonCancellable(() =>
    phase.activities.quick.startAddOnUpdate.executeWithOptions({ summary: `Start or adopt ${name} ${to}` }, [
      {
        cluster: phase.cluster,
        addOn: name,
        to,
        token: phase.token('UpdateAddon', `${name}/${to}`),
        notBefore,
        ...towards,
        resolveConflicts: phase.input.mode?.overwrite?.includes(name) === true ? 'OVERWRITE' : 'PRESERVE',
      },
    ]),
  );
}

function foreign(phase: Phase, { name, to }: AddOnChange, { notBefore, towards }: How): Promise<StartedUpdate> {
  return adoptForeign(phase, {
    resource: { kind: 'add-on', name },
    to,
    notBefore,
    ...newerOf(towards),
    summary: `Wait until EKS lists ${name} ${to}`,
    waitingFor: `${name} ${to}`,
  });
}

async function finish(phase: Phase, { name, to }: AddOnChange, updateId: string, blamed: Blamed): Promise<'done' | 'left'> {
  const what = `add-on ${name}`;
  const outcome = await watchSlow(
    phase,
    {
      resource: { kind: 'add-on', name },
      updateId,
      to,
      timeoutMs: phase.timing.addOnTimeoutMs,
      summary: `Wait for ${name} ${to}`,
    },
    {
      what: `${what} to ${to}`,
      detail: name,
      lines: ({ issues }, at) => slowUpdateLines(at, issues),
      other: leaveSlow(what),
      left({ actor, reason = '' }) {
        phase.skip({ what, by: actorName(actor), reason, addOns: [name] });
        return 'left' as const;
      },
    },
  );
  if (outcome === 'left') return outcome;
  if (outcome.status !== 'Successful') throw endedBadly(`Updating ${what} to ${to}: update ${updateId}`, outcome, blamed);
  return 'done';
}
