/** The default tag and the default validator, moved to the successor before the istiod that they call goes. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { defaultsMoved, moveDefaultsByHand, movingDefaults } from '../../messages/istio/labels.ts';
import type { Phase } from '../base/phase.ts';
import type { GitOpsWay } from './gitops-revision.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { HeldPointer } from '../../../activities/contract/istio-objects.ts';

/**
 * Before anybody is asked to remove the istiod that they call. What GitOps owns and would put back is moved in istio-base where nobody keeps that
 * as in Git, else asked for.
 */
export async function moveDefaults(phase: Phase, canary: IstioCanary, managedBy: string, way: GitOpsWay | undefined): Promise<void> {
  const { fromRevision: revision, toRevision: successor } = canary;
  phase.now(movingDefaults(revision, successor));
  const { held } = await phase.activities.survey.moveDefaults.executeWithOptions({ summary: `Defaults → ${successor}` }, [
    { cluster: phase.cluster, revision, successor },
  ]);
  if (held.length === 0) return;
  const left = way === undefined ? held : await throughBase(phase, canary, way, held);
  if (left.length > 0) phase.ask(moveDefaultsByHand(left, { revision, successor, managedBy }));
  const { moved, left: behind } = await phase.activities.watch.awaitIstioPointers.executeWithOptions(
    { summary: `Wait until the defaults point at ${successor}` },
    [
      {
        ...phase.target,
        tags: held.flatMap(({ tag }) => tag ?? []),
        validator: held.some(({ tag }) => tag === undefined),
        revision: successor,
      },
    ],
  );
  if (!moved) throw phaseFailed(`Retiring Istio revision ${revision}: not at ${successor}: ${behind.join(', ')}; ${revision} still runs`);
}

/** The validator is a part of istio-base. Returns what somebody else has to move. */
async function throughBase(phase: Phase, canary: IstioCanary, { delivery }: GitOpsWay, held: HeldPointer[]): Promise<HeldPointer[]> {
  if (held.every(({ tag }) => tag !== undefined)) return held;
  const { quick, survey } = phase.activities;
  const { base } = await survey.examineIstioDelivery.executeWithOptions({ summary: 'What delivers istio-base?' }, [
    { cluster: phase.cluster, kind: delivery.kind, canary },
  ]);
  if (base === undefined) return held;
  const { chart } = base;
  const successor = canary.toRevision;
  const set = await quick.setDeliveredVersion.executeWithOptions({ summary: `${objectTitle(chart)}: defaultRevision ${successor}` }, [
    {
      cluster: phase.cluster,
      chart,
      to: chart.version,
      token: phase.token('set-default', `${objectTitle(chart)}/${successor}`),
      skipCrds: false,
      values: [{ path: ['defaultRevision'], value: successor }],
    },
  ]);
  if (set.kind === 'owned') return held;
  phase.announcer.note(defaultsMoved(objectTitle(chart), successor));
  return held.filter(({ tag }) => tag !== undefined);
}
