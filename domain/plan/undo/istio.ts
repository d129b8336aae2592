/** Istio to the revision that it had before the last run: gateways and namespaces in waves, tags, the newer revision retired. */
import { compareMinors, formatMinor, tryComponentVersion } from '../../core/component-version.ts';
import { type IstioFact, ISTIO_IN_USE } from '../../facts/facts.ts';
import { AGENT_AHEAD, istioSupport } from '../../tables/istio.ts';
import { count, objectTitle, someOf } from '../../core/text.ts';
import { retireAfter } from '../state/bake-gates.ts';
import { istioDelivery } from '../istio/delivery.ts';
import type { IstioCanary } from '../model/changes.ts';
import type { RuleViolation } from '../model/types.ts';
import { defined } from '../../core/defined.ts';
import { labelsBefore } from './istio-labels.ts';
import { istioBackStep } from './istio-step.ts';
import { type BackMove, type MeshNow, walkBack } from './istio-walk.ts';
import { paramsIn } from './last-run.ts';
import { asFinding, type KeptRelease, none, notDone, refusal, runWords, type UndoInput, type UndoWay } from './undo-input.ts';

export function undoIstio(input: UndoInput): UndoWay {
  const { facts, run, mesh, policy } = input;
  const forward = paramsIn(run, ['istio']).flatMap(({ canaries }) => canaries.filter(({ back }) => back === undefined));
  if (forward.length === 0) return notDone(run, 'did not change Istio');
  const { istio } = facts;
  if (istio === undefined)
    return none(refusal('RBK104', 'Istio is not there any more, or could not be read.', 'Look at its istiods, then ask again.'));
  if (mesh === undefined)
    return none(
      refusal(
        'RBK120',
        `What the mesh was like before ${runWords(run)} is not known: its rollback point is not there, or cannot be read.`,
        'Look for rollback-point_….json in records.directory of belay.yaml; without it, move tags and labels by hand, then restart the workloads.',
      ),
    );
  const blind = facts.unknowns.find(({ part }) => ISTIO_IN_USE.includes(part));
  if (blind !== undefined)
    return none(
      refusal(
        'RBK104',
        `Reading ${blind.what}: ${blind.why}.`,
        'Without it nobody knows what would go back; ask again when it can be read.',
      ),
    );
  if (istio.gateways === undefined && forward.some(({ gateways = [] }) => gateways.length > 0))
    return none(refusal('RBK104', 'The gateways of Istio could not be read.', 'Allow Belay to list them, then ask again.'));
  const { waves, gateways } = policy.istio;
  const now: MeshNow = { ...istio, gateways: istio.gateways ?? [] };
  const { moves, after } = walkBack(now, mesh, forward, { shares: waves, gateways });
  if (moves.length === 0)
    return none(
      refusal('RBK103', `Of what ${runWords(run)} moved in the mesh nothing is at its newer revision.`, 'There is nothing to do.'),
    );
  const judged = moves.map((move, index) => canaryOf(input, istio, move, moves.slice(0, index)));
  const violations = [...judged.flatMap((each) => (each.kind === 'refused' ? each.violations : [])), ...agentsAhead(istio, moves)];
  if (violations.length > 0) return none(...violations);
  const labelled = moves.map((move) => labelsBefore(move, mesh, after));
  const canaries = judged.flatMap((each, index) => (each.kind === 'canary' ? [withLabels(each.canary, labelled[index]?.labels)] : []));
  const moved = new Set(moves.flatMap(({ namespaces }) => namespaces.map(({ name }) => name)));
  return {
    kind: 'way',
    steps: [istioBackStep(input, istio, canaries)],
    findings: [...labelled.flatMap(({ left }) => left), ...stays(after, moves)].map(asFinding),
    until: `the control plane moves to a minor that Istio ${canaries.at(-1)?.toMinor ?? ''} does not support`,
    cost: `one more restart of the workloads in ${count(moved.size, 'namespace')}`,
  };
}

type Judged = { kind: 'canary'; canary: IstioCanary } | { kind: 'refused'; violations: RuleViolation[] };

/** The same the other way round, where its older revision runs, or can be installed again as it was. */
function canaryOf(input: UndoInput, istio: IstioFact, move: BackMove, earlier: readonly BackMove[]): Judged {
  const { forward, waves, tags, keeps } = move;
  const { fromRevision: to, toRevision: from } = forward;
  const running = istio.revisions.find(({ revision }) => revision === to);
  const kept = input.kept?.find(({ revision }) => revision === to);
  const version = running?.version ?? kept?.appVersion ?? forward.fromVersion;
  const violations = [...notThere(input, forward, running, kept), ...unfit(input, version)];
  const parsed = tryComponentVersion(version);
  if (violations.length > 0 || parsed === undefined) return { kind: 'refused', violations };
  const left = istio.revisions.find(({ revision }) => revision === from)?.version;
  // Installed again on the way, by a move before this one.
  const between = earlier.find((each) => each.forward.fromRevision === from)?.forward.fromVersion;
  return {
    kind: 'canary',
    canary: {
      fromRevision: from,
      fromVersion: left ?? between ?? forward.toVersion ?? forward.toMinor,
      toRevision: to,
      toMinor: formatMinor(parsed),
      toVersion: running === undefined ? (kept?.version ?? version) : version,
      ...(tags.length === 0 ? {} : { tags }),
      ...waves,
      ...defined({ uninjected: forward.uninjected }),
      retire: retireAfter(input.policy.timing.retireBakeMs),
      back: {
        ...(running !== undefined || kept === undefined ? {} : { release: { namespace: kept.namespace, name: kept.name } }),
        ...(keeps ? { keeps: true } : {}),
      },
    },
  };
}

function withLabels(canary: IstioCanary, all: ReturnType<typeof labelsBefore>['labels'] | undefined): IstioCanary {
  const { labels = [], gateways = [] } = all ?? {};
  return {
    ...canary,
    back: { ...canary.back, ...(labels.length === 0 ? {} : { labels }), ...(gateways.length === 0 ? {} : { gateways }) },
  };
}

function notThere(
  { policy, mesh, facts }: UndoInput,
  { fromRevision: to, fromVersion }: IstioCanary,
  running: IstioFact['revisions'][number] | undefined,
  kept: KeptRelease | undefined,
): RuleViolation[] {
  const { istio: managedBy } = policy.managedBy;
  if (running?.ready === true) return [];
  if (running !== undefined)
    return [refusal('RBK121', `istiod of revision ${to} is not ready.`, 'Find out why; what is moved to it now could not start.')];
  if (managedBy === 'helm') {
    if (kept !== undefined && sameMinor(kept.appVersion, fromVersion)) return [];
    const why =
      kept === undefined
        ? 'Helm has no retired release of it that can be read'
        : `Helm's newest record of release ${kept.name} has ${kept.appVersion}`;
    return [
      refusal(
        'RBK122',
        `Revision ${to} (${fromVersion}) is gone, and ${why}.`,
        `Install istiod ${fromVersion} with revision=${to} and the values that it had, then ask again.`,
      ),
    ];
  }
  const delivery = istioDelivery(facts.istio, policy);
  const charts = (mesh?.deliveredCharts ?? []).filter(({ kind, chart }) => kind === delivery?.kind && chart === 'istiod');
  const named =
    charts.length === 0
      ? ''
      : ` It was ${someOf(charts.map(({ kind, namespace, name, version }) => `${kind} ${namespace}/${name}, chart istiod ${version}`))}.`;
  return [
    refusal(
      'RBK122',
      `Revision ${to} (${fromVersion}) is gone, and Belay does not install it where managedBy.istio is ${managedBy}.`,
      `Put it back ${delivery === undefined ? 'as it was installed' : 'in Git'}: chart istiod, version ${fromVersion}, values revision: ${to}, the rest as it was.${named} Ask again when its istiod is ready.`,
    ),
  ];
}

function unfit({ hop, minor }: UndoInput, version: string): RuleViolation[] {
  const parsed = tryComponentVersion(version);
  const support = parsed === undefined ? 'unknown' : istioSupport(parsed, hop.to);
  if (support === 'supported') return [];
  return [
    refusal(
      'RBK123',
      support === 'unknown'
        ? `Whether Istio ${version} supports ${minor} is not known to this release of Belay.`
        : `Istio ${version} does not support ${minor}.`,
      'Stay, or take the control plane back first while EKS allows that: belay rollback CLUSTER.',
    ),
  ];
}

/** They work with istiod of their own minor, of the next one, and of an older one as far as AGENT_AHEAD says. */
function agentsAhead({ hasCniOrZtunnel, nodeAgents = [] }: IstioFact, moves: readonly BackMove[]): RuleViolation[] {
  const oldest = moves.at(-1)?.forward;
  if (!hasCniOrZtunnel || oldest === undefined) return [];
  if (nodeAgents.length === 0)
    return [
      refusal('RBK124', 'The versions of istio-cni and ztunnel could not be read.', 'Allow Belay to list DaemonSets, then ask again.'),
    ];
  const { fromVersion, fromRevision } = oldest;
  const istiod = tryComponentVersion(fromVersion);
  const ahead = nodeAgents.filter(({ kind, version }) => {
    const agent = tryComponentVersion(version);
    if (agent === undefined || istiod === undefined || agent.major !== istiod.major) return true;
    return agent.minor - istiod.minor > AGENT_AHEAD[kind];
  });
  if (ahead.length === 0) return [];
  const what = ahead.map(({ kind, version }) => `${kind} ${version}`).join(' and ');
  const to = istiod === undefined ? fromVersion : formatMinor(istiod);
  return [
    refusal(
      'RBK124',
      `${what} may not be that far ahead of istiod ${fromVersion} (revision ${fromRevision}).`,
      moves.length === 1
        ? `Move ${what} to ${to} first, in the way it was installed; the present istiod works with that. Then request this again.`
        : `Go back by hand, one minor after the other, to ${to}: each time istio-cni and ztunnel first, then the namespaces.`,
    ),
  ];
}

const sameMinor = (a: string, b: string): boolean => {
  const [one, other] = [tryComponentVersion(a), tryComponentVersion(b)];
  return one !== undefined && other !== undefined && compareMinors(one, other) === 0;
};

/** What came to the newer revision by somebody else keeps it there. */
function stays({ namespaces, gateways, tags }: MeshNow, moves: readonly BackMove[]): RuleViolation[] {
  return moves
    .filter(({ keeps }) => !keeps)
    .flatMap(({ forward: { toRevision: revision } }) => {
      const users = [
        ...namespaces.filter((each) => each.revision === revision).map(({ name }) => `Namespace ${name}`),
        ...gateways.filter((each) => each.revision === revision).map(objectTitle),
        ...tags.filter((each) => each.revision === revision).map(({ tag }) => `tag ${tag}`),
      ];
      if (users.length === 0) return [];
      return [
        refusal(
          'RBK126',
          `${someOf(users)}: not moved by that run, stays at ${revision}.`,
          `While it is used ${revision} cannot be retired: keep both at the gate, or move it first.`,
        ),
      ];
    });
}
