/** Istio's revisions through Flux or Argo CD: istio-base patched, a new revision's object made as a copy of the old one's, the old one removed. */
import type { GitOpsDelivery, IstioCanary } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import {
  addRevision,
  askedAsAWhole,
  creatingRevision,
  installRevisionGate,
  mergeBase,
  readingDelivery,
  removeFromGit,
  removingObject,
  revisionCreated,
  revisionRemoved,
  type RevisionToInstall,
} from '../../messages/istio/gitops.ts';
import type { Phase } from '../base/phase.ts';
import { deliverChart, versionIn } from '../base/gitops-delivery.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { IstioDelivery } from '../../../activities/contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface GitOpsWay {
  delivery: GitOpsDelivery;
  managedBy: string;
}

type Known = Required<Pick<IstioDelivery, 'old' | 'fresh'>> & IstioDelivery;

/**
 * istio-base first, then the object of the new revision, behind a gate that shows what changes. false: nothing of GitOps delivers the old
 * revision by itself, so the whole change has to be asked for.
 */
export async function deliverRevision(phase: Phase, canary: IstioCanary, way: GitOpsWay): Promise<boolean> {
  const seen = await agree(phase, canary, way);
  if (seen === undefined) return false;
  if (seen.done === true) return true;
  const version = await deliverBase(phase, canary, way, seen);
  await (seen.fresh.owner === undefined ? make(phase, canary, seen, version) : askForIt(phase, canary, way, version));
  return true;
}

async function examine(phase: Phase, canary: IstioCanary, { delivery }: GitOpsWay, version?: string): Promise<IstioDelivery> {
  return await phase.activities.survey.examineIstioDelivery.executeWithOptions(
    { summary: `What delivers revision ${canary.fromRevision}, and what would ${canary.toRevision} be?` },
    [{ cluster: phase.cluster, kind: delivery.kind, canary, ...defined({ version }) }],
  );
}

/** What is there already is not asked about. */
async function agree(phase: Phase, canary: IstioCanary, way: GitOpsWay): Promise<Known | undefined> {
  const { fromRevision, toRevision } = canary;
  for (let look = 1; ; look += 1) {
    phase.now(readingDelivery(fromRevision));
    const seen = await examine(phase, canary, way);
    const { old, fresh, cannot } = seen;
    if (old === undefined || fresh === undefined) {
      const why = cannot ?? `no ${way.delivery.kind} delivers istiod of revision ${fromRevision}`;
      phase.announcer.note(askedAsAWhole(why, toRevision));
      return undefined;
    }
    if (seen.done === true) return { ...seen, old, fresh };
    const state = await phase.gates.ask({
      ...installRevisionGate(toInstall(canary, { ...seen, old, fresh })),
      id: gateId('change', phase.input.step.id, (phase.input.round - 1) * 100 + look, toRevision),
      step: phase.input.step.id,
    });
    if (state.kind !== 'decided') throw phaseFailed(`Installing Istio revision ${toRevision}: nobody decided in time; nothing was changed`);
    const { choice } = state.decision;
    if (choice === 'reject') throw phaseFailed(`Installing Istio revision ${toRevision}: rejected; nothing was changed`);
    if (choice !== 'look-again') return { ...seen, old, fresh };
  }
}

function toInstall({ fromRevision, toRevision, toMinor, toVersion }: IstioCanary, { base, old, fresh }: Known): RevisionToInstall {
  const version = toVersion ?? `the newest patch of ${toMinor}`;
  return {
    fromRevision,
    toRevision,
    version,
    base: base === undefined ? undefined : { chart: base.chart, ahead: base.ahead === true, changes: base.changes },
    old,
    fresh,
  };
}

/** The version that istiod should have as well. */
async function deliverBase(phase: Phase, canary: IstioCanary, { managedBy }: GitOpsWay, { base }: Known): Promise<string> {
  const { toVersion, toMinor } = canary;
  const to = toVersion ?? toMinor;
  if (base === undefined || base.ahead === true) return to;
  const { chart, values, changes } = base;
  return await deliverChart(phase, {
    chart,
    to,
    values,
    component: 'Istio',
    ask: (owner) => mergeBase(chart, canary, { changes, owner, managedBy }),
  });
}

async function make(phase: Phase, canary: IstioCanary, { old, fresh }: Known, version: string): Promise<void> {
  const { toRevision, fromRevision } = canary;
  const object = objectTitle(fresh.chart);
  const token = phase.token('make-revision', object);
  phase.now(creatingRevision(object, toRevision, objectTitle(old)));
  const { chart, owner } = await phase.activities.quick.createDeliveredRevision.executeWithOptions(
    { summary: `${object}: istiod ${version}` },
    [{ cluster: phase.cluster, old, canary, version, token }],
  );
  if (owner !== undefined)
    throw phaseFailed(
      `Making ${object}: it is there, of another version, and ${owner} keeps it as in Git: set istiod ${version} there, then retry`,
    );
  phase.announcer.note(revisionCreated(object, { version, toRevision, fromRevision }));
  const ended = await phase.activities.watch.awaitDelivered.executeWithOptions({ summary: `Wait for ${object}` }, [
    { ...phase.target, chart, to: version, token },
  ]);
  const delivered = versionIn(ended, chart, version);
  // A range would bring a newer istiod on any later day.
  if (delivered === version) return;
  const pinned = { ...chart, version: delivered };
  await phase.activities.quick.setDeliveredVersion.executeWithOptions({ summary: `${object}: istiod ${delivered}` }, [
    { cluster: phase.cluster, chart: pinned, to: delivered, token: phase.token('pin-version', object), skipCrds: false },
  ]);
}

async function askForIt(phase: Phase, canary: IstioCanary, { delivery, managedBy }: GitOpsWay, version: string): Promise<void> {
  const { toRevision, fromRevision } = canary;
  const { fresh, old } = await examine(phase, canary, { delivery, managedBy }, version);
  if (fresh === undefined || old === undefined)
    throw phaseFailed(`Installing Istio revision ${toRevision}: what delivers ${fromRevision} is gone; plan again`);
  phase.ask(addRevision(toRevision, version, { old, fresh, managedBy }));
  const ended = await phase.activities.watch.awaitDeliveredRevision.executeWithOptions(
    { summary: `Wait for revision ${toRevision} from Git` },
    [{ ...phase.target, kind: delivery.kind, canary }],
  );
  versionIn(ended, fresh.chart, version);
}

/**
 * Removes the object of the old revision, or asks for that where Git keeps it. false: nothing of GitOps delivers it. What the object was is posted
 * first: it is the way back.
 */
export async function removeRevision(
  phase: Phase,
  { fromRevision: revision, toRevision: successor }: IstioCanary,
  way: GitOpsWay,
): Promise<boolean> {
  const { chart, owner, cannot, manifest } = await phase.activities.quick.findDeliveredRevision.executeWithOptions(
    { summary: `What delivers revision ${revision}?` },
    [{ cluster: phase.cluster, kind: way.delivery.kind, revision }],
  );
  if (chart === undefined) return false;
  const object = objectTitle(chart);
  if (owner !== undefined || cannot !== undefined) {
    const { delivery, managedBy } = way;
    phase.ask(removeFromGit({ object, revision, successor }, { owner, cannot, kind: delivery.kind, managedBy }));
    return true;
  }
  phase.now(removingObject(object, revision));
  phase.announcer.note(revisionRemoved(object, revision, manifest));
  await phase.activities.survey.removeDeliveredRevision.executeWithOptions({ summary: `Delete ${object}` }, [
    { cluster: phase.cluster, chart, revision, successor },
  ]);
  return true;
}
