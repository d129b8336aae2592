/** The step that takes a mesh back, as people see it before they approve it. */
import type { IstioFact } from '../../facts/facts.ts';
import { count, objectTitle, someOf } from '../../core/text.ts';
import type { IstioCanary } from '../model/changes.ts';
import { gatewayWords } from '../istio/gateways.ts';
import { istioDelivery } from '../istio/delivery.ts';
import { plannedStep } from '../steps/step.ts';
import type { PlannedStep } from '../model/types.ts';
import { runWords, type UndoInput } from './undo-input.ts';
import { defined } from '../../core/defined.ts';

export function istioBackStep({ facts, hop, minor, policy, run }: UndoInput, istio: IstioFact, canaries: IstioCanary[]): PlannedStep {
  const delivery = istioDelivery(istio, policy);
  const [first, last] = [canaries[0], canaries.at(-1)];
  const path = [first?.fromRevision ?? '', ...canaries.map(({ toRevision }) => toRevision)].join(' → ');
  const to = `${last?.toVersion ?? ''} (revision ${last?.toRevision ?? ''})`;
  return plannedStep(
    hop,
    {
      phase: 'istio',
      canaries,
      managedBy: policy.managedBy.istio,
      // Where a tag goes back with a wave, what selects it goes by it; all else by its label.
      moveBy: canaries.some(({ tags = [] }) => tags.length > 0) ? 'tag' : 'label',
      judgedBy: istio.prometheus === 'none' ? 'state' : 'prometheus',
      ...defined({ delivery }),
    },
    {
      title: `Istio ${path}`,
      why: `${to} is what ${runWords(run)} found; it supports Kubernetes ${minor}. ${partsOf(canaries)}`,
      gate: {
        title: `Take Istio of ${facts.cluster.name} back to ${last?.toRevision ?? ''}?`,
        next: `${installWords(canaries)}${wordsOf(canaries)} ${endWords(canaries)}`,
        why: 'The CRDs of istio-base stay at the newer version: all revisions share them. Fields that only the newer version knows are not acted upon.',
        reason: true,
      },
      rollback: {
        what: 'each wave, to the newer revision again',
        how: 'labels or tag, and the same restart, until the newer revision is retired; then as the next upgrade does',
        until: 'always',
        cost: 'one more restart of the workloads of the wave',
      },
    },
    policy,
  );
}

function partsOf(canaries: readonly IstioCanary[]): string {
  const gateways = gatewayWords(canaries);
  const labels = canaries.flatMap(({ back }) => [...(back?.labels ?? []), ...(back?.gateways ?? [])]).length;
  return [
    'Waves go back as they went forth: restarted, verified by what runs, judged by their traffic where Prometheus can tell.',
    ...(gateways === undefined ? [] : [gateways]),
    ...(labels === 0 ? [] : [`Other labels than istio.io/rev are set as they were when tags and defaults are back (${labels}).`]),
  ].join(' ');
}

function installWords(canaries: readonly IstioCanary[]): string {
  const again = canaries.filter(({ back }) => back?.release !== undefined);
  if (again.length === 0) return '';
  const names = again.map(({ toRevision, toVersion = '' }) => `${toRevision} (${toVersion})`);
  return `Helm installs ${someOf(names)} again, with the chart version and values of its last release. `;
}

function wordsOf(canaries: readonly IstioCanary[]): string {
  const namespaces = new Set(canaries.flatMap(({ waves }) => waves.flat())).size;
  const tags = [...new Set(canaries.flatMap(({ tags: own = [] }) => own))];
  const what = [...(namespaces === 0 ? [] : [count(namespaces, 'namespace')]), ...(tags.length === 0 ? [] : [`tag ${someOf(tags)}`])];
  const gateways = new Set(canaries.flatMap(({ gateways: own = [] }) => own.map(objectTitle)));
  if (gateways.size > 0) what.push(count(gateways.size, 'gateway'));
  const waves = canaries.reduce((sum, each) => sum + each.waves.length, 0);
  return what.length === 0 ? 'No namespace has moved yet.' : `${what.join(', ')} go back in ${count(waves, 'wave')}, each with a gate.`;
}

function endWords(canaries: readonly IstioCanary[]): string {
  const goes = canaries.filter(({ back }) => back?.keeps !== true).map(({ fromRevision }) => fromRevision);
  const stays = canaries.filter(({ back }) => back?.keeps === true).map(({ fromRevision }) => fromRevision);
  return [
    ...(goes.length === 0
      ? []
      : [`Then the default tag and validator, and when nothing uses ${someOf(goes)} any more a gate asks for its end.`]),
    ...(stays.length === 0 ? [] : [`${someOf(stays)} was there before and stays.`]),
  ].join(' ');
}
