/** What ends the way back of a canary, before the newer revision goes: defaults, then the labels that waves do not set. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import { labelNotRestored, restoringLabels } from '../../messages/istio/labels.ts';
import type { Phase } from '../base/phase.ts';
import { moveDefaults } from './default-revision.ts';
import type { GitOpsWay } from './gitops-revision.ts';
import { forget } from './retire-revision.ts';
import { shown } from './wave-gates.ts';

/** Nothing restarts: pods run the older revision already, and new ones get it by either label. */
export async function settleBack(phase: Phase, canary: IstioCanary, managedBy: string, way: GitOpsWay | undefined): Promise<void> {
  const { back, waves, gateways } = canary;
  if (back?.keeps === true) await forget(phase, waves.flat(), gateways);
  else await moveDefaults(phase, canary, managedBy, way);
  await relabel(phase, canary);
}

/** Its label may be as it was before the run, so that it does not name the revision. */
export function isRelabelled({ back }: IstioCanary, { namespace }: { namespace: string }): boolean {
  return back?.labels?.some((labels) => labels.namespace === namespace) === true;
}

async function relabel(phase: Phase, { back, toRevision }: IstioCanary): Promise<void> {
  const { labels = [], gateways = [] } = back ?? {};
  if (labels.length + gateways.length === 0) return;
  const names = [...labels.map(({ namespace }) => namespace), ...gateways.map(({ namespace, name }) => `${namespace}/${name}`)];
  phase.now(restoringLabels(names));
  const { held = [] } = await phase.activities.survey.moveBack.executeWithOptions(
    { summary: `Labels of ${shown(names)} as before the run` },
    [
      {
        cluster: phase.cluster,
        before: labels,
        gateways: gateways.map((gateway) => ({ ...gateway, how: 'relabel' as const, services: [] })),
      },
    ],
  );
  for (const { what, by } of held) phase.announcer.note(labelNotRestored(what, { by, revision: toRevision }));
}
