/** Istio's revisions through Flux or Argo CD: istio-base patched, a new revision's object made as a copy of the old one's, the old one removed. */
import type { GateChoice, GateEvidence } from '../../../domain/gates/gate.ts';
import type { GitOpsDelivery, IstioCanary } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { deliverChart, versionIn } from '../base/gitops-delivery.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { CHOICES } from '../../gates/choices.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { IstioDelivery } from '../../../activities/contract/istio-objects.ts';

export interface GitOpsWay {
  delivery: GitOpsDelivery;
  managedBy: string;
}

type Known = Required<Pick<IstioDelivery, 'old' | 'fresh'>> & IstioDelivery;

const REJECT: GateChoice = {
  id: 'reject',
  label: 'Not now',
  style: 'danger',
  does: 'Leaves Istio as it is; the step fails, and you are asked what to do next.',
};

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
    [{ cluster: phase.cluster, kind: delivery.kind, canary, ...(version === undefined ? {} : { version }) }],
  );
}

/** What is there already is not asked about. */
async function agree(phase: Phase, canary: IstioCanary, way: GitOpsWay): Promise<Known | undefined> {
  const { fromRevision, toRevision } = canary;
  for (let look = 1; ; look += 1) {
    phase.now(`Reading what delivers Istio revision ${fromRevision}.`);
    const seen = await examine(phase, canary, way);
    const { old, fresh, cannot } = seen;
    if (old === undefined || fresh === undefined) {
      const why = cannot ?? `no ${way.delivery.kind} delivers istiod of revision ${fromRevision}`;
      phase.announcer.note(`Istio: ${why}, so Belay asks for revision ${toRevision} as a whole.`);
      return undefined;
    }
    if (seen.done === true) return { ...seen, old, fresh };
    const state = await phase.gates.ask({
      id: gateId('change', phase.input.step.id, (phase.input.round - 1) * 100 + look, toRevision),
      step: phase.input.step.id,
      title: `Install Istio revision ${toRevision} beside ${fromRevision}?`,
      next: 'istio-base with the CRDs that all revisions share goes first. Nothing uses the new revision before its first wave.',
      evidence: evidenceOf(canary, { ...seen, old, fresh }),
      undo: `Deleting ${objectTitle(fresh.chart)} takes the new revision away, as long as no wave has moved; the CRDs of istio-base stay, they serve both.`,
      choices: [CHOICES.approve, { ...CHOICES.lookAgain, does: 'Reads the objects again.' }, REJECT],
    });
    if (state.kind !== 'decided') throw phaseFailed(`Installing Istio revision ${toRevision}: nobody decided in time; nothing was changed`);
    const { choice } = state.decision;
    if (choice === 'reject') throw phaseFailed(`Installing Istio revision ${toRevision}: people decided against it; nothing was changed`);
    if (choice !== 'look-again') return { ...seen, old, fresh };
  }
}

/** Values: only the places that differ; what else stands there may be secret. */
function evidenceOf({ toMinor, toVersion }: IstioCanary, { base, old, fresh }: Known): GateEvidence[] {
  const to = toVersion ?? `the newest patch of ${toMinor}`;
  const baseLines =
    base === undefined
      ? ['nothing of GitOps delivers istio-base: see that the CRDs of the new version are there before you approve']
      : [
          base.ahead === true
            ? `${objectTitle(base.chart)}: at ${base.chart.version} already`
            : `${objectTitle(base.chart)}: ${base.chart.version} → ${to}${keptBy(base.chart.owner)}`,
          ...base.changes,
        ];
  return [
    { title: 'istio-base', lines: baseLines },
    {
      title: `${objectTitle(fresh.chart)}, a copy of ${objectTitle(old)}`,
      lines: [
        `chart istiod: ${old.version} → ${to}${keptBy(fresh.owner)}`,
        ...fresh.changes,
        'everything else as it is, valuesFrom and value files too',
      ],
    },
  ];
}

const keptBy = (owner: string | undefined): string => (owner === undefined ? '' : ` (asked for: ${owner} keeps it as in Git)`);

/** The version that istiod should have as well. */
async function deliverBase(phase: Phase, canary: IstioCanary, { managedBy }: GitOpsWay, { base }: Known): Promise<string> {
  const { toVersion, toMinor, fromRevision } = canary;
  const to = toVersion ?? toMinor;
  if (base === undefined || base.ahead === true) return to;
  const { chart, values, changes } = base;
  const also = changes.length === 0 ? 'its values unchanged' : `with ${changes.join(', ')}`;
  return await deliverChart(phase, {
    chart,
    to,
    values,
    component: 'Istio',
    ask: (owner) => ({
      ask: { component: 'istio-base', name: chart.name, version: to, managedBy },
      text:
        `Please merge istio-base (chart base) ${chart.version} → ${toVersion ?? `the newest ${toMinor}`} in ${objectTitle(chart)}, ${also}: ` +
        `defaultRevision stays at what validates now until ${fromRevision} is retired. ${owner} keeps it as in Git, so a change in the cluster would be put back. ` +
        'Belay watches it and continues by itself once it has delivered.',
    }),
  });
}

async function make(phase: Phase, canary: IstioCanary, { old, fresh }: Known, version: string): Promise<void> {
  const { toRevision, fromRevision } = canary;
  const object = objectTitle(fresh.chart);
  const token = phase.token('make-revision', object);
  phase.now(`Making ${object} for Istio revision ${toRevision}, as a copy of ${objectTitle(old)}.`);
  const { chart, owner } = await phase.activities.quick.createDeliveredRevision.executeWithOptions(
    { summary: `${object}: istiod ${version}` },
    [{ cluster: phase.cluster, old, canary, version, token }],
  );
  if (owner !== undefined)
    throw phaseFailed(
      `Making ${object}: it is there, of another version, and ${owner} keeps it as in Git: set istiod ${version} there, then retry`,
    );
  phase.announcer.note(`Istio: ${object} delivers istiod ${version} as revision ${toRevision}, beside ${fromRevision}.`);
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

/** Slack shows so much of a message; a manifest that is cut would be none. */
const SHOWN = 1_900;

async function askForIt(phase: Phase, canary: IstioCanary, { delivery, managedBy }: GitOpsWay, version: string): Promise<void> {
  const { toRevision, fromRevision } = canary;
  const { fresh, old } = await examine(phase, canary, { delivery, managedBy }, version);
  if (fresh === undefined || old === undefined)
    throw phaseFailed(`Installing Istio revision ${toRevision}: what delivers ${fromRevision} is gone; plan again`);
  const { manifest, withheld, changes, owner } = fresh;
  const file =
    manifest.length <= SHOWN
      ? `\n\`\`\`\n${manifest}\`\`\`\n${withheld ? 'What says (withheld) has to be taken from there. ' : ''}`
      : ` with these changes: name ${fresh.chart.name}, chart version ${version}, ${changes.join(', ')}. `;
  phase.ask(
    { component: 'istio', name: toRevision, version, managedBy },
    `Please add ${objectTitle(fresh.chart)} to Git, beside ${objectTitle(old)}, which ${owner ?? 'somebody'} keeps as it is there: a copy of it${file}` +
      'Belay watches and continues by itself once it has delivered; another name will do.',
  );
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
  const back =
    manifest === undefined || manifest.length > SHOWN
      ? ''
      : `\nTo go back, this would have to be applied again:\n\`\`\`\n${manifest}\`\`\``;
  if (owner !== undefined || cannot !== undefined) {
    const why = cannot ?? `${owner ?? ''} keeps it as it is there`;
    phase.ask(
      { component: 'istio-retire', name: revision, version: successor, managedBy: way.managedBy },
      `Please remove ${cannot === undefined ? object : `istiod of revision ${revision} from ${object}`} in Git: ${why}. ${prune(way)} Belay continues once revision ${revision} is gone.`,
    );
    return true;
  }
  phase.now(`Removing ${object}: with it istiod and the webhooks of revision ${revision} go.`);
  phase.announcer.note(`Istio: removing ${object}, which delivers revision ${revision}.${back}`);
  await phase.activities.survey.removeDeliveredRevision.executeWithOptions({ summary: `Delete ${object}` }, [
    { cluster: phase.cluster, chart, revision, successor },
  ]);
  return true;
}

/** What is only taken out of Git may stay in the cluster. */
function prune({ delivery }: GitOpsWay): string {
  return delivery.kind === 'HelmRelease'
    ? 'Its Kustomization has to prune (spec.prune); else delete the HelmRelease as well, which uninstalls.'
    : 'Its parent has to prune, and the Application needs the finalizer resources-finalizer.argocd.argoproj.io, or what it has installed stays.';
}
