/** Findings about what of a mesh does not move as its namespaces do: gateways, ambient mode, workloads without a proxy or with a choice of their own. */
import type { Finding } from '../../core/findings.ts';
import type { IstioCanary } from '../model/changes.ts';
import { findingAbout, type FindingContext } from './finding.ts';
import { objectTitle } from '../../core/text.ts';

export function meshEdgeFindings(context: FindingContext): Finding[] {
  return [...gatewayFindings(context), ...ambientFindings(context), ...leftBehind(context)];
}

const canariesOf = ({ draft }: FindingContext): IstioCanary[] =>
  draft.steps.flatMap(({ params }) => (params.phase === 'istio' ? params.canaries : []));

/** What no wave moves. */
function leftBehind(context: FindingContext): Finding[] {
  const canaries = canariesOf(context);
  const uninjected = canaries.flatMap((canary) => canary.uninjected ?? []);
  const left = (context.facts.istio?.ownChoice ?? []).filter(({ revision }) => canaries.some((canary) => canary.fromRevision === revision));
  return [
    ...findingAbout([...new Map(uninjected.map((each) => [objectTitle(each), each])).values()], objectTitle, (names) => ({
      code: 'PLN033',
      title: 'Workloads without a proxy in the mesh’s namespaces',
      message: `${names}: no pod has a proxy, although the namespace asks for one. istiod leaves them out (neverInjectSelector, or it injects only what asks for it), or they have not restarted since their namespace has its label. Waves do not restart them, and do not wait for a proxy in them.`,
      remediation:
        'Where none is wanted, set label sidecar.istio.io/inject=false in their templates; else restart them before the upgrade, then plan again.',
    })),
    ...findingAbout(
      left,
      (choice) => `${objectTitle(choice)} (${choice.label})`,
      (names) => ({
        code: 'PLN034',
        title: 'Workloads that choose a revision of their own',
        message: `No wave moves ${names}, and the old revision cannot be retired while their pods run its proxy.`,
        remediation:
          'Label their namespaces, then plan again. Or move them by hand after the waves: change istio.io/rev in their templates, or restart them where a tag or the default revision has moved.',
      }),
    ),
  ];
}

/** What people should know of gateways before they approve the plan: each is where everybody comes in. */
function gatewayFindings(context: FindingContext): Finding[] {
  const { facts } = context;
  const canaries = canariesOf(context);
  const first = canaries[0];
  const moves = first?.gateways ?? [];
  const gateways = (facts.istio?.gateways ?? []).filter((each) => moves.some((move) => objectTitle(move) === objectTitle(each)));
  return [
    ...findingAbout(
      canaries.flatMap(({ gateways: all = [], fromVersion }) =>
        all.filter(({ drops }) => drops === true).map((move) => ({ move, fromVersion })),
      ),
      ({ move, fromVersion }) => `${objectTitle(move)} (istiod ${fromVersion})`,
      (names) => ({
        code: 'PLN027',
        title: 'Moving gateways lose their configuration',
        message: `As soon as another revision takes them over, the old istiod empties the configuration of the pods that still run: connections through ${names} fail for about half a minute (istio/istio#59959). There is a gate before it.`,
        remediation:
          'Bring the old istiod to 1.29.5, 1.30.2 or later first; else move at a quiet hour, or lead traffic over a second Gateway on the new revision.',
      }),
    ),
    ...findingAbout(
      gateways.filter(({ by, keptBy }) => keptBy !== undefined || by === 'image'),
      (gateway) => `${objectTitle(gateway)} (${gateway.keptBy ?? 'image in its template'})`,
      (names) => ({
        code: 'PLN028',
        title: 'Gateways that others keep',
        message: `Belay does not edit ${names}, because an edit would be reverted. It asks for the new revision where they are declared, and continues once they have it.`,
        remediation: 'Have somebody ready who can merge that change, or let them follow a revision tag.',
      }),
    ),
    ...findingAbout(
      gateways.filter(({ replicas }) => replicas === 1),
      objectTitle,
      (names) => ({
        code: 'PLN029',
        title: 'Gateways with one replica',
        message: `${names}: one pod carries all of its traffic, and its long-lived connections end when it is replaced.`,
        remediation: 'Run two replicas at least before the upgrade, with a budget of maxUnavailable 1.',
      }),
    ),
  ];
}

/** What the facts about ambient mode cover, and what they do not: people should not take silence for care. */
function ambientFindings({ facts, draft }: FindingContext): Finding[] {
  const moves = draft.steps.some(({ params }) => params.phase === 'istio');
  return findingAbout(
    moves ? (facts.istio?.ambient ?? []) : [],
    (name) => name,
    (names) => ({
      code: 'PLN026',
      title: 'Ambient namespaces do not move in waves',
      message: `The traffic of ${names} goes through ztunnel, which has no canary: Belay upgrades istio-cni and ztunnel in place after istiod, behind a gate. Waypoints (Gateways of class istio-waypoint) move as gateways do, in a wave.`,
      remediation: 'Try the upgrade of ztunnel on another cluster first: nothing of it can be moved back namespace by namespace.',
    }),
  );
}
