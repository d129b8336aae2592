/** Istio's charts, tags and labels that Belay has changed because nobody keeps them as in Git, as far as it saw. */
import type { AskedChange } from '../record/change-requests.ts';
import type { DeliveredChart } from '../../facts/facts.ts';
import type { GatewayMove, GitOpsDelivery, IstioCanary } from '../../plan/model/changes.ts';
import type { PlannedStep } from '../../plan/model/types.ts';
import { someOf } from '../../core/text.ts';
import { chartNote, versionLine } from './charts.ts';
import type { IacField, KeyedNote } from './note.ts';

const REV = 'istio.io/rev';
const INJECTION = 'istio-injection';

/** `asked`: what others were asked for instead; their change came from where it is kept. */
export function istioNotes({ params }: PlannedStep, asked: readonly AskedChange[]): KeyedNote[] {
  if (params.phase !== 'istio') return [];
  const { canaries, delivery, moveBy } = params;
  return canaries.flatMap((canary) => [
    // On a way back istio-base stays, and the older revision's object is there already.
    ...(delivery === undefined || canary.back !== undefined ? [] : chartNotes(canary, delivery)),
    ...(moveBy === 'tag' ? (canary.tags ?? []).filter((tag) => !wasAsked(asked, 'istio-tag', tag)).map((tag) => tagNote(canary, tag)) : []),
    ...labelNotes(canary, moveBy, asked),
    ...labelsBeforeNotes(canary, asked),
    ...(canary.gateways ?? []).filter(({ how }) => how === 'relabel').flatMap((gateway) => gatewayNote(canary, gateway, asked)),
  ]);
}

function wasAsked(asked: readonly AskedChange[], component: AskedChange['component'], name: string): boolean {
  return asked.some((each) => each.component === component && each.name.split(', ').includes(name));
}

function chartNotes(canary: IstioCanary, { charts }: GitOpsDelivery): KeyedNote[] {
  const to = canary.toVersion ?? canary.toMinor;
  const agents = [...(canary.agentsBefore ?? []), ...(canary.agentsAfter ?? [])];
  return charts
    .filter(({ owner }) => owner === undefined)
    .flatMap((chart) => {
      if (chart.chart === 'base') return [chartNote(chart, to)];
      if (chart.chart === 'istiod') return chart.version.startsWith(canary.fromVersion) ? [revisionNote(canary, chart, to)] : [];
      const agent = agents.findLast(({ kind }) => chart.chart === kind || `istio-${chart.chart}` === kind);
      return agent === undefined ? [] : [chartNote(chart, agent.toMinor)];
    });
}

/** Belay has made a copy under another name, and removed the old one with its revision. */
function revisionNote({ fromRevision, toRevision }: IstioCanary, { kind, namespace, name }: DeliveredChart, to: string): KeyedNote {
  const values = `revision: ${toRevision}`;
  const lines =
    kind === 'HelmRelease'
      ? `spec:\n  chart:\n    spec:\n      chart: istiod\n      version: ${versionLine(to)}\n  values:\n    ${values}`
      : `spec:\n  source:\n    chart: istiod\n    targetRevision: ${versionLine(to)}\n    helm:\n      valuesObject:\n        ${values}`;
  return {
    key: `istiod ${kind} ${namespace}/${name}`,
    object: `${kind} ${namespace}/${name}`,
    says: `istiod of revision ${fromRevision}, which is gone: its file becomes that of revision ${toRevision}, named like the object in the cluster`,
    lines,
  };
}

function tagNote({ fromRevision, toRevision }: IstioCanary, tag: string): KeyedNote {
  return {
    key: `istio tag ${tag}`,
    object: `Istio's revision tag ${tag}`,
    says: `revision ${fromRevision}`,
    lines: `# values of istiod, revision ${toRevision}; out of revision ${fromRevision}, where it stands there\nrevisionTags:\n  - ${tag}`,
  };
}

/** With tags, which namespaces follow one is not in the plan. */
function labelNotes(
  { fromRevision, toRevision, waves, tags = [], back }: IstioCanary,
  moveBy: 'tag' | 'label',
  asked: readonly AskedChange[],
): KeyedNote[] {
  const followTags = moveBy === 'tag' && tags.length > 0;
  const otherwise = (back?.labels ?? []).map(({ namespace }) => namespace);
  const names = waves.flat().filter((name) => !otherwise.includes(name) && !wasAsked(asked, 'namespace', name));
  if (followTags || names.length === 0) return [];
  const fields = names.map(
    (name): IacField => ({
      object: { apiVersion: 'v1', plural: 'namespaces', name },
      path: ['metadata', 'labels', REV],
      value: toRevision,
    }),
  );
  return [
    {
      key: `istio labels ${names.join(',')}`,
      object: `Namespace ${someOf(names, 20)}`,
      says: `revision ${fromRevision}, by ${REV} or istio-injection`,
      lines: `metadata:\n  labels:\n    ${REV}: ${toRevision} # and no istio-injection`,
      fields,
    },
  ];
}

/** Of a way back, where they are others than the older revision's name: one note for each label that namespaces have in common. */
function labelsBeforeNotes({ fromRevision, back }: IstioCanary, asked: readonly AskedChange[]): KeyedNote[] {
  const own = (back?.labels ?? []).filter(({ namespace }) => !wasAsked(asked, 'namespace', namespace));
  const byLabel = Map.groupBy(own, ({ injection, rev }) => (injection === null ? `${REV}: ${rev ?? ''}` : `${INJECTION}: ${injection}`));
  return [...byLabel].map(([label, labelled]) => {
    const names = labelled.map(({ namespace }) => namespace);
    const [key, value] = label.split(': ');
    const fields = names.map(
      (name): IacField => ({
        object: { apiVersion: 'v1', plural: 'namespaces', name },
        path: ['metadata', 'labels', key ?? ''],
        value: value ?? '',
      }),
    );
    return {
      key: `istio labels ${names.join(',')}`,
      object: `Namespace ${someOf(names, 20)}`,
      says: `revision ${fromRevision}`,
      lines: `metadata:\n  labels:\n    ${label} # and no ${key === REV ? INJECTION : REV}`,
      fields,
    };
  });
}

function gatewayNote(
  { fromRevision, toRevision, back }: IstioCanary,
  { kind, namespace, name }: GatewayMove,
  asked: readonly AskedChange[],
): KeyedNote[] {
  if (wasAsked(asked, 'istio-gateway', `${namespace}/${name}`)) return [];
  const before = back?.gateways?.find((each) => each.kind === kind && each.namespace === namespace && each.name === name);
  // Without a label again, as it came from where it is kept.
  if (before?.rev === null) return [];
  const to = before?.rev ?? toRevision;
  const label = `${REV}: ${to}`;
  const lines =
    kind === 'Gateway' ? `metadata:\n  labels:\n    ${label}` : `spec:\n  template:\n    metadata:\n      labels:\n        ${label}`;
  const api =
    kind === 'Gateway'
      ? { apiVersion: 'gateway.networking.k8s.io/v1', plural: 'gateways' }
      : { apiVersion: 'apps/v1', plural: kind === 'Deployment' ? 'deployments' : 'daemonsets' };
  const path = [...(kind === 'Gateway' ? [] : ['spec', 'template']), 'metadata', 'labels', REV];
  const fields = [{ object: { ...api, namespace, name }, path, value: to }];
  const object = `${kind} ${namespace}/${name}`;
  return [{ key: `gateway ${object}`, object, says: `${REV}: ${fromRevision}, or a tag of it`, lines, fields }];
}
