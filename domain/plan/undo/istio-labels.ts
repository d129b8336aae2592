/** Labels of a mesh as they were before the run: waves go by the revision's own name, and these are set when everything else is back. */
import { objectTitle, someOf } from '../../core/text.ts';
import type { CanaryBack, GatewayLabel, MeshLabels } from '../model/changes.ts';
import type { RuleViolation } from '../model/types.ts';
import { type BackMove, type MeshNow, revisionBehind } from './istio-walk.ts';
import { type MeshBefore, refusal } from './undo-input.ts';

/** What cannot be as it was, and why, is a violation that hinders nothing. `after`: the mesh at the end of the whole way. */
export function labelsBefore(
  { forward, namespaces, tags, waves }: BackMove,
  before: MeshBefore,
  after: MeshNow,
): { labels: Required<Pick<CanaryBack, 'labels' | 'gateways'>>; left: RuleViolation[] } {
  const to = forward.fromRevision;
  const labels: MeshLabels[] = [];
  const gateways: GatewayLabel[] = [];
  const [unknown, elsewhere]: [string[], string[]] = [[], []];
  for (const { name, selector } of namespaces) {
    // Its label is the tag still, which goes back.
    if (tags.includes(selector)) continue;
    const was = before.meshNamespaces.find((each) => each.name === name);
    if (was === undefined) unknown.push(`Namespace ${name}`);
    else if (was.selector === to && was.mode === 'revision') continue;
    else if (revisionBehind(after, was.selector) !== to) elsewhere.push(`Namespace ${name} (${was.selector})`);
    else if (was.mode === 'injection-label') labels.push({ namespace: name, injection: 'enabled', rev: null });
    else labels.push({ namespace: name, injection: null, rev: was.selector });
  }
  for (const gateway of (waves.gateways ?? []).filter(({ how }) => how === 'relabel')) {
    const { kind, namespace, name } = gateway;
    const was = before.istioGateways.find((each) => objectTitle(each) === objectTitle(gateway));
    if (was === undefined) unknown.push(objectTitle(gateway));
    else if (was.by === 'own-label' && was.selector === to) continue;
    else if (revisionBehind(after, was.selector) !== to) elsewhere.push(`${objectTitle(gateway)} (${was.selector})`);
    else gateways.push({ kind, namespace, name, rev: was.by === 'own-label' ? was.selector : null });
  }
  return {
    labels: { labels, gateways },
    left: [
      ...about(unknown, to, 'what their labels were is not in the rollback point'),
      ...about(elsewhere, to, `what they selected does not lead to ${to} now`),
    ],
  };
}

function about(what: readonly string[], to: string, why: string): RuleViolation[] {
  if (what.length === 0) return [];
  return [refusal('RBK125', `${someOf(what)}: istio.io/rev=${to}, since ${why}.`, 'Change the label where another one is wanted.')];
}
